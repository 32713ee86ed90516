// What browsers report by themselves: violations of the content security policy, and how fast pages are.
import { z } from 'zod'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'

const reports = {
  tag: 'Observability',
  access: 'public',
  curated: false,
  cache: 'live',
  served_from: 'pg',
  method: 'POST',
  success: 204,
  raw_body: true,
  cross_site: true,
} as const
const report = z.record(z.string(), z.unknown())
const always = 'Always 204, whatever is sent, so that a page has nothing to handle; more than 30 a minute from one address are not kept.'

export const telemetryOperations = [
  operation({
    ...reports,
    id: 'report_csp',
    path: '/api/v1/csp-report',
    summary: 'Report violations of the content security policy',
    description: `Takes what report-uri sends ({"csp-report": {…}}) and what the Reporting API sends (a list). Counted by day, directive and blocked host, kept 30 days; no page, address or sample is kept. ${always} At most 16 KiB.`,
    question: question({}),
    body: z.union([z.array(report), report]),
    body_media: ['application/csp-report', 'application/reports+json', 'application/json', 'text/plain'],
    body_bytes: 16 * 1024,
    example: examples.report_csp,
  }),
  operation({
    ...reports,
    id: 'report_vitals',
    path: '/api/v1/metrics/vitals',
    summary: 'Report Web Vitals',
    description: `For navigator.sendBeacon: {url, LCP, INP, CLS, FID} in milliseconds (CLS has no unit), one measurement as {url, name, value}, or a list of those. Of the address the path alone is kept, with ids in it replaced; nothing of the visitor is. Kept as the 75th percentile by day and page, single measurements for 14 days. ${always} At most 4 KiB.`,
    question: question({}),
    body: z.union([z.array(report), report]),
    body_media: ['application/json', 'text/plain'],
    body_bytes: 4 * 1024,
    example: examples.report_vitals,
  }),
] as const
