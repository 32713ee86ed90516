// Error texts that calendars' sources return instead of data: never stored as data, and never as "there is none".
import { describe, expect, test } from 'vitest'
import { CrossfileError } from '#schemas/errors.ts'
import { evaluate } from '../../fetch/http/verdict.ts'
import { alphaVantageEarningsUrl, alphaVantageIpoUrl, alphavantage, overviewUrl } from '../../fetch/sources/alphavantage.ts'
import { eodhd, eodhdEarningsUrl, eodhdIpoUrl, ratingsUrl } from '../../fetch/sources/eodhd.ts'
import { nasdaq, nasdaqEarningsUrl, nasdaqIpoUrl } from '../../fetch/sources/nasdaq.ts'
import { windows } from '../../fetch/sources/sniff.ts'
import { tmx, tmxEarningsUrl } from '../../fetch/sources/tmx.ts'
import type { Upstream } from '../../fetch/sources/upstream.ts'
import { yahoo, yahooSummaryUrl } from '../../fetch/sources/yahoo.ts'
import { readDocument } from '../../ingest/read-document.ts'
import { readers } from '../register.ts'

const nowMs = Date.parse('2026-11-20T15:00:00Z')
function verdict(upstream: Upstream, url: string, status: number, body: string): string {
  const bytes = Buffer.from(body)
  const answer = { url: new URL(url), status, headers: {}, body: bytes, ...windows(bytes) }
  const verdict = evaluate(upstream, answer, { subject: url, conditional: false, nowMs, clean: text => text })
  if (verdict.kind !== 'failed') return verdict.kind
  return `${verdict.error.code === 'not_found' ? 'not_found' : 'could_not_ask'}: ${verdict.reason}${verdict.stop === null ? '' : ` (stop ${verdict.stop})`}`
}
const wall =
  "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\nYou don't have permission to access this server.<P>Reference #18.2d</P></BODY></HTML>"
const refusedByNasdaq =
  '{"data":null,"message":null,"status":{"rCode":400,"bCodeMessage":[{"code":1001,"errorMessage":"Sorry, something went wrong."}],"developerMessage":null}}'
const tmxErrors =
  '{"errors":[{"message":"Cannot read properties of undefined (reading \'map\')","path":["getEnhancedEarningsForDate"]}],"data":{"getEnhancedEarningsForDate":null}}'
const avQuota = '{"Information":"We have detected your API key as X and our standard API rate limit is 25 requests per day."}'
const avKey = '{"Error Message":"the parameter apikey is invalid or missing."}'
const avBurst = '{"Note":"Thank you for using Alpha Vantage! Please consider spreading out your API requests (1 request per second)."}'
const crumb = '{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}'
const unknown = '{"quoteSummary":{"result":null,"error":{"code":"Not Found","description":"Quote not found for symbol: ZZZQ"}}}'
const tomorrow = 32_400 // 15:00 to midnight UTC

const cases: readonly (readonly [string, Upstream, string, number, string, string])[] = [
  ['the bot wall of nasdaq.com', nasdaq, nasdaqEarningsUrl('2026-12-03'), 403, wall, 'could_not_ask: bot_wall (stop 3600)'],
  ['the bot wall with status 200', nasdaq, nasdaqIpoUrl('2026-12'), 200, wall, 'could_not_ask: bot_wall (stop 3600)'],
  ['nasdaq.com with an rCode of its own', nasdaq, nasdaqEarningsUrl('2026-12-03'), 200, refusedByNasdaq, 'could_not_ask: error_instead'],
  ['TMX with errors beside a null', tmx, tmxEarningsUrl('2026-12-03'), 200, tmxErrors, 'could_not_ask: graphql_errors'],
  [
    'Alpha Vantage over its day where CSV was asked',
    alphavantage,
    alphaVantageEarningsUrl,
    200,
    avQuota,
    `could_not_ask: quota_exceeded (stop ${tomorrow})`,
  ],
  ['Alpha Vantage without a key', alphavantage, alphaVantageIpoUrl, 200, avKey, 'could_not_ask: key_refused'],
  ['Alpha Vantage asked too fast', alphavantage, overviewUrl('IBM'), 200, avBurst, 'could_not_ask: quota_exceeded (stop 60)'],
  [
    'EODHD over its day',
    eodhd,
    eodhdEarningsUrl('2026-11-01', '2026-12-31'),
    200,
    'You exceeded your daily API requests limit.',
    `could_not_ask: quota_exceeded (stop ${tomorrow})`,
  ],
  [
    'EODHD on a plan without calendars',
    eodhd,
    eodhdIpoUrl('2026-11-01', '2026-12-31'),
    200,
    'Only EOD data allowed for free users',
    'could_not_ask: key_refused',
  ],
  ['EODHD on a plan without fundamentals', eodhd, ratingsUrl('AAPL.US'), 403, 'Forbidden. Please contact support', 'could_not_ask: key_refused'],
  ['Yahoo on a stale crumb', yahoo, yahooSummaryUrl('RY.TO'), 401, crumb, 'could_not_ask: throttled (stop 300)'],
  ['Yahoo throttling with 200', yahoo, yahooSummaryUrl('RY.TO'), 200, 'Too Many Requests\r\n', 'could_not_ask: throttled (stop 300)'],
  ['Yahoo on a symbol that it does not have', yahoo, yahooSummaryUrl('ZZZQ'), 404, unknown, 'not_found: unknown_symbol'],
]

describe('an answer of a calendar that is none', () => {
  test.each(cases)('%s is told from data by the client', (_name, upstream, url, status, body, expected) => {
    expect(verdict(upstream, url, status, body)).toBe(expected)
  })
  test.each(cases)('%s becomes no fact where somebody kept it all the same', (_name, upstream, url, _status, body) => {
    const document = {
      sha256: '0'.repeat(64),
      source: upstream.name,
      url,
      retrieved_at: '2026-11-20T12:00:00Z',
      status: 200,
      headers: {},
      body: Buffer.from(body),
    }
    const { parsed, reader, detail } = readDocument(readers, { raw_id: 1, document })
    expect(reader).not.toBeNull()
    expect(parsed).toBeNull()
    expect(detail).toMatch(/^(?:upstream_unavailable|not_found): /)
  })
  test.each([
    ['nasdaq/earnings-2026-12-03.json', refusedByNasdaq, 'nasdaq.earnings-calendar'],
    ['nasdaq/ipo-2026-12.json', refusedByNasdaq, 'nasdaq.ipo-calendar'],
    ['tmx/answer.json', tmxErrors, 'tmx.enhanced-earnings'],
    ['yahoo/summary.json', unknown, 'yahoo.quote-summary'],
  ])('a refusal kept as %s is recognised, and refused', (path, body, name) => {
    const found = readers.flatMap(each => {
      const url = each.recognise(path, body)
      return url === null ? [] : [{ each, url }]
    })[0]
    expect(found?.each.name).toBe(name)
    const document = {
      sha256: '0'.repeat(64),
      source: found?.each.source ?? '',
      url: found?.url ?? '',
      retrieved_at: '2026-11-20T12:00:00Z',
      status: 200,
      headers: {},
      body: Buffer.from(body),
    }
    expect(() => found?.each.parse(document)).toThrow(CrossfileError)
  })
  test('a day without reports, and a month without deals, are answers', () => {
    const empty =
      '{"data":{"asOf":"Fri, Dec 25, 2026","headers":null,"rows":null},"message":null,"status":{"rCode":200,"bCodeMessage":[{"code":1002,"errorMessage":"No record found."}]}}'
    expect(verdict(nasdaq, nasdaqEarningsUrl('2026-12-25'), 200, empty)).toBe('document')
    expect(verdict(eodhd, eodhdEarningsUrl('2026-12-25', '2026-12-25'), 200, '{"type":"Earnings","earnings":[]}')).toBe('document')
  })
  test.each([
    [nasdaqEarningsUrl('2026-12-03'), '{"data":{"rows":{}},"status":{"rCode":200}}'],
    [nasdaqEarningsUrl('2026-12-03'), '[]'],
    [tmxEarningsUrl('2026-12-03'), '{"data":{"getEnhancedEarningsForDate":null}}'],
    [eodhdEarningsUrl('2026-12-03', '2026-12-04'), '[]'],
    [alphaVantageEarningsUrl, 'symbol,name\r\nA,B\r\n'],
    [yahooSummaryUrl('RY.TO'), '{"quoteSummary":{"result":null,"error":null}}'],
  ])('%s with another shape is unreadable, not empty', (url, body) => {
    const reader = readers.find(each => each.reads(url))
    const document = {
      sha256: '0'.repeat(64),
      source: reader?.source ?? '',
      url,
      retrieved_at: '2026-11-20T12:00:00Z',
      status: 200,
      headers: {},
      body: Buffer.from(body),
    }
    expect(() => reader?.parse(document)).toThrow(CrossfileError)
  })
})
