import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeReal, realBytes, realFolder } from '#fixtures/real.ts'
import { evaluate } from '../http/verdict.ts'
import { alphavantage, dailyAdjustedUrl } from './alphavantage.ts'
import { bankOfCanada, ratesUrl } from './bank-of-canada.ts'
import { dailyIndexUrl, edgar, submissionsUrl, submissionTextUrl, tickersUrl } from './edgar/index.ts'
import { barsUrl, bulkBarsUrl, eodhd } from './eodhd.ts'
import { nasdaqListedUrl, nasdaqtrader } from './nasdaqtrader.ts'
import { groupedDayUrl, polygon } from './polygon.ts'
import { windows } from './sniff.ts'
import { stooq, stooqDailyUrl } from './stooq.ts'
import { tiingo, tiingoPricesUrl, tiingoTickersUrl } from './tiingo.ts'
import { interlistedUrl, tmx, tmxUrl, tsx, tsxDirectoryUrl } from './tmx.ts'
import type { Upstream } from './upstream.ts'
import { yahoo, yahooChartUrl } from './yahoo.ts'

const nowMs = Date.parse('2026-11-20T15:00:00Z')
/** `document`, or `<not_found | could_not_ask>: <reason>` with the seconds of a stop. */
function verdict(upstream: Upstream, url: string, status: number, body: string | Uint8Array, headers: Record<string, string> = {}): string {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const answer = { url: new URL(url), status, headers, body: bytes, ...windows(bytes) }
  const verdict = evaluate(upstream, answer, { subject: url, conditional: false, nowMs, clean: text => text })
  if (verdict.kind !== 'failed') return verdict.kind
  const means = verdict.error.code === 'not_found' ? 'not_found' : 'could_not_ask'
  return `${means}: ${verdict.reason}${verdict.stop === null ? '' : ` (stop ${verdict.stop})`}`
}

const html = '<!DOCTYPE html>\n<html lang="en"><head><title>Access Denied</title></head><body>...</body></html>'
const undeclared = '<html><body><h1>Your Request Originates from an Undeclared Automated Tool</h1></body></html>'
const s3 = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
const index = dailyIndexUrl('2026-11-26')
const quarter = 32_400 // 15:00 to midnight UTC

describe('an answer that is not one is told from data, and "could not ask" from "does not exist"', () => {
  test.each<[string, Upstream, string, number, string, string]>([
    ['the SEC on an undeclared client', edgar, tickersUrl, 200, undeclared, 'could_not_ask: sec_block_page (stop 600)'],
    ['the SEC on too many requests', edgar, tickersUrl, 403, html, 'could_not_ask: sec_block_page (stop 600)'],
    ['the SEC with 429', edgar, tickersUrl, 429, '', 'could_not_ask: sec_block_page (stop 600)'],
    ['a day without an index, as the SEC’s store says it', edgar, index, 403, s3, 'not_found: no_index'],
    [
      'the same words about a filing are no proof',
      edgar,
      submissionTextUrl('1', '0000000001-26-000001'),
      403,
      s3,
      'could_not_ask: sec_block_page (stop 600)',
    ],
    ['a block page in place of an index', edgar, index, 403, undeclared, 'could_not_ask: sec_block_page (stop 600)'],
    ['an unknown filer', edgar, submissionsUrl('1'), 404, s3, 'not_found: status_404'],
    ['a web page in place of submissions', edgar, submissionsUrl('1'), 200, html, 'could_not_ask: html_instead'],
    ['a web page in place of an index', edgar, index, 200, html, 'could_not_ask: html_instead'],
    [
      'EODHD over its quota',
      eodhd,
      bulkBarsUrl('US', '2026-11-19'),
      402,
      'You exceeded your daily API requests limit.',
      `could_not_ask: quota_exceeded (stop ${quarter})`,
    ],
    [
      'EODHD over its quota with 200',
      eodhd,
      bulkBarsUrl('US', '2026-11-19'),
      200,
      'You exceeded your daily API requests limit.',
      `could_not_ask: quota_exceeded (stop ${quarter})`,
    ],
    ['EODHD on an unknown symbol', eodhd, barsUrl('ZZZZZ', 'US'), 404, 'Ticker Not Found.', 'not_found: unknown_symbol'],
    ['EODHD on a bad key', eodhd, barsUrl('AAPL', 'US'), 401, 'Unauthenticated', 'could_not_ask: key_refused'],
    ['EODHD on a free key', eodhd, bulkBarsUrl('TO', '2026-11-19'), 200, 'Only EOD data allowed for free users', 'could_not_ask: key_refused'],
    ['EODHD with an empty list', eodhd, bulkBarsUrl('TO', '2026-11-19'), 200, '[]', 'document'],
    ['Yahoo throttling', yahoo, yahooChartUrl('RY.TO', 0, 86_400), 200, 'Too Many Requests\r\n', 'could_not_ask: throttled (stop 300)'],
    ['Yahoo throttling at the edge', yahoo, yahooChartUrl('RY.TO', 0, 86_400), 429, 'Edge: Too Many Requests', 'could_not_ask: throttled (stop 300)'],
    [
      'Yahoo on an unknown symbol',
      yahoo,
      yahooChartUrl('ZZZZZ', 0, 86_400),
      404,
      '{"chart":{"result":null,"error":{"code":"Not Found","description":"No data found, symbol may be delisted"}}}',
      'not_found: unknown_symbol',
    ],
    [
      'Yahoo on a range before the listing',
      yahoo,
      yahooChartUrl('RY.TO', 0, 86_400),
      400,
      '{"chart":{"result":null,"error":{"code":"Bad Request","description":"Data doesn\'t exist for startDate = 0, endDate = 86400"}}}',
      'not_found: no_data_in_range',
    ],
    [
      'Yahoo on a stale crumb',
      yahoo,
      yahooChartUrl('RY.TO', 0, 86_400),
      401,
      '{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}',
      'could_not_ask: throttled (stop 300)',
    ],
    [
      'Stooq over its quota',
      stooq,
      stooqDailyUrl('AAPL', '2026-01-01', '2026-02-01'),
      200,
      'Exceeded the daily hits limit',
      `could_not_ask: quota_exceeded (stop ${quarter})`,
    ],
    ['Stooq without data', stooq, stooqDailyUrl('ZZZ', '2026-01-01', '2026-02-01'), 200, 'No data', 'not_found: no_data'],
    ['Stooq asking for a key', stooq, stooqDailyUrl('AAPL', '2026-01-01', '2026-02-01'), 200, 'Get your apikey:', 'could_not_ask: error_instead'],
    [
      'Tiingo over its hour, as text with 200',
      tiingo,
      tiingoPricesUrl('AAPL', '2026-01-01'),
      200,
      'Error: You have run over your hourly request allocation.',
      'could_not_ask: quota_exceeded (stop 3600)',
    ],
    [
      'Tiingo over its day, as JSON',
      tiingo,
      tiingoPricesUrl('AAPL', '2026-01-01'),
      429,
      '{"detail":"Error: You have run over your daily request allocation."}',
      `could_not_ask: quota_exceeded (stop ${quarter})`,
    ],
    [
      'Tiingo on an unknown ticker',
      tiingo,
      tiingoPricesUrl('ZZZZ', '2026-01-01'),
      404,
      '{"detail":"Error: Ticker \'ZZZZ\' not found"}',
      'not_found: unknown_symbol',
    ],
    ['Tiingo without a key', tiingo, tiingoPricesUrl('AAPL', '2026-01-01'), 403, '{"detail":"Please supply a token"}', 'could_not_ask: key_refused'],
    [
      'Nasdaq Trader cut short',
      nasdaqtrader,
      nasdaqListedUrl,
      200,
      'Symbol|Security Name|Market Category\nAAAA|Aaaa Corp|Q\n',
      'could_not_ask: no_trailer',
    ],
    ['Nasdaq Trader on a bad day', nasdaqtrader, nasdaqListedUrl, 200, html, 'could_not_ask: html_instead'],
    [
      'Polygon over its pace',
      polygon,
      groupedDayUrl('2026-11-19'),
      200,
      '{"status":"ERROR","error":"You\'ve exceeded the maximum requests per minute"}',
      'could_not_ask: throttled (stop 60)',
    ],
    [
      'Polygon beyond the plan',
      polygon,
      groupedDayUrl('2026-11-19'),
      403,
      '{"status":"NOT_AUTHORIZED","message":"Your plan does not include this data"}',
      'could_not_ask: key_refused',
    ],
    [
      'Alpha Vantage over its minute',
      alphavantage,
      dailyAdjustedUrl('SHOP.TRT'),
      200,
      '{"Note":"Our standard API call frequency is 5 calls per minute"}',
      'could_not_ask: quota_exceeded (stop 60)',
    ],
    [
      'Alpha Vantage over its day',
      alphavantage,
      dailyAdjustedUrl('SHOP.TRT'),
      200,
      '{"Information":"We have detected your API key as X and our rate limit is 25 requests per day."}',
      `could_not_ask: quota_exceeded (stop ${quarter})`,
    ],
    [
      'Alpha Vantage on a call it does not like',
      alphavantage,
      dailyAdjustedUrl('ZZZ'),
      200,
      '{"Error Message":"Invalid API call. Please retry or visit the documentation"}',
      'could_not_ask: error_instead',
    ],
    [
      'the Bank of Canada on an unknown series',
      bankOfCanada,
      ratesUrl('2026-01-01'),
      404,
      '{"message":"Series not found.","docs":"..."}',
      'not_found: unknown_series',
    ],
    ['the TSX directory as a web page', tsx, tsxDirectoryUrl('tsxv'), 200, html, 'could_not_ask: html_instead'],
    ['the interlisted file as a web page', tsx, interlistedUrl, 200, html, 'could_not_ask: html_instead'],
    ['an archive that is a web page', tiingo, tiingoTickersUrl, 200, html, 'could_not_ask: not_an_archive'],
  ])('%s', (_what, upstream, url, status, body, expected) => {
    expect(verdict(upstream, url, status, body)).toBe(expected)
  })

  test('a filing that quotes the block page’s words is a filing', () => {
    const filing = `<SEC-DOCUMENT>0000000001-26-000001.txt\n<TEXT>They met "Request Rate Threshold Exceeded" and an undeclared automated tool.</TEXT>`
    expect(verdict(edgar, submissionTextUrl('1', '0000000001-26-000001'), 200, filing)).toBe('document')
    const page = `<html><body>${'Risk factors. '.repeat(5000)} undeclared automated tool</body></html>`
    expect(verdict(edgar, 'https://www.sec.gov/Archives/edgar/data/1/000000000126000001/a.htm', 200, page)).toBe('document')
  })
})

describeReal('recorded real bodies', () => {
  const market = (path: string): Buffer => realBytes(`market/${path}`)
  test('errors are told', () => {
    expect(verdict(tiingo, 'https://api.tiingo.com/tiingo/daily/x', 404, market('tiingo/invalid_url_404.html.txt'))).toBe(
      'could_not_ask: html_instead',
    )
    expect(verdict(tmx, tmxUrl, 200, market('tmx/getEnhancedEarningsForDate_2023-01-11_http200-with-errors.json'))).toBe(
      'could_not_ask: graphql_errors',
    )
    expect(verdict(alphavantage, dailyAdjustedUrl('SHOP.TRT'), 200, market('alphavantage/error-apikey.json'))).toBe('could_not_ask: key_refused')
    for (const gone of ['SIMP', 'BRKS']) {
      const url = `https://query2.finance.yahoo.com/v7/finance/quote?symbols=${gone}`
      expect(verdict(yahoo, url, 200, market(`yahoo/json/quote-${gone}.json`))).toBe('not_found: unknown_symbol')
    }
  })

  const edgarIndex = 'https://www.sec.gov/Archives/edgar/full-index/2021/QTR1/form.idx'
  test.each<[Upstream, string, RegExp, string]>([
    [yahoo, 'market/yahoo/json', /^(?!quote-SIMP|quote-BRKS|REQUESTS).*\.json$/, yahooChartUrl('AAPL', 0, 1)],
    [tmx, 'market/tmx', /^(?!.*errors).*\.json$/, tmxUrl],
    [alphavantage, 'market/alphavantage', /^(?!error).*\.json$/, dailyAdjustedUrl('SHOP.TRT')],
    [tiingo, 'market/tiingo', /^(?!REQUESTS).*\.json$/, tiingoPricesUrl('GOOGL', '2018-01-05')],
    [tiingo, 'market/tiingo', /^ticker_price.*\.csv$/, 'https://api.tiingo.com/tiingo/daily/googl/prices?format=csv'],
    [polygon, 'market/polygon', /\.json$/, groupedDayUrl('2005-04-04')],
    [bankOfCanada, 'market/boc', /\.json$/, ratesUrl('2024-01-01')],
    [nasdaqtrader, 'market/nasdaqtrader', /\.txt$/, nasdaqListedUrl],
    [edgar, 'edgar/submissions', /\.json$/, submissionsUrl('320193')],
    [edgar, 'edgar/tickers', /\.json$/, tickersUrl],
    [edgar, 'edgar/index', /./, edgarIndex],
    [edgar, 'edgar/form345', /\.xml$/, 'https://www.sec.gov/Archives/edgar/data/1/000000000126000001/doc4.xml'],
    [edgar, 'edgar/form345', /\.(?:txt|nc)$/, submissionTextUrl('1', '0000000001-26-000001')],
    [edgar, 'edgar/form13f', /\.xml$/, 'https://www.sec.gov/Archives/edgar/data/1/000000000126000001/primary_doc.xml'],
    [edgar, 'edgar/sgml', /\.(?:txt|nc)$/, submissionTextUrl('1', '0000000001-26-000001')],
    [edgar, 'edgar/tenk', /\.html(?:\.gz)?$/, 'https://www.sec.gov/Archives/edgar/data/1/000000000126000001/a.htm'],
    [edgar, 'edgar/eightk', /\.html$/, 'https://www.sec.gov/Archives/edgar/data/1/000000000126000001/a.htm'],
    [edgar, 'edgar/companyfacts', /\.json(?:\.gz)?$/, 'https://data.sec.gov/api/xbrl/companyfacts/CIK0000000001.json'],
  ])('good ones of %o in %s are taken', (upstream, folder, names, url) => {
    const files = readdirSync(join(realFolder, folder)).filter(name => names.test(name))
    expect(files.length).toBeGreaterThan(0)
    const refused = files
      .map(name => [name, verdict(upstream, url, 200, realBytes(`${folder}/${name}`))])
      .filter(([, result]) => result !== 'document')
    expect(refused).toEqual([])
  })
})
