// Facts 11 to 14 of the recorded market documents, and every document of their folders.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeReal, realBytes, realFolder, realPresent, realText } from '#fixtures/real.ts'
import type { Parsed } from '../parsed.ts'
import { readers } from '../register.ts'

const requests = (folder: string): Record<string, { url: string }> =>
  JSON.parse(realText(`market/${folder}/REQUESTS.json`)) as Record<string, { url: string }>

function read(path: string, requested?: string): { readonly reader: string; readonly parsed: Parsed } {
  const body = realBytes(`market/${path}`)
  const byUrl = requested === undefined ? [] : readers.filter(reader => reader.reads(requested))
  const head = body.subarray(0, 65_536).toString('utf8')
  const known = readers.filter(reader => reader.recognise(path, head) !== null)
  // The same reader by its address, if there is one, and by its content only.
  expect(known.map(reader => reader.name)).toHaveLength(1)
  if (requested !== undefined) expect(byUrl).toEqual(known)
  const url = requested ?? known[0]!.recognise(path, head)!
  const parsed = known[0]!.parse({ sha256: '', source: known[0]!.source, url, retrieved_at: '2026-11-20T12:00:00Z', status: 200, headers: {}, body })
  return { reader: known[0]!.name, parsed }
}
const observations = (parsed: Parsed) => parsed.facts.macro_observations ?? []

describeReal('fact 11: the Bank of Canada', () => {
  // Files are read when the tests run: without the folder, this block is only collected.
  const usd = () => {
    const rates = ['boc/boc_2024.raw.json', 'boc/boc_2025.raw.json'].flatMap(path => read(path).parsed.facts.fx_rates ?? [])
    return new Map(rates.filter(rate => rate.series === 'FXUSDCAD').map(rate => [rate.date, rate.rate]))
  }
  test('rates are the printed strings', () => {
    const rates = usd()
    expect([rates.get('2024-06-28'), rates.get('2024-12-30'), rates.get('2025-12-30')]).toEqual(['1.3687', '1.4379', '1.3693'])
  })
  test('no rate on the bank’s own holidays, when Toronto trades', () => {
    const rates = usd()
    expect(['2024-09-30', '2024-11-11', '2025-09-30', '2025-11-11'].filter(day => rates.has(day))).toEqual([])
  })
})

describeReal('fact 12: FRED', () => {
  const cassettes = realPresent ? requests('fred/cassettes') : {}
  test.each(Object.entries(cassettes).map(([name, { url }]) => [name, url] as const))('%s is read by the reader of its address', (name, url) => {
    const { parsed } = read(`fred/cassettes/${name}`, url)
    expect(parsed.refused).toEqual([])
    expect(Object.keys(parsed.facts).length + Object.keys(parsed.skipped).length).toBeGreaterThan(0)
  })
  test.each([
    ['gdp', 97],
    ['cpi', 292],
    ['employment', 294],
    ['fedfunds', 829],
  ])('the observations of %s: %i values as printed, of a series that the document does not name', (name, count) => {
    const rows = observations(read(`fred/api-observations-${name}.json`).parsed)
    expect(rows).toHaveLength(count)
    expect(rows.every(row => row.series === `fred:file/api-observations-${name}` && row.vintage_basis === 'seen')).toBe(true)
    const printed = (JSON.parse(realText(`market/fred/api-observations-${name}.json`)) as { observations: { date: string; value: string }[] })
      .observations
    expect(rows.map(row => [row.date, row.value])).toEqual(printed.map(row => [row.date, row.value === '.' ? null : row.value]))
  })
  test('GDP has two vintage days more in the second recording', () => {
    const count = (name: string) => read(`fred/cassettes/${name}`, cassettes[name]?.url).parsed.skipped['vintage_dates']
    expect([count('test_get_series_vintagedates.0.json'), count('test_get_series_vintagedates.2.json')]).toEqual([393, 395])
  })
  test('first releases of GDP carry the day on which they came out', () => {
    const name = 'test_get_series_initial_release_pandas.0.json'
    const rows = observations(read(`fred/cassettes/${name}`, cassettes[name]?.url).parsed)
    expect(rows).toHaveLength(132)
    expect(rows[0]).toMatchObject({ series: 'fred:GDP', date: '1991-10-01', value: '5736.6', vintage: '1992-01-29', vintage_basis: 'released' })
  })
  test('release dates of the consumer price index: 927, then 930', () => {
    const events = (name: string) => read(`fred/cassettes/${name}`, cassettes[name]?.url).parsed.facts.economic_events ?? []
    const [first, second] = [events('test_get_release_dates.0.json'), events('test_get_release_dates.2.json')]
    expect([first.length, second.length]).toEqual([927, 930])
    expect(first[0]).toMatchObject({ date: '1949-03-24', agency: 'Bureau of Labor Statistics', country: 'US', release_id: '10' })
  })
  test('CSV: the month of the shutdown has no row at all', () => {
    for (const series of ['UNRATE', 'CPIAUCSL']) {
      const rows = observations(read(`fred/csv-2026-07-30/${series}.csv`).parsed)
      expect(rows.filter(row => row.date.startsWith('2025-')).map(row => row.date.slice(5, 7))).not.toContain('10')
      expect(rows.some(row => row.date === '2025-09-01') && rows.some(row => row.date === '2025-11-01')).toBe(true)
    }
  })
  test.each(['DGS10', 'GDPC1', 'M2SL'])('CSV: %s is read whole, nothing refused', series => {
    const { reader, parsed } = read(`fred/csv-2026-07-30/${series}.csv`)
    const lines = realText(`market/fred/csv-2026-07-30/${series}.csv`).trimEnd().split(/\r?\n/).length - 1
    expect([reader, observations(parsed).length, parsed.refused]).toEqual(['fred.csv', lines, []])
  })
})

describeReal('fact 13: Statistics Canada', () => {
  test('11,804 rows of 26 vectors behind a byte order mark', () => {
    const { parsed } = read('statcan/18100204-eng/18100204.csv')
    expect([observations(parsed).length, parsed.facts.macro_series?.length, parsed.refused]).toEqual([11_804, 26, []])
    expect(observations(parsed)[0]).toMatchObject({ series: 'statcan:v107792869', date: '1981-01-01', value: '31.0', vintage: null })
    expect(parsed.facts.macro_series?.[0]).toMatchObject({ units: 'Index, 2014=100', table_id: '18-10-0204' })
  })
  test('the description of the table, as CSV and as two bodies of the service', () => {
    expect(read('statcan/18100204-eng/18100204_MetaData.csv').parsed.facts.macro_series?.[0]).toMatchObject({
      series: 'statcan:18100204',
      title: 'Electric power selling price index, monthly',
      frequency: 'monthly',
    })
    for (const product of ['18100204', '23100216'])
      expect(read(`statcan/${product}.cube-metadata.json`).parsed.facts.macro_series?.[0]).toMatchObject({
        series: `statcan:${product}`,
        frequency: 'monthly',
      })
  })
})

describeReal('fact 14: the World Bank', () => {
  test('digits as printed, nulls kept', () => {
    const pages = readdirSync(join(realFolder, 'market', 'worldbank')).map(name => read(`worldbank/${name}`).parsed)
    const rows = pages.flatMap(observations)
    expect(rows.find(row => row.series === 'worldbank:NY.GDP.MKTP.CD/CA')).toMatchObject({ date: '2014-01-01', value: '1785386649602.19' })
    expect(rows.find(row => row.series === 'worldbank:NY.GDP.MKTP.CD/US')?.value).toBe('17419000000000')
    expect(rows.some(row => row.value === null)).toBe(true)
    expect(pages.flatMap(page => page.refused)).toEqual([])
  })
})
