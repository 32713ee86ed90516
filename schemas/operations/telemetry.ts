// Automatic reports of browsers: violations of the content security policy, and page speed.
import { z } from 'zod'
import { operation } from './operation.ts'

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
const always = 'Always 204, so that a page has nothing to handle; more than 30 a minute from one address are not stored.'

export const telemetryOperations = [
  operation('report_csp', 'GET /api/v1/csp-report', {
    ...reports,
    summary: 'Report violations of the content security policy',
    description: `Accepts the format of report-uri ({"csp-report": {…}}) and of the Reporting API (a list). Reports are counted by day, directive and blocked host for 30 days; no page, address or sample is stored. ${always} At most 16 KiB.`,
    body: z.union([z.array(report), report]),
    body_media: ['application/csp-report', 'application/reports+json', 'application/json', 'text/plain'],
    body_bytes: 16 * 1024,
    example: {
      body: {
        'csp-report': {
          'document-uri': 'https://crossfile.example.org/api/v1/public/docs',
          'effective-directive': 'script-src-elem',
          'blocked-uri': 'https://cdn.example.net/x.js',
          disposition: 'enforce',
        },
      },
    },
  }),
  operation('report_vitals', 'GET /api/v1/metrics/vitals', {
    ...reports,
    summary: 'Report Web Vitals',
    description: `For navigator.sendBeacon: {url, LCP, INP, CLS, FID} in milliseconds (CLS has no unit), one measurement as {url, name, value}, or a list of those. Of the URL only the path is stored, with ids replaced; no data about the visitor is stored. The 75th percentile by day and page is kept, single measurements for 14 days. ${always} At most 4 KiB.`,
    body: z.union([z.array(report), report]),
    body_media: ['application/json', 'text/plain'],
    body_bytes: 4 * 1024,
    example: {
      body: { url: 'https://crossfile.example.org/api/v1/public/docs?utm=1', LCP: 1240.5, INP: 56, CLS: 0.02 },
    },
  }),
] as const
