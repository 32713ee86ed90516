import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { openDuckdb } from '../duckdb.ts'
import { stateDigest } from './digest.ts'
import { type MemoryLake, openMemoryLake } from './memory.ts'

type Row = Readonly<Record<string, unknown>>

let folder: string
let lakes: MemoryLake[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfile-digest-'))
})
afterAll(async () => {
  for (const lake of lakes) lake.close()
  lakes = []
  await rm(folder, { recursive: true, force: true })
})

const from = { known_from: '2024-03-01T21:05:00.5Z', known_basis: 'published', source: 'eodhd', raw_sha256: 'a'.repeat(64), withdrawn: false }
const aBar = (symbol: string, date: string, close: number, more: Row = {}): Row => ({
  symbol,
  date,
  open: close,
  high: close,
  low: close,
  close,
  volume: 1200,
  currency: 'USD',
  ...from,
  ...more,
})
const aFiling = (filing_id: string, more: Row = {}): Row => ({
  filing_id,
  accession: filing_id,
  issuer_cik: '0009990001',
  issuer_name: 'Éclair, "Ltd"',
  issuer_symbol: null,
  form: '4',
  schema_version: 'X0508',
  period_of_report: '2024-03-01',
  filed_date: null,
  original_filed_date: null,
  no_securities_owned: null,
  not_subject_to_section16: '',
  aff_10b5_1: '0',
  plan_10b5_1: 'no',
  plan_10b5_1_source: null,
  plan_adopted_date: null,
  owners: [
    {
      cik: '0009990002',
      name: 'Ann',
      director: true,
      officer: null,
      ten_percent_owner: false,
      other: null,
      officer_title: null,
      other_text: '-',
      street1: null,
      street2: null,
      city: null,
      state: null,
      zip: null,
    },
  ],
  owner_ciks: ['0009990002'],
  footnotes: [],
  remarks: '(3:x)',
  signatures: [{ name: 'Ann', date: null }],
  transactions: 1,
  holdings: 0,
  flags: [],
  ...from,
  ...more,
})

/** A lake whose releases hold these rows, in this order. */
async function lakeOf(releases: readonly (readonly [DatasetName, readonly Row[]])[]) {
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })
  const memory = await openMemoryLake(instance, folder)
  lakes.push(memory)
  let release = 0
  for (const [name, rows] of releases) {
    release += 1
    await memory.add(name, rows, { release, committed_at: '2024-03-02T00:00:00Z' })
  }
  return memory.at(release)
}

/** The definition at the head of digest.ts, once more and in another language than SQL. */
function digestByHand(name: DatasetName, rows: readonly Row[]): string {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
  const net = (text: string): string => `${Buffer.byteLength(text)}:${text}`
  // %.17g of the doubles in these tests: 17 significant digits without the zeros at the end.
  const double = (value: number): string =>
    value
      .toPrecision(17)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  const struct = (type: string): string[] => [...type.matchAll(/"(\w+)" (\w+)/g)].map(match => `${match[1]} ${match[2]}`)
  const render = (type: string, value: unknown): string => {
    if (value === null || value === undefined) return '-'
    if (Array.isArray(value)) return `(${value.map(each => render(type.slice(0, -2), each)).join('')})`
    if (typeof value === 'object')
      return `(${struct(type)
        .map(field => render(field.split(' ')[1] ?? '', (value as Row)[field.split(' ')[0] ?? '']))
        .join('')})`
    if (type === 'DOUBLE') return net(double(value as number))
    if (type === 'TIMESTAMP WITH TIME ZONE') return net(`${Date.parse(String(value)) * 1000}`)
    return net(String(value))
  }
  const columns = datasetOf(name).columns.filter(column => !['withdrawn', 'release_from'].includes(column.name))
  const parts = Map.groupBy(rows, row => String(row[datasetOf(name).order[0] ?? '']))
  const lines = [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([part, list]) =>
        `${part} ${list.length} ${sha256(
          list
            .map(row => sha256(columns.map(column => render(column.type, row[column.name])).join('')))
            .sort()
            .join(''),
        )}\n`,
    )
  return sha256(`${name}(${columns.map(column => column.name).join(',')})\n${lines.join('')}`)
}

describe('the state digest', () => {
  test('follows its definition, nested columns, signs and accents included', async () => {
    const bars = [aBar('AAA', '2024-03-01', 10.1), aBar('AAA', '2024-03-04', 0.07), aBar('BBB.TO', '2024-03-01', 123456.5, { volume: null })]
    const filings = [aFiling('0009990001-24-000001'), aFiling('0009990001-24-000002', { owners: [], flags: ['symbol_none', 'odd'] })]
    const found = await stateDigest(
      await lakeOf([
        ['bars', bars],
        ['insider_filings', filings],
      ]),
    )
    expect(found.datasets['bars']).toEqual({ rows: 3, digest: digestByHand('bars', bars) })
    expect(found.datasets['insider_filings']).toEqual({ rows: 2, digest: digestByHand('insider_filings', filings) })
    const lines = Object.entries(found.datasets)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { rows, digest }]) => `${name} ${rows} ${digest}\n`)
    expect(found.digest).toBe(createHash('sha256').update(lines.join('')).digest('hex'))
  })
  test('does not depend on the order of commits or on the releases that brought the rows', async () => {
    const one = await stateDigest(await lakeOf([['bars', [aBar('AAA', '2024-03-01', 10), aBar('BBB', '2024-03-01', 20)]]]))
    const two = await stateDigest(
      await lakeOf([
        ['bars', [aBar('BBB', '2024-03-01', 20)]],
        ['fx_rates', []],
        ['bars', [aBar('AAA', '2024-03-01', 10)]],
      ]),
    )
    expect(two).toEqual(one)
  })
  test('counts the newest row of a key and leaves withdrawn keys out', async () => {
    const rate = (value: string, more: Row = {}): Row => ({
      base_currency: 'USD',
      quote_currency: 'CAD',
      date: '2024-01-02',
      rate: value,
      series: 'FXUSDCAD',
      ...from,
      ...more,
    })
    const plain = await stateDigest(await lakeOf([['fx_rates', [rate('1.33')]]]))
    const restated = await stateDigest(
      await lakeOf([
        ['fx_rates', [rate('1.32')]],
        ['fx_rates', [rate('1.33')]],
      ]),
    )
    expect(restated).toEqual(plain)
    const withdrawn = await stateDigest(
      await lakeOf([
        ['fx_rates', [rate('1.33')]],
        ['fx_rates', [rate('1.33', { withdrawn: true })]],
      ]),
    )
    expect(withdrawn.datasets['fx_rates']?.rows).toBe(0)
  })
  test.each([
    ['a row that stands twice', [aBar('AAA', '2024-03-01', 10), aBar('AAA', '2024-03-01', 10)]],
    ['a missing row', []],
    ['one digit of one price', [aBar('AAA', '2024-03-01', 10.000000000000002)]],
    ['another document', [aBar('AAA', '2024-03-01', 10, { raw_sha256: 'b'.repeat(64) })]],
    ['an unknown volume instead of none', [aBar('AAA', '2024-03-01', 10, { volume: null })]],
  ])('tells %s', async (_what, rows) => {
    const golden = await stateDigest(await lakeOf([['bars', [aBar('AAA', '2024-03-01', 10)]]]))
    expect((await stateDigest(await lakeOf([['bars', rows]]))).digest).not.toBe(golden.digest)
  })
  test('leaves out when a document was retrieved only where that is asked for, and only where nothing better is known', async () => {
    const at = (known_from: string, known_basis: string) => lakeOf([['bars', [aBar('AAA', '2024-03-01', 10, { known_from, known_basis })]]])
    const [early, late] = ['2024-03-01T22:00:00Z', '2024-03-09T22:00:00Z']
    const digests = async (basis: string, without?: 'retrieval_times') =>
      (await Promise.all([early, late].map(async when => stateDigest(await at(when, basis), without ? { without } : {})))).map(each => each.digest)
    const [a, b] = await digests('retrieved')
    expect(a).not.toBe(b)
    const [c, d] = await digests('retrieved', 'retrieval_times')
    expect(c).toBe(d)
    const [e, f] = await digests('published', 'retrieval_times')
    expect(e).not.toBe(f)
  })
})
