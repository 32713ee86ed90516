import { describe, expect, test } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { dailyAdjustedUrl } from './alphavantage.ts'
import { ratesUrl, seriesUrl } from './bank-of-canada.ts'
import * as edgarAddresses from './edgar/index.ts'
import * as eodhdAddresses from './eodhd.ts'
import { getUpstream, upstreamOf, upstreams } from './index.ts'
import { sourceSettings } from './settings.ts'
import { tiingoPricesUrl } from './tiingo.ts'
import { tsxDirectoryUrl } from './tmx.ts'
import { checkContact, type SourceSettings, userAgent, whatIsMissing } from './upstream.ts'
import { yahooChartUrl } from './yahoo.ts'

const settings: SourceSettings = { version: '0.1.0', contact: null, keys: {}, optIn: [], base: {}, simulatorPerSecond: null }
const { edgar, eodhd, yahoo, tsx, nasdaqtrader } = Object.fromEntries(upstreams) as Record<string, ReturnType<typeof getUpstream>>

describe('addresses', () => {
  test('of EDGAR', () => {
    const e = edgarAddresses
    expect(e.submissionsUrl('320193')).toBe('https://data.sec.gov/submissions/CIK0000320193.json')
    expect(e.submissionsPageUrl('CIK0000320193-submissions-001.json')).toBe('https://data.sec.gov/submissions/CIK0000320193-submissions-001.json')
    expect(e.dailyIndexUrl('2026-03-31')).toBe('https://www.sec.gov/Archives/edgar/daily-index/2026/QTR1/form.20260331.idx')
    expect(e.dailyIndexUrl('2026-04-01')).toBe('https://www.sec.gov/Archives/edgar/daily-index/2026/QTR2/form.20260401.idx')
    expect(e.quarterIndexUrl('2025-12-31')).toBe('https://www.sec.gov/Archives/edgar/full-index/2025/QTR4/form.gz')
    const data = 'https://www.sec.gov/files/structureddata/data'
    expect(e.insiderDataSetUrl('2024-05-17')).toBe(`${data}/insider-transactions-data-sets/2024q2_form345.zip`)
    // Calendar quarters until 2023, then two months, then quarters that end a month before the calendar's.
    const sets = ['2013-05-01', '2023-12-31', '2024-02-29', '2024-03-01', '2024-12-31', '2025-02-28', '2027-12-01'].map(day =>
      e.form13fDataSetUrl(day).slice(`${data}/form-13f-data-sets/`.length),
    )
    expect(sets).toEqual([
      '2013q2_form13f.zip',
      '2023q4_form13f.zip',
      '01jan2024-29feb2024_form13f.zip',
      '01mar2024-31may2024_form13f.zip',
      '01dec2024-28feb2025_form13f.zip',
      '01dec2024-28feb2025_form13f.zip',
      '01dec2027-29feb2028_form13f.zip',
    ])
    expect(e.submissionTextUrl('0000320193', '0000320193-24-000123')).toBe(
      'https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/0000320193-24-000123.txt',
    )
    expect(e.documentUrl('320193', '0000320193-24-000123', 'wk-form4_1.xml')).toBe(
      'https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/wk-form4_1.xml',
    )
    expect(e.indexedFileUrl('edgar/data/320193/0000320193-24-000123.txt')).toBe(
      'https://www.sec.gov/Archives/edgar/data/320193/0000320193-24-000123.txt',
    )
    expect(e.bulkSubmissionsUrl).toBe('https://www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip')
  })

  test('of the others', () => {
    expect(eodhdAddresses.bulkBarsUrl('V', '2026-11-19')).toBe('https://eodhd.com/api/eod-bulk-last-day/V?date=2026-11-19&fmt=json')
    expect(eodhdAddresses.bulkActionsUrl('TO', '2026-11-19', 'splits')).toBe(
      'https://eodhd.com/api/eod-bulk-last-day/TO?type=splits&date=2026-11-19&fmt=json',
    )
    expect(eodhdAddresses.dividendsUrl('BEP-UN', 'TO', '2020-01-01')).toBe('https://eodhd.com/api/div/BEP-UN.TO?fmt=json&from=2020-01-01')
    expect(eodhdAddresses.symbolListUrl('TO', true)).toBe('https://eodhd.com/api/exchange-symbol-list/TO?fmt=json&delisted=1')
    expect(tsxDirectoryUrl('tsxv')).toBe('https://www.tsx.com/json/company-directory/search/tsxv/%5E*')
    expect(seriesUrl('FXUSDCAD', '2024-01-01')).toBe('https://www.bankofcanada.ca/valet/observations/FXUSDCAD/json?start_date=2024-01-01')
    expect(ratesUrl('2024-01-01', '2024-12-31')).toBe(
      'https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json?start_date=2024-01-01&end_date=2024-12-31',
    )
  })

  test.each([
    () => edgarAddresses.submissionsUrl('../../x'),
    () => edgarAddresses.submissionsPageUrl('../company_tickers.json'),
    () => edgarAddresses.documentUrl('1', '0000000001-26-000001', '../../2/x.xml'),
    () => edgarAddresses.documentUrl('1', '1-26-1', 'x.xml'),
    () => edgarAddresses.indexedFileUrl('edgar/data/1/../../../etc/passwd'),
    () => edgarAddresses.dailyIndexUrl('2026-02-30'),
    () => eodhdAddresses.barsUrl('AAPL?api_token=', 'US'),
    () => tiingoPricesUrl('a/b', '2026-01-01'),
    () => yahooChartUrl('A B', 0, 1),
    () => dailyAdjustedUrl('A&function=X'),
  ])('never hold what is not a name, a number or a day: %o', build => expect(build).toThrow(BadRequest))

  test('lead back to their upstream', () => {
    expect(upstreamOf('https://data.sec.gov/submissions/CIK0000320193.json')?.name).toBe('edgar')
    expect(upstreamOf('https://eodhd.com/api/eod/A.US')?.name).toBe('eodhd')
    expect(upstreamOf('https://evil.example/www.sec.gov')).toBeNull()
    expect(upstreamOf('recorded:a.json')).toBeNull()
    expect(() => getUpstream('edgr')).toThrow(/no source is called "edgr"/)
  })

  test('every upstream that uses the network names its hosts, and no host has two upstreams', () => {
    const hosts = [...upstreams.values()].flatMap(upstream => upstream.hosts)
    expect(new Set(hosts).size).toBe(hosts.length)
    for (const upstream of upstreams.values())
      expect(upstream.hosts.length > 0 || upstream.name === 'csv' || upstream.name === 'transcripts').toBe(true)
  })
})

describe('what an operator has to give', () => {
  test.each(['Jane Roe jane@roe-research.ca', 'ops@firm.com', 'Firm Ltd. <data+edgar@firm.co.uk>', 'https://firm.com ops@firm.com'])(
    'the SEC accepts the contact %s',
    contact => expect(checkContact(contact)).toBe(contact),
  )
  test.each([
    null,
    '',
    '   ',
    'Jane Roe',
    'name@example.com',
    'Jane Roe jane@example.org',
    'you@yourcompany.com',
    'a@b.test',
    'user@domain.com',
    'jane@localhost',
    'jane@roe.ca\r\nX-Evil: 1',
    'jané@roe.ca',
  ])('but not %j, and the refusal says how to set it', contact => {
    expect(() => checkContact(contact)).toThrow(BadRequest)
    expect(whatIsMissing(edgar!, { ...settings, contact })).toMatch(/set CROSSFILE_CONTACT/)
  })

  test('a key, an opt-in or nothing', () => {
    expect(whatIsMissing(eodhd!, settings)).toMatch(/set EODHD_API_TOKEN/)
    expect(whatIsMissing(eodhd!, { ...settings, keys: { EODHD_API_TOKEN: 'k' } })).toBeNull()
    expect(whatIsMissing(yahoo!, settings)).toMatch(/CROSSFILE_OPT_IN=yahoo/)
    expect(whatIsMissing(tsx!, settings)).toMatch(/"enabled: on"/)
    expect(whatIsMissing(tsx!, { ...settings, optIn: ['tsx'] })).toBeNull()
    expect(whatIsMissing(nasdaqtrader!, settings)).toBeNull()
  })

  test('a simulator needs none of it, and is still told who asks', () => {
    const simulated = { ...settings, base: { edgar: 'http://127.0.0.1:9000' } }
    expect(whatIsMissing(edgar!, simulated)).toBeNull()
    expect(userAgent(edgar!, simulated)).toBe('Crossfile/0.1.0 simulator@crossfile.invalid')
  })

  test('comes from the configuration and from jobs.yaml', () => {
    const config = {
      contact: 'ops@firm.com',
      upstreamBase: 'http://127.0.0.1:9000',
      yahoo: true,
      optIn: ['tmx'],
      eodhdToken: null,
      tiingoKey: null,
      polygonKey: null,
      fredKey: null,
      alphavantageKey: null,
    }
    const from = sourceSettings(
      config,
      [
        { source: 'tsx', enabled: 'on' },
        { source: 'edgar', enabled: 'auto' },
      ],
      '0.1.0',
    )
    expect(from.optIn).toEqual(['tmx', 'tsx', 'yahoo'])
    expect(() => sourceSettings({ ...config, optIn: ['tmz'] }, [], '0.1.0')).toThrow('there is no opt-in source "tmz"')
    expect(from.base['edgar']).toBe('http://127.0.0.1:9000')
    expect(Object.keys(from.base)).toEqual([...upstreams.keys()])
  })
})
