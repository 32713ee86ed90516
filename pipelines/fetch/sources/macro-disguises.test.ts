// Errors of the macro sources that are dressed as success: none of them becomes data, and none of them means that nothing exists.
import { describe, expect, test } from 'vitest'
import { CrossfileError } from '#schemas/errors.ts'
import { readers } from '../../read/register.ts'
import { evaluate } from '../http/verdict.ts'
import { bea, beaCalendarUrl, beaReleaseDatesUrl, bls, blsCalendarUrl } from './agency-calendars.ts'
import { bankOfCanada, valetUrl } from './bank-of-canada.ts'
import { fred, fredCsv, fredCsvUrl, fredObservationsUrl, fredReleaseDatesUrl } from './fred.ts'
import { windows } from './sniff.ts'
import { statcan, statcanScheduleUrl, vectorsUrl } from './statcan.ts'
import type { Upstream } from './upstream.ts'
import { worldBank, worldBankUrl } from './worldbank.ts'

function verdict(upstream: Upstream, url: string, status: number, body: string): string {
  const bytes = Buffer.from(body)
  const answer = { url: new URL(url), status, headers: {}, body: bytes, ...windows(bytes) }
  const verdict = evaluate(upstream, answer, { subject: url, conditional: false, nowMs: 0, clean: text => text })
  if (verdict.kind !== 'failed') return verdict.kind
  return `${verdict.error.code === 'not_found' ? 'not_found' : 'could_not_ask'}: ${verdict.reason}`
}
/** What the reader of the address makes of the same bytes: `data`, `nothing` or the code of its error. */
function reading(upstream: Upstream, url: string, status: number, body: string): string {
  const reader = readers.find(each => each.source === upstream.name && each.reads(url))
  if (reader === undefined) return 'no reader'
  const bytes = Buffer.from(body)
  const document = { sha256: '', source: upstream.name, url, retrieved_at: '2026-11-20T12:00:00Z', status, headers: {}, body: bytes }
  try {
    return Object.values(reader.parse(document).facts).some(rows => (rows ?? []).length > 0) ? 'data' : 'nothing'
  } catch (error) {
    if (error instanceof CrossfileError) return error.code
    throw error
  }
}

const wall = '<!DOCTYPE html>\n<html lang="en"><head><title>Access Denied</title></head><body>Reference #18</body></html>'
const observations = fredObservationsUrl('UNRATE', '2025-01-01')
const vectors = vectorsUrl(['41690973'], 3)
const indicator = worldBankUrl('NY.GDP.MKTP.CD', 2000, 2025)
const valet = valetUrl(['V39079'], '2026-01-01')

describe('an answer that is not one is told from data, and "could not ask" from "does not exist"', () => {
  test.each<[string, Upstream, string, number, string, string]>([
    [
      'FRED over its limit',
      fred,
      observations,
      429,
      '{"error_code":429,"error_message":"Too Many Requests.  Exceeded Rate Limit"}',
      'could_not_ask: throttled',
    ],
    [
      'FRED over its limit, with 200',
      fred,
      observations,
      200,
      '{"error_code":429,"error_message":"Too Many Requests.  Exceeded Rate Limit"}',
      'could_not_ask: throttled',
    ],
    [
      'FRED on a wrong key',
      fred,
      observations,
      400,
      '{"error_code":400,"error_message":"Bad Request.  The value for variable api_key is not registered."}',
      'could_not_ask: key_refused',
    ],
    [
      'FRED on an unknown series',
      fred,
      observations,
      400,
      '{"error_code":400,"error_message":"Bad Request.  The series does not exist."}',
      'not_found: unknown_series',
    ],
    [
      'FRED on a wrong parameter',
      fred,
      observations,
      400,
      '{"error_code":400,"error_message":"Bad Request.  Variable realtime_start is not valid"}',
      'could_not_ask: error_instead',
    ],
    ['a page in place of FRED', fred, fredReleaseDatesUrl('2026-11-01'), 200, wall, 'could_not_ask: html_instead'],
    ['a page in place of FRED’s CSV', fredCsv, fredCsvUrl('UNRATE'), 200, wall, 'could_not_ask: html_instead'],
    ['JSON in place of FRED’s CSV', fredCsv, fredCsvUrl('UNRATE'), 200, '{"error":"slow down"}', 'could_not_ask: json_instead'],
    ['StatCan before 08:30', statcan, vectors, 409, '{"message":"Data is being updated"}', 'could_not_ask: tables_locked'],
    [
      'StatCan where all vectors failed',
      statcan,
      vectors,
      200,
      '[{"status":"FAILED","object":"Invalid request content"}]',
      'could_not_ask: all_failed',
    ],
    ['StatCan where the whole failed', statcan, vectors, 200, '{"status":"FAILED","object":"The service is locked"}', 'could_not_ask: tables_locked'],
    ['StatCan on a body that is no array', statcan, vectors, 406, '{"message":"JSON syntax error"}', 'could_not_ask: status_406'],
    ['a page in place of StatCan’s schedule', statcan, statcanScheduleUrl, 200, wall, 'could_not_ask: html_instead'],
    [
      'the World Bank on a wrong parameter',
      worldBank,
      indicator,
      200,
      '[{"message":[{"id":"120","key":"Invalid value","value":"The provided parameter value is not valid"}]}]',
      'could_not_ask: error_instead',
    ],
    [
      'the World Bank on an unknown indicator',
      worldBank,
      indicator,
      200,
      '[{"message":[{"id":"175","key":"Invalid format","value":"The indicator was not found. It may have been deleted or archived."}]}]',
      'not_found: unknown_indicator',
    ],
    [
      'the Bank of Canada on an unknown series',
      bankOfCanada,
      valet,
      404,
      '{"message":"Series V1 not found.","docs":"https://www.bankofcanada.ca/valet/docs"}',
      'not_found: unknown_series',
    ],
    [
      'the Bank of Canada on a fault of its own',
      bankOfCanada,
      valet,
      200,
      '{"message":"Service unavailable","docs":"https://www.bankofcanada.ca/valet/docs"}',
      'could_not_ask: error_instead',
    ],
    ['BLS on a client that it takes for a robot', bls, blsCalendarUrl, 403, wall, 'could_not_ask: html_instead'],
    ['BLS with a page and 200', bls, blsCalendarUrl, 200, wall, 'could_not_ask: html_instead'],
    ['words in place of a calendar', bea, beaCalendarUrl, 200, 'Too many requests', 'could_not_ask: not_a_calendar'],
    ['a page in place of BEA’s dates', bea, beaReleaseDatesUrl, 200, wall, 'could_not_ask: html_instead'],
  ])('%s', (_name, upstream, url, status, body, expected) => {
    expect(verdict(upstream, url, status, body)).toBe(expected)
    expect(reading(upstream, url, status, body)).not.toBe('data')
    expect(reading(upstream, url, status, body)).not.toBe('nothing')
  })
  test.each([fred, fredCsv, statcan, worldBank, bls, bea, bankOfCanada])('"not modified" is no disguise: $name', upstream => {
    const answer = { url: new URL(blsCalendarUrl), status: 304, headers: {}, body: Buffer.alloc(0), head: '', tail: '' }
    expect(evaluate(upstream, answer, { subject: 'x', conditional: true, nowMs: 0, clean: text => text }).kind).toBe('unchanged')
  })
  test('one vector of several that failed is held back, and the others are data', () => {
    const body =
      '[{"status":"FAILED","object":"x"},{"status":"SUCCESS","object":{"vectorId":1,"productId":1,"vectorDataPoint":[{"refPer":"2026-01-01","value":1}]}}]'
    expect([verdict(statcan, vectors, 200, body), reading(statcan, vectors, 200, body)]).toEqual(['document', 'data'])
  })
})
