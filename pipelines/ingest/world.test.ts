// The pipeline against an oracle that shares nothing with it: what the fictional universe was made from (fixtures/world) must
// come out of its documents, every planted damage must be held with its reason, and what no source states must stay unknown.
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import {
  type AdjustedClose,
  damagedBarDays,
  effectiveActions,
  expectedAdjusted,
  expectedAmendments,
  expectedBarCounts,
  expectedBars,
  expectedFactors,
  expectedFilings,
  expectedInsiderHoldings,
  expectedInsiderTransactions,
  expectedRates,
  expectedSymbols,
  ignoredActions,
  unreadableFilings,
} from '#fixtures/world/expected.ts'
import type { DatasetName } from '#schemas/index.ts'
import { buildForm4 } from '#warehouse/answers/form4.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { warehouseFile, writeWarehouseFile } from '#warehouse/store/lake/views.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { ingest } from './ingest.ts'

type Row = Readonly<Record<string, unknown>>
const { world, runtime, config, lake: lakeAt } = await worldWarehouse()
const rowsOf = async (name: DatasetName): Promise<Row[]> => await (await lakeAt()).query<Row>(`select * from ${name}`, {}, { [name]: 'all' })
const keyed = (rows: readonly Row[], ...columns: string[]): Map<string, Row> =>
  new Map(rows.map(row => [columns.map(name => row[name]).join(' '), row]))
const picked = (row: Row | undefined, like: object): Row => Object.fromEntries(Object.keys(like).map(name => [name, row?.[name] ?? null]))
const held = async (): Promise<Row[]> =>
  await runtime.postgres.db.selectFrom('quarantine').select(['dataset', 'reason', 'subject', 'state']).execute()

/** Renames that a directory pair shows only as one gone and one come: no source of the universe links them. */
const unlinked = new Set(['KCX.V', 'ALC-P.V'])
/** Companies that wore a symbol before the one that wears it now. */
const worn = new Set(
  world.listings
    .filter(line => world.listings.some(other => other.symbol === line.symbol && other.from > line.from))
    .map(line => `${line.symbol} ${line.from}`),
)
const chained = (symbol: string): boolean => !world.listings.some(line => unlinked.has(line.symbol) && line.successor === symbol)

type PrintedBar = { readonly date: string; readonly close: number; readonly adjusted_close: number }
async function eod(symbol: string): Promise<readonly PrintedBar[]> {
  const answer = await buildPayload(
    'get_eod',
    await contextOf(await lakeAt(), null),
    { symbol, order: 'asc', adjust: 'none' },
    '2026-11-20T23:00:00Z',
  )
  return (JSON.parse(String(answer?.payload)) as { bars: readonly PrintedBar[] }).bars
}
/** Days that only one side has, and the worst relative difference of adjusted closes. */
function compared(got: readonly { readonly date: string; readonly adjusted_close: number }[], expected: readonly AdjustedClose[]) {
  const byDay = new Map(expected.map(bar => [bar.date, bar]))
  const days = new Set(got.map(bar => bar.date))
  const worst = got.reduce((most, bar) => Math.max(most, Math.abs(bar.adjusted_close / (byDay.get(bar.date)?.adjusted_close ?? Number.NaN) - 1)), 0)
  return {
    extra: got.filter(bar => !byDay.has(bar.date)).map(bar => bar.date),
    missing: expected.filter(bar => !days.has(bar.date)).map(bar => bar.date),
    exact: worst < 1e-9,
  }
}

describe('listings', () => {
  it('have the days, venues and names of the directories; a rename is known where a source or the same name says it', async () => {
    const rows = keyed(await rowsOf('symbols'), 'symbol', 'valid_from')
    const expected = expectedSymbols(world)
    expect(rows.size).toBe(expected.length)
    for (const listing of expected) {
      const truth = unlinked.has(listing.symbol)
        ? { ...listing, successor: null, end_reason: expect.stringMatching(/^(unknown|delisted)$/) }
        : listing
      expect(picked(rows.get(`${listing.symbol} ${listing.valid_from}`), listing)).toEqual(truth)
    }
    expect([...rows.keys()].filter(key => key.startsWith('ZVZZT'))).toEqual([])
  })
  it('of one instrument share an id through renames and moves, those of a reused symbol do not', async () => {
    const rows = await rowsOf('symbols')
    const idOf = (symbol: string) => [...new Set(rows.filter(row => row['symbol'] === symbol).map(row => row['instrument_id']))]
    expect(idOf('SWU.V')).toEqual(idOf('SWU.TO'))
    expect(idOf('CPLM')).toEqual(idOf('VLTC'))
    expect(idOf('MPT.V')).toHaveLength(2)
    expect(idOf('QT')).not.toEqual(idOf('QT.TO'))
  })
})

describe('bars', () => {
  it('are all there, as traded', async () => {
    const bars = await rowsOf('bars')
    const counts = Map.groupBy(bars, bar => String(bar['symbol']))
    expect(Object.fromEntries([...counts].map(([symbol, list]) => [symbol, list.length]))).toEqual(Object.fromEntries(expectedBarCounts(world)))
    const wrong: string[] = []
    for (const symbol of counts.keys()) {
      const byDay = keyed(counts.get(symbol) ?? [], 'date')
      const damaged = damagedBarDays(world, symbol)
      for (const { volume, volume_split_adjusted, ...bar } of expectedBars(world, symbol)) {
        const row = byDay.get(bar.date)
        if (damaged.includes(bar.date)) continue
        const same = Object.entries(bar).every(([name, value]) => row?.[name] === value)
        // A vendor that prints shares of today rounds the digits of a later reverse split away.
        const lost = volume_split_adjusted < volume ? volume / Math.max(volume_split_adjusted, 0.5) : 0
        if (!same || Math.abs(Number(row?.['volume']) - volume) > lost) wrong.push(`${symbol} ${bar.date} ${volume} ${String(row?.['volume'])}`)
      }
    }
    expect(wrong).toEqual([])
    expect(await rowsOf('bar_corrections')).toEqual([])
  })
  it('that a vendor damaged are held: a day in cents, a whole history rewritten', async () => {
    const bars = (await held()).filter(row => row['dataset'] === 'bars')
    expect(bars.map(row => `${String(row['subject'])} ${String(row['reason'])} ${String(row['state'])}`).sort()).toEqual([
      'GBG.V unit_error_100x held',
      'MGR.TO settled_history_changed held',
    ])
  })
})

describe('corporate actions', () => {
  it('give exactly the factors that follow from the true ones', async () => {
    const factors = keyed(await rowsOf('adjustment_factors'), 'symbol', 'ex_date')
    const expected = expectedFactors(world).filter(factor => chained(factor.symbol) || world.bars.size === 0)
    expect([...factors.keys()].sort()).toEqual(expected.map(factor => `${factor.symbol} ${factor.ex_date}`).sort())
    for (const factor of expected) {
      const row = factors.get(`${factor.symbol} ${factor.ex_date}`) ?? {}
      expect(picked(row, { previous_close: 0, fx_rate: 0, fx_rate_date: 0 })).toEqual(
        picked(factor, { previous_close: 0, fx_rate: 0, fx_rate_date: 0 }),
      )
      expect(Math.abs(Number(row['price_factor']) / factor.price_factor - 1)).toBeLessThan(1e-12)
      expect(Number(row['split_numerator']) / Number(row['split_denominator'])).toBeCloseTo(factor.split, 12)
    }
  })
  it('are kept as reported, the effective ones all of them', async () => {
    const rows = await rowsOf('corporate_actions')
    const days = new Set(rows.map(row => `${String(row['symbol'])} ${String(row['ex_date'])}`))
    for (const action of effectiveActions(world)) expect(days).toContain(`${action.symbol} ${action.ex_date}`)
  })
  it('that nobody else confirms, that exceed the price or were taken back are held, and change nothing', async () => {
    const actions = (await held()).filter(row => row['dataset'] === 'corporate_actions' && row['state'] === 'held')
    expect(actions.map(row => `${String(row['subject'])} ${String(row['reason'])}`).sort()).toEqual([
      'BRLC.TO|dividend|2026-10-15|0|eodhd cancelled_by_other_source',
      'CVNE.TO|dividend|2026-05-21|0|eodhd needs_second_source',
      'RRD.V|dividend|2026-08-20|0|eodhd amount_exceeds_price',
    ])
    const factors = keyed(await rowsOf('adjustment_factors'), 'symbol', 'ex_date')
    const truth = new Set(effectiveActions(world).map(action => `${action.symbol} ${action.ex_date}`))
    for (const action of ignoredActions(world))
      if (!truth.has(`${action.symbol} ${action.ex_date}`)) expect(factors.has(`${action.symbol} ${action.ex_date}`)).toBe(false)
  })
  it('in US dollars on a Toronto line wait for the rate of the day before, and are released when it comes', async () => {
    expect(await held()).toContainEqual({
      dataset: 'corporate_actions',
      reason: 'no_fx_rate',
      subject: 'CPP-UN.TO|dividend|2026-11-12|0|eodhd',
      state: 'released',
    })
    expect((await rowsOf('fx_rates')).map(({ date, rate }) => ({ date, rate })).sort((a, b) => (String(a.date) < String(b.date) ? -1 : 1))).toEqual(
      expectedRates(world),
    )
  })
})

describe('adjusted closes', () => {
  it('of every symbol agree with exact fractions, over renames and moves', async () => {
    for (const symbol of new Set(world.listings.filter(line => line.successor === null || unlinked.has(line.symbol)).map(line => line.symbol))) {
      const expected = expectedAdjusted(world, symbol, { chain: chained(symbol) })
      const reused = [...worn].find(line => line.startsWith(`${symbol} `))
      const to = reused ? world.listings.find(line => `${line.symbol} ${line.from}` === reused)?.to : null
      const mine = expected.filter(bar => !to || bar.date > to)
      const damaged = damagedBarDays(world, symbol)
      expect([symbol, compared(await eod(symbol), mine)]).toEqual([symbol, { extra: [], missing: damaged, exact: true }])
    }
  })
  it('of an old symbol are those of its instrument', async () => {
    for (const [old, now] of [
      ['SWU.V', 'SWU.TO'],
      ['CPLM', 'VLTC'],
    ] as const)
      expect(await eod(old)).toEqual(await eod(now))
  })
})

describe('filings', () => {
  it('have form, day, items and acceptance, as far as the index, the header or the list of the filer was asked for', async () => {
    const rows = keyed(await rowsOf('filings'), 'accession', 'cik')
    const expected = expectedFilings(world)
    const listed = new Set(world.issuers.map(issuer => issuer.cik))
    const unreadable = new Set(unreadableFilings(world).map(filing => filing.accession))
    expect([...rows.keys()].sort()).toEqual(expected.map(filing => `${filing.accession} ${filing.cik}`).sort())
    for (const filing of expected) {
      const row = rows.get(`${filing.accession} ${filing.cik}`)
      const own = world.filings.find(each => each.accession === filing.accession)
      const read = (own?.ownership !== null || own.documents !== null) && !unreadable.has(filing.accession)
      const { company, ...facts } = filing
      expect(String(row?.['company']).toLowerCase()).toBe(company.toLowerCase())
      if (read || listed.has(filing.cik)) expect(picked(row, facts)).toEqual(facts)
      else
        expect(picked(row, { accession: 0, form: 0, filed_date: 0, accepted_at: 0 })).toEqual({
          accession: filing.accession,
          form: filing.form,
          filed_date: filing.filed_date,
          accepted_at: null,
        })
      if (row?.['accepted_at'] !== null) expect([row?.['known_from'], row?.['known_basis']]).toEqual([filing.accepted_at, 'accepted'])
    }
  })
  it('that cannot be read are quarantined, and every other document is read', async () => {
    const readings = await runtime.postgres.db
      .selectFrom('reading')
      .innerJoin('raw_document', 'raw_document.raw_id', 'reading.raw_id')
      .select(['url', 'state'])
      .where('state', '<>', 'read')
      .execute()
    const cut = unreadableFilings(world).filter(filing => filing.oddity === 'truncated')
    expect(readings.map(({ url, state }) => `${state} ${url.split('/').at(-1)}`)).toEqual(cut.map(filing => `unreadable ${filing.accession}.txt`))
    const subjects = (await held()).filter(row => row['dataset'] === 'filings')
    expect(subjects).toEqual(
      cut.map(filing => ({ dataset: 'filings', reason: 'truncated', subject: expect.stringContaining(filing.accession), state: 'held' })),
    )
  })
})

describe('insiders', () => {
  it('report every line of both tables, digits as filed, footnotes at the fields that cite them', async () => {
    for (const [name, expected] of [
      ['insider_transactions', expectedInsiderTransactions(world)],
      ['insider_holdings', expectedInsiderHoldings(world)],
    ] as const) {
      const rows = keyed(await rowsOf(name), 'accession', 'line')
      expect([...rows.keys()].sort()).toEqual(expected.map(line => `${line.accession} ${line.line}`).sort())
      for (const { transaction, footnote_ids, ...line } of expected) {
        const row = rows.get(`${line.accession} ${line.line}`)
        const cited = (row?.['footnotes'] ?? []) as readonly { id: string }[]
        expect({ ...picked(row, line), footnote_ids: [...new Set(cited.map(note => note.id))].sort() }).toEqual({ ...line, footnote_ids })
        expect(transaction).toBe(name === 'insider_transactions')
      }
    }
  })
  it('amend by links: what a 4/A restates is marked, nothing is deleted', async () => {
    const context = await contextOf(await lakeAt(), null)
    const marked: string[] = []
    for (const cik of new Set(expectedInsiderTransactions(world).map(line => line.issuer_cik))) {
      const { body } = await buildForm4(context, { cik, limit: 1000 })
      const { transactions } = body as {
        transactions: readonly { accession: string; line: number; amends: string | null; amended_by: string | null }[]
      }
      expect(transactions).toHaveLength(expectedInsiderTransactions(world).filter(line => line.issuer_cik === cik).length)
      for (const { accession, line, amended_by } of transactions) if (amended_by) marked.push(`${accession} ${line} by ${amended_by}`)
      for (const amendment of expectedAmendments(world)) {
        const lines = transactions.filter(each => each.accession === amendment.accession)
        expect(lines.filter(each => each.amends !== amendment.amends)).toEqual([])
      }
    }
    expect(marked).toEqual(
      expectedAmendments(world).flatMap(({ accession, amends, replaces }) => replaces.map(each => `${amends} ${each.original_line} by ${accession}`)),
    )
  })
})

describe("the analyst's warehouse.duckdb", () => {
  let instance: DuckDBInstance
  const query = async (sql: string): Promise<Row[]> => {
    const connection = await instance.connect()
    try {
      return await queryRows<Row>(connection, sql)
    } finally {
      connection.closeSync()
    }
  }
  beforeAll(async () => {
    await writeWarehouseFile(config.dataFolder, await loadCatalogue(runtime.postgres.db))
    instance = await DuckDBInstance.create(warehouseFile(config.dataFolder), { access_mode: 'READ_ONLY' })
  })
  afterAll(() => instance.closeSync())

  it('says of every view what its rows are', async () => {
    const views = await query('select view_name, comment from duckdb_views() where not internal')
    expect(views.length).toBeGreaterThan(20)
    expect(views.filter(view => typeof view['comment'] !== 'string' || view['comment'].length < 20)).toEqual([])
  })
  it('adjusts every bar as the exact fractions do: over renames, and each company of a reused symbol by its own actions', async () => {
    const bars = keyed(await query('select symbol, date, adjusted_close, split_close from bars_adjusted'), 'symbol', 'date')
    let count = 0
    const wrong: string[] = []
    for (const line of world.listings) {
      const last = lastOf(line.symbol, line.from)
      for (const bar of expectedAdjusted(world, last, { chain: chained(last) })) {
        if (bar.date < line.from || (line.to !== null && bar.date > line.to) || damagedBarDays(world, line.symbol).includes(bar.date)) continue
        const row = bars.get(`${line.symbol} ${bar.date}`)
        const off = Math.max(
          Math.abs(Number(row?.['adjusted_close']) / bar.adjusted_close - 1),
          Math.abs(Number(row?.['split_close']) / bar.split_close - 1),
        )
        count += 1
        if (!(off < 1e-9)) wrong.push(`${line.symbol} ${bar.date}`)
      }
    }
    expect(wrong).toEqual([])
    expect(count).toBe(bars.size)
  })
  const orders = { bars_adjusted: 'date', applied_actions: 'ex_date, kind, sequence, source_name', dividends: 'ex_date, kind, source_name' }
  it.each(Object.entries(orders))('gives the same rows of one symbol by the macro of %s, which reads no more than these', async (view, order) => {
    // The order in which DuckDB multiplies factors decides on the last digit.
    const rounded = (rows: readonly Row[]) =>
      rows.map(row => Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? value.toPrecision(12) : value]))
    const all = await query(`select * from ${view} order by symbol, ${order}`)
    const symbols = [...new Set(all.map(row => String(row['symbol'])))]
    expect(symbols.length).toBeGreaterThan(20)
    for (const symbol of symbols)
      expect(rounded(await query(`select * from ${view}_of('${symbol}')`))).toEqual(rounded(all.filter(row => row['symbol'] === symbol)))
    expect(await query(`select * from ${view}_of('NOSUCH')`)).toEqual([])
  })
  it('lists the actions that are in prices, each once: those that the factors name, with their factor', async () => {
    const listed = await query('select *, release_from::int as release from applied_actions')
    const kinds = new Set(listed.map(row => row['kind']))
    for (const kind of ['split', 'dividend', 'spinoff']) expect(kinds).toContain(kind)
    const factors = await query("select symbol, ex_date, price_factor, actions from adjustment_factors where convention = 'yahoo_crsp'")
    const named = factors.flatMap(({ symbol, ex_date, price_factor, actions }) =>
      (actions as string[]).map(action => `${symbol} ${ex_date} ${action} ${price_factor}`),
    )
    const shown = listed.map(
      row => `${row['symbol']} ${row['ex_date']} ${row['kind']}:${row['source_name']}:${row['sequence']} ${row['price_factor']}`,
    )
    expect(named.length).toBeGreaterThan(100)
    expect(shown.toSorted()).toEqual(named.toSorted())
    const doubled = listed.find(row => row['kind'] === 'split' && row['numerator_printed'] === '2' && row['denominator_printed'] === '1')
    expect(doubled?.['split_factor']).toBe(0.5)
  })
  it('sums what was paid in dividends: each distribution once, as the factors hold it', async () => {
    const paid = await query(
      `select symbol, ex_date, sum(amount_in_price_currency)::double as cash, count(distinct source_name) as sources, count(*) as rows
       from dividends group by all`,
    )
    const factors = await query(
      'select symbol, ex_date, cash_amount_printed as cash from adjustment_factors where cash_amount_printed is not null and not spinoff',
    )
    const byDay = keyed(paid, 'symbol', 'ex_date')
    expect(factors.length).toBeGreaterThan(100)
    expect(paid.length).toBe(factors.length)
    for (const factor of factors)
      expect(Number(byDay.get(`${factor['symbol']} ${factor['ex_date']}`)?.['cash'])).toBeCloseTo(Number(factor['cash']), 7)
    // The ledger counts every source and every repeated report.
    const [ledger] = await query("select count(*) as n from corporate_actions where kind in ('dividend', 'special_dividend') and not cancelled")
    expect(Number(ledger?.['n'])).toBeGreaterThan(paid.reduce((sum, row) => sum + Number(row['rows']), 0))
    const [today] = await query('select count(*) as n from dividends where amount_split_adjusted is null or amount is null or currency is null')
    expect(Number(today?.['n'])).toBe(0)
  })
  it('holds the insider lines and the filings', async () => {
    expect(await query('select count(*) as n from insider_transactions')).toEqual([{ n: expectedInsiderTransactions(world).length }])
    expect(await query('select count(*) as n from filings')).toEqual([{ n: expectedFilings(world).length }])
  })
  /** The symbol that the instrument of a listing wears last, as far as sources link it. */
  function lastOf(symbol: string, from: string): string {
    const line = world.listings.find(each => each.symbol === symbol && each.from === from)
    const next =
      line?.successor && !unlinked.has(symbol) ? world.listings.find(each => each.symbol === line.successor && each.from > from) : undefined
    return next ? lastOf(next.symbol, next.from) : symbol
  }
})

describe("an operator's list of renames", () => {
  it('joins what no source links, and the factors and adjusted closes follow', async () => {
    const body = Buffer.from('from,to,date\nKCX.V,KCG.V,2026-04-15\nALC-P.V,SBF.V,2026-01-12\n')
    const document = {
      source: 'csv',
      url: 'file:renames.csv',
      retrieved_at: '2026-11-20T18:00:00Z',
      status: 200,
      headers: {},
      body,
      sha256: sha256Hex(body),
    }
    const [kept] = await runtime.raw.keep([document])
    const outcome = await ingest(runtime.tools, {
      job: 'drop-in',
      partition: document.url,
      documents: [{ raw_id: kept?.raw_id ?? 0, document }],
      decisions: new Map(),
      fence: null,
    })
    expect(outcome.refused).toEqual([])
    for (const symbol of ['KCG.V', 'SBF.V'])
      expect(compared(await eod(symbol), expectedAdjusted(world, symbol, { chain: true }))).toEqual({ extra: [], missing: [], exact: true })
    const kept10 = keyed(await rowsOf('adjustment_factors'), 'symbol', 'ex_date').get('KCG.V 2026-04-15')
    expect(picked(kept10, { price_factor: 0, previous_close: 0 })).toEqual({ price_factor: 10, previous_close: 0.12 })
  })
})
