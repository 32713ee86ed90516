// A screen over 51,000 listings: from the question to the signed answer's bytes, beside the same statements written by hand for plain DuckDB
// on the same Parquet file.
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { buildPayload } from '#warehouse/answers/index.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import type { Models } from '#warehouse/context/model-rows.ts'
import { issuerIndexOf } from '#warehouse/datasets/filings/issuer-index.ts'
import { type ScreenerField, screenerFields } from '#warehouse/rulesets/screener/fields.ts'
import { openDuckdb, queryRows } from '#warehouse/store/duckdb.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import type { ReleaseContexts } from './contexts.ts'
import { ascending, compared, type Figure, figure, quantile, type Report } from './measure.ts'
import { residentMemory } from './processes.ts'
import { fullSymbols, symbolOf } from './universe.ts'

type Query = { readonly filter: string; readonly sort: string; readonly fields?: string; readonly where: string; readonly order: string }
/** Screens as people write them, and the same as SQL. */
const screens: readonly Query[] = [
  {
    filter: 'market_cap_usd >= 5e5 and pe < 400000',
    sort: 'market_cap_usd.desc',
    where: 'market_cap_usd >= 5e5 and pe < 400000',
    order: 'market_cap_usd desc nulls last',
  },
  {
    filter: 'exchange in (TO, V) and close > sma200',
    sort: 'return_1y_pct.desc',
    where: "exchange in ('TO', 'V') and close > sma200",
    order: 'return_1y_pct desc nulls last',
  },
  {
    filter: "sector = 'value 7' and dividend_yield_pct is not null",
    sort: 'dividend_yield_pct.desc',
    where: "sector = 'value 7' and dividend_yield_pct is not null",
    order: 'dividend_yield_pct desc nulls last',
  },
  {
    filter: 'rsi14 < 300000 and avg_volume_20d > 500000 and not price_is_old',
    sort: 'rsi14.asc',
    where: 'rsi14 < 300000 and avg_volume_20d > 500000 and not price_is_old',
    order: 'rsi14 asc nulls last',
  },
  {
    filter: 'last_ex_date >= 2026-06-01',
    sort: 'last_ex_date.desc,code.asc',
    where: "last_ex_date >= date '2026-06-01'",
    order: 'last_ex_date desc nulls last',
  },
  {
    filter: 'beta_1y between 100000 and 200000 or holders_13f > 900000',
    sort: 'beta_1y.asc',
    fields: 'all',
    where: 'beta_1y between 100000 and 200000 or holders_13f > 900000',
    order: 'beta_1y asc nulls last',
  },
]
const standard =
  'code, name, exchange, currency, type, sector, close, session_date, change_1d_pct, return_1y_pct, volume, market_cap_usd, pe, dividend_yield_pct'

/** A column of made-up values with a fifth of them missing, of the field's type. */
function columnSql({ name, type }: ScreenerField): string {
  const seed = `hash(id, '${name}')`
  if (name === 'code') return 'code'
  if (name === 'exchange') return "case when code like '%.TO' then 'TO' when code like '%.V' then 'V' else 'US' end as exchange"
  const value = {
    text: name === 'name' ? "'Bench Holdings ' || code || ' Inc. Common Stock'" : `'value ' || (${seed} % 40)`,
    number: `(${seed} % 1000000000) / 1000.0`,
    integer: `(${seed} % 1000000)::bigint`,
    date: `date '2026-11-19' - (${seed} % 700)::integer`,
    boolean: `${seed} % 10 = 0`,
  }[type]
  return `case when hash(id, '${name}', 1) % 5 > 0 then ${value} end as "${name}"`
}

export async function screens51k(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const folder = await contexts.folder('screener')
  const path = join(folder, 'screener.parquet')
  const maker = await DuckDBInstance.create(':memory:')
  const making = await maker.connect()
  await making.run('create table ids (id bigint, code varchar)')
  const ids = Array.from({ length: fullSymbols }, (_, id) => `(${id}, '${symbolOf(id)}')`)
  for (let from = 0; from < ids.length; from += 5000) await making.run(`insert into ids values ${ids.slice(from, from + 5000).join(', ')}`)
  await making.run(
    `copy (select ${screenerFields.map(columnSql).join(', ')} from ids order by code) to '${path}' (format parquet, compression zstd, row_group_size 131072)`,
  )
  making.closeSync()
  maker.closeSync()

  const before = residentMemory(process.pid).now
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })
  const connections = await openConnections(instance, 4)
  await connections.use(connection => connection.run(`create table rows as select * from read_parquet('${path}')`))
  const held = residentMemory(process.pid).now - before
  const models: Models = {
    read: (_model, _release, _asOf, work) =>
      work({
        table: 'rows',
        query: (sql, parameters = {}) => connections.use(connection => queryRows(connection, sql, parameters)),
        sources: [],
        origins: async () => [],
      }),
  }
  // Nothing was corrected.
  const lake = {
    versionOf: ([name]: readonly string[]) => ({ release: name === 'filing_corrections' ? 0 : 1, committed_at: '2026-11-20T00:00:00Z' }),
  }
  const context = { lake, models, issuers: issuerIndexOf([], [], new Set()) } as unknown as ReleaseContext
  const plain = await (await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })).connect()
  const ours = async ({ filter, sort, fields }: Query): Promise<number> => {
    const begun = performance.now()
    await buildPayload('run_screener', context, { filter, sort, fields, limit: 100 } as never, '2026-11-20T00:00:00Z')
    return performance.now() - begun
  }
  const theirs = async ({ where, order, fields }: Query): Promise<number> => {
    const begun = performance.now()
    const found = await plain.runAndReadAll(
      `select ${fields === 'all' ? '*' : standard} from read_parquet('${path}') where ${where} order by ${order}, code limit 100`,
    )
    JSON.stringify(found.getRowObjectsJson())
    await plain.runAndReadAll(`select count(*) from read_parquet('${path}') where ${where}`)
    return performance.now() - begun
  }
  const times = { ours: [] as number[][], theirs: [] as number[][] }
  for (const screen of screens) {
    await ours(screen)
    await theirs(screen)
  }
  for (let round = 0; round < contexts.options.rounds; round += 1) {
    const [own, other]: [number[], number[]] = [[], []]
    for (let again = 0; again < 10; again += 1)
      for (const screen of screens)
        for (const side of again % 2 === 0 ? ['ours', 'theirs'] : ['theirs', 'ours']) {
          if (side === 'ours') own.push(await ours(screen))
          else other.push(await theirs(screen))
        }
    times.ours.push(own)
    times.theirs.push(other)
  }
  const of = (rows: readonly number[][], q: number): number[] => rows.map(row => quantile(ascending(row), q))
  connections.close()
  const figures: Figure[] = [
    compared('p50 of an answer', 'ms', of(times.ours, 0.5), 'plain DuckDB on the Parquet file', of(times.theirs, 0.5), { of: 'ratio', most: 1.3 }),
    figure('p50 of an answer', 'ms', of(times.ours, 0.5), { of: 'value', most: 10 }),
    figure('p99 of an answer', 'ms', of(times.ours, 0.99)),
    figure('memory that the rows take', 'MB', [held]),
  ]
  return {
    figures,
    notes: [
      `${fullSymbols.toLocaleString('en-US')} listings x ${screenerFields.length} fields; ${screens.length} screens of 100 rows with their totals, without HTTP; one thread each`,
    ],
  }
}
