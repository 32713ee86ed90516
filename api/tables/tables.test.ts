import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from '@uwdata/flechette'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readWorkbook } from '#fixtures/tables/workbook.ts'
import { operations } from '#schemas/operations.ts'
import { formatsOf } from '../plugins/formats.ts'
import { type Column, columnsOf } from './columns.ts'
import { renderAnswer } from './in-thread.ts'
import { type RenderJob, render } from './render.ts'
import { isDouble, microseconds, unscaled } from './table.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-tables-'))
let duckdb: Awaited<ReturnType<DuckDBInstance['connect']>>
beforeAll(async () => {
  duckdb = await (await DuckDBInstance.create(':memory:')).connect()
})
afterAll(() => {
  duckdb.closeSync()
  rmSync(folder, { recursive: true, force: true })
})

const columns: readonly Column[] = [
  { name: 'cik', kind: 'text' },
  { name: 'filed_date', kind: 'day' },
  { name: 'accepted_at', kind: 'instant' },
  { name: 'shares', kind: 'integer' },
  { name: 'close', kind: 'real' },
  { name: 'amount', kind: 'decimal' },
  { name: 'halted', kind: 'boolean' },
]
const aBody = `{"count":3,"rows":[
  {"cik":"0009990001","filed_date":"2026-11-18","accepted_at":"2026-11-18T21:04:11.123456Z","shares":123456789012345678,"close":41.370,"amount":1000.50,"halted":true,"nested":{"deep":"x","list":[{"a":1.50},"b"]}},
  {"cik":"=1+1","filed_date":"1899-12-31","accepted_at":"2026-11-18T21:04:11Z","shares":-5,"close":0.1,"amount":-0.000000000001,"halted":false,"nested":null},
  {"cik":null,"filed_date":null,"accepted_at":null,"shares":null,"close":null,"amount":null,"halted":null}],
  "note":"=cmd|calc","next_cursor":null,"as_of":"2026-11-20T21:04:11Z","release":7,"receipt_id":"r1_abc",
  "sources":[{"name":"SEC EDGAR","accession":"0009990001-26-000034","url":null}]}`
const job = (format: RenderJob['format'], body = aBody, given: readonly Column[] = columns): RenderJob => ({
  format,
  body: Buffer.from(body),
  main: 'rows',
  columns: given,
  question: 'GET /api/v1/data/rows?ticker=BRLX',
  summary: 'Rows of a test',
  createdBy: 'crossfile 0.0.0',
  baseUrl: 'http://127.0.0.1:8080',
  notes: [],
})
const bytesOf = async (...given: Parameters<typeof job>): Promise<Uint8Array> => (await render(job(...given))).bytes
async function inDuckdb(sql: string, bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const file = join(folder, 'answer.parquet')
  writeFileSync(file, bytes)
  await duckdb.run("set TimeZone = 'UTC'")
  return (await duckdb.runAndReadAll(sql, { file })).getRowObjectsJson()
}

describe('columns of operations', () => {
  const listed = operations.filter(operation => formatsOf(operation).includes('parquet') && operation.answer !== null)
  it('are the kinds that the schemas state', () => {
    const eod = Object.fromEntries(columnsOf(operations.find(each => each.id === 'get_eod')!).map(({ name, kind }) => [name, kind]))
    expect(eod).toMatchObject({ date: 'day', open: 'real', volume: 'real', basis: 'text' })
    const form4 = Object.fromEntries(columnsOf(operations.find(each => each.id === 'get_form4')!).map(({ name, kind }) => [name, kind]))
    expect(form4).toMatchObject({ accession: 'text', transaction_date: 'day', shares: 'decimal', price: 'decimal', known_from: 'instant' })
  })
  it.each(listed.map(operation => [operation.id, operation] as const))('%s: identifiers are text, no name is there twice', (_, operation) => {
    const own = columnsOf(operation)
    expect(own.filter(({ name, kind }) => /(^|[._])(cik|cusip|accession|isin|figi|lei|symbol|ticker)$/.test(name) && kind !== 'text')).toEqual([])
    expect(new Set(own.map(({ name }) => name)).size).toBe(own.length)
  })
})

describe('a workbook', () => {
  it('has text for identifiers, days as days, digits as printed, and where the answer comes from', async () => {
    const { sheets, parts } = readWorkbook(await bytesOf('xlsx'))
    expect([...sheets.keys()]).toEqual(['rows', 'about'])
    const [header = [], first = [], second = []] = sheets.get('rows') ?? []
    expect(header.map(cell => cell?.value)).toEqual([...columns.map(({ name }) => name), 'nested.deep', 'nested.list'])
    expect(first).toEqual([
      { type: 's', value: '0009990001', format: '@' },
      // Days since 1899-12-30.
      { type: 'n', value: '46344', format: 'yyyy-mm-dd' },
      { type: 's', value: '2026-11-18T21:04:11.123456Z', format: '@' },
      { type: 's', value: '123456789012345678', format: '@' },
      { type: 'n', value: '41.37', format: null },
      { type: 'n', value: '1000.5', format: '0.00' },
      { type: 'b', value: '1', format: null },
      { type: 's', value: 'x', format: '@' },
      { type: 's', value: '[{"a":1.50},"b"]', format: '@' },
    ])
    expect(second[0]).toEqual({ type: 's', value: '=1+1', format: '@' })
    // Excel has no calendar before March 1900.
    expect(second[1]).toEqual({ type: 's', value: '1899-12-31', format: '@' })
    const at = Number(second[2]?.value)
    expect(new Date(Math.round((at - 25569) * 86_400_000)).toISOString()).toBe('2026-11-18T21:04:11.000Z')
    const about = (sheets.get('about') ?? []).map(([name, value]) => [name?.value, value?.value])
    expect(about).toContainEqual(['question', 'GET /api/v1/data/rows?ticker=BRLX'])
    expect(about).toContainEqual(['release', '7'])
    expect(about).toContainEqual(['receipt_id', 'r1_abc'])
    expect(about).toContainEqual(['verify', 'http://127.0.0.1:8080/api/v1/lineage/verify/r1_abc'])
    expect(about).toContainEqual(['sources', 'name: SEC EDGAR, accession: 0009990001-26-000034'])
    expect(about).toContainEqual(['note', '=cmd|calc'])
    expect([...parts.values()].join('')).not.toMatch(/<f[ >]/)
  })
  it('never holds a formula, and keeps every text that XML can hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { minLength: 1, maxLength: 20 }), async texts => {
        const hostile = [...texts, '=1+1', '@SUM(A1)', '+1', '-1', '\t=1', '_x0041_', 'constructor', '__proto__', '<f>1</f>', ']]>', '＝1']
        const body = JSON.stringify({ rows: hostile.map(text => ({ text })) })
        const { sheets, parts } = readWorkbook(await bytesOf('xlsx', body, [{ name: 'text', kind: 'text' }]))
        for (const part of parts.values()) expect(part).not.toMatch(/<f[ >]/)
        const cells = (sheets.get('rows') ?? []).slice(1).map(([cell]) => cell ?? null)
        for (const [at, text] of hostile.entries()) {
          expect(cells[at]?.type ?? 's').toBe('s')
          if (/^[\x20-\x7e]+$/.test(text)) expect(cells[at]).toEqual({ type: 's', value: text, format: '@' })
        }
      }),
      { numRuns: 60 },
    )
  })
  it('cuts a text that no cell holds, and says so', async () => {
    const { sheets } = readWorkbook(await bytesOf('xlsx', JSON.stringify({ rows: [{ text: 'x'.repeat(40_000) }] }), [{ name: 'text', kind: 'text' }]))
    expect(sheets.get('rows')?.[1]?.[0]?.value).toHaveLength(32_767)
    expect(JSON.stringify(sheets.get('about'))).toContain('cut at 32767 characters')
  })
  it('is the same bytes whenever and wherever it is made', async () => {
    const [first, second] = [await bytesOf('xlsx'), await bytesOf('xlsx')]
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(true)
    // A ZIP file writes local times unless they are set.
    expect(Buffer.from(first).readUInt32LE(10)).toBe(0x00210000)
  })
})

describe('Parquet', () => {
  it('has the types of the schema and every digit, as DuckDB reads it', async () => {
    const bytes = await bytesOf('parquet')
    const types = await inDuckdb('select column_name, column_type from (describe select * from read_parquet($file))', bytes)
    expect(Object.fromEntries(types.map(each => [each['column_name'], each['column_type']]))).toEqual({
      cik: 'VARCHAR',
      filed_date: 'DATE',
      accepted_at: 'TIMESTAMP WITH TIME ZONE',
      shares: 'BIGINT',
      close: 'DOUBLE',
      amount: 'DECIMAL(38,12)',
      halted: 'BOOLEAN',
      'nested.deep': 'VARCHAR',
      'nested.list': 'VARCHAR',
    })
    // As a timestamp in UTC: the client prints one with a time zone in that of the machine.
    const rows = await inDuckdb("select * replace (accepted_at at time zone 'UTC' as accepted_at) from read_parquet($file)", bytes)
    expect(rows[0]).toMatchObject({
      cik: '0009990001',
      filed_date: '2026-11-18',
      shares: '123456789012345678',
      close: 41.37,
      amount: '1000.500000000000',
    })
    expect(rows[0]).toMatchObject({ accepted_at: '2026-11-18 21:04:11.123456', halted: true, 'nested.list': '[{"a":1.50},"b"]' })
    expect(rows[1]).toMatchObject({ cik: '=1+1', filed_date: '1899-12-31', amount: '-0.000000000001', 'nested.deep': null })
    expect(Object.values(rows[2] ?? {}).every(value => value === null)).toBe(true)
  })
  it('carries question, release, receipt and sources as metadata', async () => {
    const rows = await inDuckdb('select decode(key) as name, decode(value) as text from parquet_kv_metadata($file)', await bytesOf('parquet'))
    const metadata = Object.fromEntries(rows.map(each => [each['name'], each['text']]))
    expect(metadata).toMatchObject({
      'crossfile.question': 'GET /api/v1/data/rows?ticker=BRLX',
      'crossfile.release': '7',
      'crossfile.receipt_id': 'r1_abc',
    })
    expect(JSON.parse(String(metadata['crossfile.sources']))).toEqual([{ name: 'SEC EDGAR', accession: '0009990001-26-000034', url: null }])
  })
  it('has a column as text if its kind cannot carry a value, and names it', async () => {
    const body = '{"rows":[{"amount":1.0000000000001,"close":12345678901234567890.12},{"amount":2,"close":1}]}'
    const bytes = await bytesOf('parquet', body, [
      { name: 'amount', kind: 'decimal' },
      { name: 'close', kind: 'real' },
    ])
    expect(await inDuckdb('select * from read_parquet($file)', bytes)).toEqual([
      { amount: '1.0000000000001', close: '12345678901234567890.12' },
      { amount: '2', close: '1' },
    ])
    const [named] = await inDuckdb("select decode(value) as text from parquet_kv_metadata($file) where decode(key) = 'crossfile.text_columns'", bytes)
    expect(named).toEqual({ text: 'amount,close' })
  })
  it('of no row has its columns', async () => {
    const bytes = await bytesOf('parquet', '{"rows":[]}')
    expect(await inDuckdb('select * from read_parquet($file)', bytes)).toEqual([])
    expect(await inDuckdb('select column_name from (describe select * from read_parquet($file))', bytes)).toHaveLength(columns.length)
  })
  it('of each example has its rows and the columns of its operation', async () => {
    for (const operation of operations) {
      const answer = operation.example.answer as Record<string, unknown> | null
      if (!formatsOf(operation).includes('parquet') || operation.answer === null || answer === null || operation.tag === 'Agents') continue
      const given = { ...job('parquet', JSON.stringify(answer), columnsOf(operation)), main: operation.rows }
      const main = operation.rows === null ? null : answer[operation.rows]
      const { bytes } = await render(given)
      const rows = await inDuckdb('select * from read_parquet($file)', bytes)
      expect([operation.id, rows.length]).toEqual([operation.id, Array.isArray(main) ? main.length : 1])
      const { bytes: arrow } = await render({ ...given, format: 'arrow' })
      expect([operation.id, tableFromIPC(arrow).numRows]).toEqual([operation.id, rows.length])
      const names = (await inDuckdb('select column_name from (describe select * from read_parquet($file))', bytes)).map(each => each['column_name'])
      expect(names.slice(0, columnsOf(operation).length)).toEqual(columnsOf(operation).map(({ name }) => name))
    }
  })
})

describe('Arrow', () => {
  it('has the rows and metadata of the answer, also without a row', async () => {
    const table = tableFromIPC(await bytesOf('arrow'), { useBigInt: true, useDecimalInt: true })
    expect(table.numRows).toBe(3)
    expect(table.getChild('cik')?.toArray()).toEqual(['0009990001', '=1+1', null])
    expect(table.getChild('amount')?.at(0)).toBe(1_000_500_000_000_000n)
    expect(table.schema.metadata?.get('crossfile.release')).toBe('7')
    expect(tableFromIPC(await bytesOf('arrow', '{"rows":[]}')).numRows).toBe(0)
  })
})

const python = spawnSync('python3', ['-c', 'import openpyxl, pyarrow.parquet'])
describe.skipIf(python.status !== 0)('openpyxl and pyarrow (skipped where python3 lacks them)', () => {
  it('read what was written', async () => {
    const files = (['xlsx', 'parquet', 'arrow'] as const).map(format => [format, join(folder, `read.${format}`)] as const)
    for (const [format, file] of files) writeFileSync(file, await bytesOf(format))
    const script = join(import.meta.dirname, '..', '..', 'fixtures', 'tables', 'read-tables.py')
    const run = spawnSync('python3', [script, ...files.map(([, file]) => file)], { encoding: 'utf8' })
    expect(run.stderr).toBe('')
    const found = JSON.parse(run.stdout) as Record<string, unknown>
    expect(found).toMatchObject({ sheets: ['rows', 'about'], arrow_equal: true, types: ['sdssnnbss', 'ssdnnnbnn'] })
    expect(found['cells']).toContainEqual(expect.arrayContaining(['0009990001', '2026-11-18 00:00:00', '41.37', '1000.5', 'True']))
    expect(found['about']).toMatchObject({ release: '7', receipt_id: 'r1_abc' })
    expect(found['schema']).toMatchObject({ accepted_at: 'timestamp[us, tz=UTC]', amount: 'decimal128(38, 12)', filed_date: 'date32[day]' })
    expect(found['metadata']).toMatchObject({ 'crossfile.release': '7' })
    expect(found['arrow_metadata']).toMatchObject({ 'crossfile.receipt_id': 'r1_abc' })
  })
})

describe('a long answer', () => {
  const rows = Array.from({ length: 3_000 }, (_, at) => ({ cik: String(at).padStart(10, '0'), filed_date: '2026-11-18', close: at / 4 }))
  const long = JSON.stringify({ rows })
  it('is rendered in a thread: the loop that serves requests goes on', async () => {
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    const { bytes } = await renderAnswer(job('xlsx', long))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
    expect(readWorkbook(bytes).sheets.get('rows')).toHaveLength(rows.length + 1)
  })
  it('is sent to the thread alone, and not with the large buffer that it may be a part of', async () => {
    const sent = vi.spyOn(Worker.prototype, 'postMessage')
    const large = Buffer.alloc(2_000_000)
    const body = large.subarray(16_384, 16_384 + large.write(aBody, 16_384))
    const rendered = await renderAnswer({ ...job('xlsx'), body })
    expect(rendered).toEqual(await renderAnswer(job('xlsx')))
    const lengths = sent.mock.calls.map(([message]) => (message as RenderJob).body.buffer.byteLength)
    sent.mockRestore()
    expect([lengths.length, Math.max(...lengths) < 100_000]).toEqual([2, true])
  })
  it('waits with at most 31 others; the next is refused and told when to repeat', async () => {
    const asked = Array.from({ length: 40 }, () => renderAnswer(job('csv', long)))
    const done = await Promise.allSettled(asked)
    const refused = done.filter(each => each.status === 'rejected').map(each => (each as PromiseRejectedResult).reason as unknown)
    expect(refused).toHaveLength(8)
    expect(refused[0]).toMatchObject({ status: 503, retryAfterSeconds: 5, hint: expect.stringContaining('format=json') })
  })
})

describe('values', () => {
  it('that a double carries are known by their digits', () => {
    expect(['41.370', '0.1', '1e-7', '-0', '0.000', '1000000', '9007199254740992'].filter(text => !isDouble(text))).toEqual([])
    expect(['1e400', '12345678901234567890.12', '0.1234567890123456789'].filter(isDouble)).toEqual([])
  })
  it('of decimals are integers of the twelfth decimal place', () => {
    expect([unscaled('1000.50'), unscaled('-0.000000000001'), unscaled('0.0000000000001'), unscaled('1e5')]).toEqual([
      1_000_500_000_000_000n,
      -1n,
      null,
      null,
    ])
    expect(unscaled(`${'9'.repeat(26)}.5`)).not.toBeNull()
    expect(unscaled('9'.repeat(27))).toBeNull()
  })
  it('of instants keep their microseconds, before 1970 too', () => {
    expect([microseconds('2026-11-18T21:04:11.123456Z'), microseconds('1969-12-31T23:59:59.5Z'), microseconds('2026-11-18T25:00:00Z')]).toEqual([
      1795035851123456n,
      -500000n,
      undefined,
    ])
  })
})
