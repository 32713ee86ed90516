// The reports of a quarter, by find-quarter-reports.sql, next to a plain search for the newest reading of each filing.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Random, randomOf } from '#fixtures/world/random.ts'
import { closeConnection, openDuckdb, queryRows } from '../../store/duckdb.ts'
import { placeReports } from './effective.ts'
import { type QuarterReport, quarterReportsOf } from './quarter-reports.ts'

const seed = Number(process.env['CROSSFILE_TEST_SEED'] ?? 20_261_129)
const statement = readFileSync(join(import.meta.dirname, 'find-quarter-reports.sql'), 'utf8')
const managers = ['0000000001', '0000000002', '0000000003', '0000000004', '0000000005', '0000000006']

type Reading = Readonly<Record<string, string | number | boolean | null>>
/** The filings whose newest reading names the quarter and the manager, and does not withdraw it, in the order in which they became known. */
function newestOf(readings: readonly Reading[], quarter: string, manager: string): string[] {
  // A later release is newer, then what was known later; of two documents of one instant the first by its hash counts.
  const isNewer = (a: Reading, b: Reading): boolean =>
    a['release_from'] !== b['release_from']
      ? Number(a['release_from']) > Number(b['release_from'])
      : a['known_from'] !== b['known_from']
        ? String(a['known_from']) > String(b['known_from'])
        : String(a['raw_sha256']) < String(b['raw_sha256'])
  const newest = new Map<string, Reading>()
  for (const reading of readings) {
    const held = newest.get(String(reading['filing_id']))
    if (held === undefined || isNewer(reading, held)) newest.set(String(reading['filing_id']), reading)
  }
  return [...newest]
    .filter(([, reading]) => reading['quarter'] === quarter && reading['withdrawn'] === false && reading['manager_cik'] === manager)
    .sort(([a, { known_from: left }], [b, { known_from: right }]) => (String(left) < String(right) || (left === right && a < b) ? -1 : 1))
    .map(([filing]) => filing)
}

/** A reading of a filing: another one of the same filing may name another manager or quarter, or withdraw it. */
function readingOf(random: Random, filing: number, release: number): Reading {
  const amends = random.chance(0.3)
  const table = random.pick(['xml', 'xml', 'xml', 'text', 'none', 'unreadable'])
  return {
    filing_id: `F${filing}`,
    accession: `A${filing}`,
    manager_cik: random.pick([...managers, null]),
    manager_name: random.pick(['A', 'B', null]),
    quarter: random.pick(['2026Q2', '2026Q2', '2026Q2', '2026Q1', 'unknown']),
    form: `${table === 'none' ? '13F-NT' : '13F-HR'}${amends ? '/A' : ''}`,
    report_type: null,
    amendment_type: amends ? random.pick(['restatement', 'new_holdings', null]) : null,
    table,
    rows_read: random.int(0, 20),
    placeholders: 0,
    value_sum: String(random.int(0, 5_000)),
    unit: random.pick(['dollars', 'thousands', null]),
    unit_source: null,
    known_from: `2026-08-${String(random.int(1, 9)).padStart(2, '0')}T00:00:00Z`,
    source: 'edgar',
    raw_sha256: `${filing}-${release}-${random.int(0, 9)}`,
    withdrawn: random.chance(0.15),
    release_from: random.int(1, 4),
  }
}

test(`the reports of a manager are those whose newest reading names it: seed ${seed}`, async () => {
  const random = randomOf(seed, 'reports of a quarter')
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [] })
  const connection = await instance.connect()
  const quarter = '2026Q2'
  let compared = 0
  for (let round = 0; round < 100; round += 1) {
    const readings = Array.from({ length: random.int(1, 14) }, (_, filing) =>
      Array.from({ length: random.pick([1, 1, 2, 3]) }, (_unused, release) => readingOf(random, filing, release)),
    ).flat()
    const values = readings.map(reading => `(${Object.values(reading).map(value => (typeof value === 'string' ? `'${value}'` : String(value)))})`)
    const names = Object.keys(readings[0] ?? {}).map(name => `"${name}"`)
    await queryRows(connection, `create or replace table holdings_reports_history as from (values ${values}) as t(${names})`)
    const rows = await queryRows<QuarterReport & { readonly manager_cik: string }>(connection, statement, { quarter })
    const reports = quarterReportsOf(rows)
    for (const manager of managers) {
      const expected = newestOf(readings, quarter, manager)
      expect(
        reports.of(manager).map(({ filing_id }) => filing_id),
        `round ${round}`,
      ).toEqual(expected)
      for (const time of ['first', 'second'])
        expect(reports.placedOf(manager), `${time} time, round ${round}`).toEqual(placeReports(reports.of(manager)))
      compared += expected.length
    }
    expect(reports.of('0000000099')).toEqual([])
    // A reading without a manager belongs to none.
    expect(rows.every(({ manager_cik }) => managers.includes(manager_cik))).toBe(true)
  }
  expect(compared).toBeGreaterThan(200)
  closeConnection(connection)
  instance.closeSync()
})
