// Parses browsers' reports from the submitted text: unreadable input gives an empty result, never an error.
import { type VitalName, vitalNames, vitalRules } from '../../rulesets/telemetry/vitals.ts'
import { blockedOf, pageOf } from './strip.ts'

export type Vital = { readonly page: string; readonly metric: VitalName; readonly value: number }
export type Violation = { readonly directive: string; readonly blocked: string }
const mostReports = 20

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
/** The object itself, or the first objects of a list. */
const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.slice(0, mostReports) : [value]).filter(isObject)
const first = (report: Json, names: readonly string[]): unknown => names.map(name => report[name]).find(value => value !== undefined)

/**
 * Web Vitals: `{url, LCP, FID, CLS, INP}` in either case, one measurement as `{url, name, value}`, or a list of those, at the top level or
 * under `metrics`. Milliseconds; CLS has no unit.
 */
export function readVitals(text: string): Vital[] {
  const found: Vital[] = []
  for (const report of objectsOf(parsed(text))) {
    const where = first(report, ['url', 'page', 'path', 'href'])
    for (const each of [report, ...objectsOf(report['metrics'])]) {
      const page = pageOf(first(each, ['url', 'page', 'path', 'href']) ?? where)
      if (page === null) continue
      const named = typeof each['name'] === 'string' ? vitalNames.find(name => name === String(each['name']).toUpperCase()) : undefined
      if (named) take(page, named, each['value'])
      else for (const name of vitalNames) take(page, name, first(each, [name, name.toLowerCase()]))
    }
  }
  return found.slice(0, mostReports)

  function take(page: string, metric: VitalName, value: unknown): void {
    const greatest = vitalRules.metrics.find(row => row.metric === metric)?.greatest ?? 0
    if (typeof value === 'number' && value >= 0 && value <= greatest) found.push({ page, metric, value })
  }
}

const directives = new Set(
  `base-uri child-src connect-src default-src fenced-frame-src font-src form-action frame-ancestors frame-src img-src manifest-src media-src
  navigate-to object-src require-trusted-types-for sandbox script-src script-src-attr script-src-elem style-src style-src-attr style-src-elem
  trusted-types upgrade-insecure-requests worker-src`.split(/\s+/),
)
/** A known directive without its value: the legacy member contains the whole directive. */
function directiveOf(text: unknown): string {
  const name = typeof text === 'string' ? (text.trim().split(/\s/, 1)[0] ?? '').toLowerCase() : ''
  return directives.has(name) ? name : 'other'
}

/** Violations in both formats: `{"csp-report": {…}}` of report-uri, and the list of the Reporting API, whose other reports are ignored. */
export function readViolations(text: string): Violation[] {
  return objectsOf(parsed(text)).flatMap(report => {
    const legacy = report['csp-report']
    if (isObject(legacy))
      return { directive: directiveOf(first(legacy, ['effective-directive', 'violated-directive'])), blocked: blockedOf(legacy['blocked-uri']) }
    const body = report['body']
    if (report['type'] !== 'csp-violation' || !isObject(body)) return []
    return { directive: directiveOf(body['effectiveDirective']), blocked: blockedOf(body['blockedURL']) }
  })
}
