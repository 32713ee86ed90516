// `crossfile correct`: one value of a filing corrected, shown beside what was filed, dated, signed, undone and rebuilt.
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { answersOf } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import type { DatasetName } from '#schemas/index.ts'
import { buildDelisting } from '#warehouse/answers/delisting.ts'
import type { LakeOperation } from '#warehouse/answers/index.ts'
import { issuerTickers } from '#warehouse/context/issuer.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { warehouseFile } from '#warehouse/store/lake/views.ts'
import { reproduce } from '../ingest/reproduce.ts'
import { buildDueModels } from '../jobs/models/models.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const warehouse = await worldWarehouse()
const { runtime, lake } = warehouse
const { db } = runtime.postgres
const data = warehouse.config.dataFolder
const env = {
  CROSSFILE_DATA: data,
  DATABASE_URL: warehouse.config.databaseUrl?.reveal() ?? '',
  CROSSFILE_DUCKDB_MEMORY: '512MB',
  CROSSFILE_DUCKDB_THREADS: '1',
}
type Json = Readonly<Record<string, unknown>>
const run = async (...argv: string[]) => {
  const io = keptIo(env)
  const code = await main(argv, io, env)
  return { code, io, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}
const evidence = 'https://www.example.com/statement.pdf'
const correct = async (...argv: string[]) => await run('correct', ...argv, '--reason', 'decimal point', '--evidence', evidence)

const { payloadOf, sign: signed } = answersOf(warehouse)
/** The answer of an operation at a release and as_of, as the API prints it. */
const answerOf = async (id: LakeOperation, requested: Json, release?: number): Promise<Json> =>
  JSON.parse((await payloadOf(id, requested, release)).payload.payload.toString('utf8')) as Json
async function viewed(sql: string): Promise<Json[]> {
  const instance = await DuckDBInstance.create(warehouseFile(data), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Json[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
const rowsOf = async (name: DatasetName, where: string): Promise<Json[]> =>
  await (await lake()).query<Json>(`select * from ${name} where ${where}`, { as_of: null }, { [name]: 'all' })

const insider = (
  await rowsOf(
    'insider_transactions',
    "issuer_symbol = 'BRLX' and price is not null and shares is not null and code = 'P' order by filing_id, line limit 1",
  )
)[0]
if (!insider) throw new TypeError('the universe has no purchase of BRLX')
const filing = String(insider['filing_id'])
const line = String(insider['line'])
const form4 = { ticker: 'BRLX', limit: '1000' }
const transactionOf = (answer: Json): Json =>
  (answer['transactions'] as Json[]).find(row => row['filing_id'] === filing && String(row['line']) === line) as Json

describe('a price of a Form 4', () => {
  let before = ''
  let releaseBefore = 0
  let knownFrom = ''
  test('a dry run says what would change and writes nothing', async () => {
    releaseBefore = (await lake()).release
    const dry = await correct(filing, 'price', '7.25', '--line', line, '--dry-run', '--json')
    expect([dry.code, dry.io.json()]).toMatchObject([
      0,
      {
        filing,
        dry_run: true,
        release: null,
        changes: [{ dataset: 'insider_transactions', row_key: line, field: 'price', value: '"7.25"', before: insider['price'] }],
      },
    ])
    expect((await lake()).release).toBe(releaseBefore)
    expect((await run('correct', '--list')).out).toBe('no filing has a correction')
  })

  test('the answer shows the corrected value with what was filed; release and as_of before give the filed one', async () => {
    before = await signed('get_form4', form4)
    const done = await correct(filing, 'price', '7.25', '--line', line, '--json')
    expect(done.code).toBe(0)
    const [version] = await rowsOf('filing_corrections', 'true')
    knownFrom = String(version?.['known_from'])
    expect(transactionOf(await answerOf('get_form4', form4))).toMatchObject({
      price: 7.25,
      shares: Number(insider['shares']),
      known_from: insider['known_from'],
      corrected: [{ field: 'price', filed: Number(insider['price']), value: 7.25, reason: 'decimal point', evidence, known_from: knownFrom }],
    })
    const filed = transactionOf(await answerOf('get_form4', form4, releaseBefore))
    expect(filed['price']).toBe(Number(insider['price']))
    expect(filed).not.toHaveProperty('corrected')
    const earlier = new Date(Date.parse(knownFrom) - 1000).toISOString()
    const asOf = transactionOf(await answerOf('get_form4', { ...form4, as_of: earlier }))
    expect(asOf['price']).toBe(Number(insider['price']))
    expect(asOf).not.toHaveProperty('corrected')
    expect(transactionOf(await answerOf('get_form4', { ...form4, as_of: knownFrom }))['price']).toBe(7.25)
  })

  test('receipts of before and of after are reproduced from raw documents', async () => {
    const after = await signed('get_form4', form4)
    expect(after).not.toBe(before)
    for (const id of [before, after]) expect(await reproduce(runtime.tools, runtime.raw, id)).toMatchObject({ reproduced: true, reason: null })
  })

  test('the screener is built once for the correction, and is not due again', async () => {
    const tools = { db, writer: runtime.tools.writer }
    await buildDueModels(tools, Date.parse('2026-11-24T00:00:00Z'), true)
    expect(await buildDueModels(tools, Date.parse('2026-11-24T00:00:00Z'), true)).toEqual([])
  })

  test('a row of the screener names the corrected line behind its figures, and no other issuer’s does', async () => {
    const requested = { fields: 'ownership', filter: 'insider_buys_90d is not null', limit: '100' }
    const rows = (await answerOf('run_screener', requested))['data'] as Json[]
    const named = rows.filter(row => 'corrected' in row)
    const correction = { filing_id: filing, dataset: 'insider_transactions', line, field: 'price', value: 7.25 }
    // The issuer's lines on both sides of the border have the trades of its insiders.
    expect(named.map(({ code, corrected }) => ({ code, corrected }))).toMatchObject([
      { code: 'BRLC.TO', corrected: [correction] },
      { code: 'BRLX', corrected: [correction] },
    ])
    const before = (await answerOf('run_screener', requested, releaseBefore))['data'] as Json[]
    expect(before.some(row => 'corrected' in row)).toBe(false)
    const closes = (await answerOf('run_screener', { fields: 'close', limit: '100' }))['data'] as Json[]
    expect(closes.some(row => 'corrected' in row)).toBe(false)
  })

  test('the stored page of the issuer is made again', async () => {
    const pages = await db
      .selectFrom('page')
      .select(['release_from', 'payload'])
      .where('operation', '=', 'get_form4')
      .where('question', 'like', '%BRLX%')
      .orderBy('release_from', 'desc')
      .execute()
    expect(pages[0]?.release_from).toBeGreaterThan(releaseBefore)
  })

  test('the analyst reads the corrected value, and the filed one in the history', async () => {
    const where = `filing_id = '${filing}' and line = ${line}`
    expect(await viewed(`select price_printed from insider_transactions where ${where}`)).toEqual([{ price_printed: '7.25' }])
    expect(await viewed(`select price from insider_transactions_history where ${where}`)).toEqual([{ price: insider['price'] }])
    expect(await viewed('select field, filed, value from filing_corrections')).toEqual([
      { field: 'price', filed: JSON.stringify(insider['price']), value: '"7.25"' },
    ])
  })

  test('the code is corrected with its class, and an undoing gives both back', async () => {
    expect((await correct(filing, 'code', 'S', '--line', line)).code).toBe(0)
    expect(transactionOf(await answerOf('get_form4', form4))).toMatchObject({
      code: 'S',
      code_class: 'open_market_sell',
      price: 7.25,
      corrected: [{ field: 'code' }, { field: 'code_class', filed: 'open_market_buy' }, { field: 'price' }],
    })
    const refused = await run('correct', filing, 'code_class', '--undo', '--line', line, '--reason', 'x')
    expect([refused.code, refused.err]).toMatchObject([2, expect.stringContaining('follows from the correction of insider_transactions.code')])
    expect((await run('correct', filing, 'code', '--undo', '--line', line, '--reason', 'the filing is right')).code).toBe(0)
    const row = transactionOf(await answerOf('get_form4', form4))
    expect(row).toMatchObject({ code: 'P', code_class: 'open_market_buy', corrected: [{ field: 'price' }] })
    expect((await run('correct', '--list', filing)).out).toContain('undone')
  })
})

describe('a row of a 13F', () => {
  const manager = { cik: '0009980001', period: '2026Q2', limit: '1000' }
  test('dollars, sums, changes and holders follow the corrected value', async () => {
    const was = await answerOf('get_13f_manager', manager)
    const [row] = was['holdings'] as Json[]
    const report = (was['reports'] as Json[]).find(each => each['filing_id'] === row?.['filing_id']) as Json
    const place = [String(row?.['filing_id']), '--line', String(row?.['line'])] as const
    const changes = await answerOf('get_13f_changes', manager)
    const done = await correct(place[0], 'value', '1000', ...place.slice(1), '--json')
    expect(done.code).toBe(0)
    const fields = (done.io.json<{ changes: Json[] }>().changes as Json[]).map(each => `${each['dataset']}.${each['field']}`)
    expect(fields).toEqual(expect.arrayContaining(['holdings.value', 'holdings.value_usd', 'holdings_reports.value_sum']))
    const now = await answerOf('get_13f_manager', manager)
    const changed = (now['holdings'] as Json[]).find(each => each['filing_id'] === row?.['filing_id'] && each['line'] === row?.['line']) as Json
    const scale = report['unit'] === 'thousands' ? 1000 : 1
    expect(changed).toMatchObject({ value: 1000, value_usd: 1000 * scale, shares: row?.['shares'] })
    expect(changed['corrected']).toMatchObject([{ field: 'value', filed: row?.['value'], value: 1000 }, { field: 'value_usd' }])
    const lost = Number(row?.['value_usd']) - 1000 * scale
    expect(Number((now['totals'] as Json)['value_usd'])).toBeCloseTo(Number((was['totals'] as Json)['value_usd']) - lost, 6)
    const reportNow = (now['reports'] as Json[]).find(each => each['filing_id'] === row?.['filing_id']) as Json
    expect(Number(reportNow['value_sum'])).toBeCloseTo(Number(report['value_sum']) - lost / scale, 6)
    const of = (answer: Json): Json =>
      (answer['changes'] as Json[]).find(each => each['cusip'] === row?.['cusip'] && each['put_call'] === row?.['put_call']) as Json
    const changesNow = of(await answerOf('get_13f_changes', manager))
    expect(Number(of(changes)['value_usd']) - Number(changesNow['value_usd'])).toBeCloseTo(lost, 6)
    expect(changesNow['corrected']).toMatchObject([
      { filing_id: row?.['filing_id'], line: String(row?.['line']), field: 'value' },
      { field: 'value_usd' },
    ])
    const holders = (await answerOf('get_13f_issuer', { query: String(row?.['cusip']), period: '2026Q2' }))['holders'] as Json[]
    expect(holders.find(each => each['manager_cik'] === manager.cik && each['value'] === 1000)).toMatchObject({
      corrected: [{ field: 'value' }, { field: 'value_usd' }],
    })
    const receipt = await signed('get_13f_changes', manager)
    expect(await reproduce(runtime.tools, runtime.raw, receipt)).toMatchObject({ reproduced: true, reason: null })
  })
})

describe('terms of an offering and a stake of a Schedule 13D', () => {
  test('an offering has one row: it needs no line, and a list is given as JSON', async () => {
    const [offering] = await rowsOf('offerings', 'true order by filed_date desc, accession limit 1')
    const accession = String(offering?.['accession'])
    const firm = [{ name: 'Northgate Securities Inc.', role: 'agent', lead: true, shares: null }]
    expect((await correct(accession, 'lock_up_days', '90', '--dataset', 'offerings')).code).toBe(0)
    expect((await correct(accession, 'underwriters', JSON.stringify(firm))).code).toBe(0)
    const answer = await answerOf('get_s1', { ticker: String(Number(offering?.['cik'])).padStart(10, '0'), accession })
    expect(answer['offering']).toMatchObject({
      lock_up_days: 90,
      underwriters: firm,
      corrected: [
        { field: 'lock_up_days', filed: offering?.['lock_up_days'], value: 90 },
        { field: 'underwriters', value: firm },
      ],
    })
    const day = String(offering?.['filed_date'])
    const calendar = await answerOf('list_ipo_calendar', { from: day, to: day })
    const deal = (calendar['ipos'] as Json[]).find(each => each['file_number'] === offering?.['file_number'])
    expect(deal).toMatchObject({
      underwriters: ['Northgate Securities Inc.'],
      corrected: [
        { filing_id: accession, dataset: 'offerings', field: 'lock_up_days', value: 90 },
        { filing_id: accession, dataset: 'offerings', field: 'underwriters', value: firm },
      ],
    })
  })

  test('a person of a schedule', async () => {
    const context = await contextOf(await lake(), null)
    const stakes = await rowsOf('ownership_persons', 'percent is not null order by filing_id, line')
    const schedules = await rowsOf('ownership_schedules', 'true order by known_from desc, filing_id')
    const schedule = schedules.find(
      each => issuerTickers(context, String(each['issuer_cik'])).length > 0 && stakes.some(stake => stake['filing_id'] === each['filing_id']),
    )
    const [ticker] = issuerTickers(context, String(schedule?.['issuer_cik']))
    const person = stakes.find(stake => stake['filing_id'] === schedule?.['filing_id'])
    const id = String(person?.['filing_id'])
    const done = await correct(id, 'percent', '13.25', '--line', String(person?.['line']), '--dataset', 'ownership_persons')
    expect([done.code, done.err]).toEqual([0, ''])
    const [row] = await rowsOf('ownership_persons', `filing_id = '${id}' and line = ${String(person?.['line'])}`)
    expect(row?.['percent']).toBe('13.25')
    expect(row?.['raw_sha256']).toBe(person?.['raw_sha256'])
    const { body } = await buildDelisting(await contextOf(await lake(), null), DelistingRiskRequest.parse({ ticker }), undefined)
    expect(JSON.parse(JSON.stringify(body.float))).toMatchObject({
      corrected: [{ filing_id: id, dataset: 'ownership_persons', line: String(person?.['line']), field: 'percent', value: 13.25 }],
    })
  })
})

describe('what does not fit is refused, with nothing written', () => {
  test.each([
    [['0001111111-26-000001', 'price', '1'], 'filing 0001111111-26-000001 has no stored row'],
    [[filing, 'prise', '1', '--line', line], 'did you mean price?'],
    [[filing, 'prise', '1', '--line', line], 'fields: '],
    [[filing, 'issuer_cik', '0000000001', '--line', line], 'cannot be corrected: it names the issuer'],
    [[filing, 'price', '1,00,0', '--line', line], 'expected a decimal number'],
    [[filing, 'price', '7.25', '--line', line], 'is 7.25 already'],
    [[filing, 'transaction_date', '2026-02-30', '--line', line], 'cannot be 2026-02-30'],
    [[filing, 'code', 'Q', '--line', line], 'not a transaction code'],
    [[filing, 'acquired_disposed', 'B', '--line', line], 'cannot be B'],
    [[filing, 'line', '9', '--line', line], 'cannot be corrected'],
    [[filing, 'price', '1', '--line', '99'], `has no line 99`],
    [[filing, 'price', '', '--line', line], 'the value is empty'],
    [[filing, 'derivative', 'perhaps', '--line', line], 'expected true or false'],
    [[filing, 'price', '1', '--line', line, '--dataset', 'bars'], '--dataset "bars" is not known'],
  ])('%j', async (argv, message) => {
    const { release } = await lake()
    const refused = await correct(...argv)
    expect([refused.code, refused.err]).toMatchObject([expect.any(Number), expect.stringContaining(message)])
    expect(refused.code).not.toBe(0)
    expect((await lake()).release).toBe(release)
  })
  test('reason and evidence are needed', async () => {
    expect((await run('correct', filing, 'price', '1', '--line', line, '--evidence', evidence)).err).toContain('--reason is missing')
    expect((await run('correct', filing, 'price', '1', '--line', line, '--reason', 'x')).err).toContain('--evidence is missing')
    expect((await run('correct', filing, 'price', '1', '--line', line, '--reason', 'x', '--evidence', 'javascript:1')).err).toContain(
      'is not a web address',
    )
    expect((await run('correct', filing, 'shares', '--undo', '--line', line, '--reason', 'x')).err).toContain('nothing to undo')
    expect((await run('correct')).err).toContain('the filing is missing')
  })
})

test('a rebuild from raw gives the same digests, corrections included', async () => {
  const rebuilt = await run('rebuild', '--json')
  expect([rebuilt.code, rebuilt.io.json()]).toMatchObject([0, { equal: true }])
})
