// Filings search over a generated year (1.2 million filings) and over a small lake: the index in Postgres beside a scan of the
// lake, which finds the same; what the index costs a commit, and how large it is.
import { join } from 'node:path'
import { sql } from 'kysely'
import { openRuntime, type Runtime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import { datasetOf } from '#schemas/index.ts'
import { type RequestedFilings, readFilingQuestion } from '#warehouse/datasets/filings/filing-question.ts'
import { searchFilings } from '#warehouse/datasets/filings/filings.ts'
import { filingIndexOn, indexFilings } from '#warehouse/datasets/filings/search-index.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { commit } from '#warehouse/store/lake/commit.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { createVerifier, lakeFolder, openLake } from '#warehouse/store/lake/open.ts'
import { seal } from '#warehouse/store/lake/seal.ts'
import { stage } from '#warehouse/store/lake/stage.ts'
import type { ReleaseContexts } from './contexts.ts'
import { againstScan, type Figure, figure, type Report, timed } from './measure.ts'

const quarterRows = 300_000
const smallRows = 20_000

const nouns =
  'apex,maple,northern,pacific,granite,summit,blue,river,energy,capital,holdings,bancorp,therapeutics,minerals,resources,gold,silver,uranium,lithium,software,systems,networks,logistics,foods,brands,partners,trust,fund,income,growth,global,american,royal,first,national,united,general,advanced,digital,quantum,solar,wind,water,health,medical,dental,bio,gene,cell'
const noun = (salt: number): string => `string_split('${nouns}', ',')[(1 + hash(k, ${salt}) % ${nouns.split(',').length})::bigint]`

/** Filings of a quarter: a quarter of them by 8,000 companies, the rest by 250,000 owners, funds and small issuers. */
const filingsSql = (quarter: number, rows: number): string => `(
  select lpad((hash(i, 1) % 100000)::varchar, 10, '0') || '-26-' || lpad((i % 1000000)::varchar, 6, '0') as accession,
    lpad((1000 + k)::varchar, 10, '0') as cik, null::varchar as role,
    upper(${noun(1)} || ' ' || ${noun(2)} || ' ' || ${noun(3)} || ' ' || (hash(k) % 99999)::varchar || case when k % 2 = 0 then ' inc' else ' corp' end) as company,
    ['4', '4', '4', '4', '4', '4', '4', '3', '8-K', '8-K', '10-Q', '10-K', '6-K', '424B2', '424B2', '13F-HR', 'D', '144', 'NPORT-P', 'SC 13G/A'][(1 + hash(i, 5) % 20)::bigint] as form,
    date '2026-01-01' + (${quarter} * 90 + hash(i, 6) % 90)::int as filed_date, null::timestamptz as accepted_at, null::date as period_of_report,
    case when hash(i, 7) % 3 = 0 then ['2.02', '9.01'] else []::varchar[] end as items, null::varchar as act, null::varchar as file_number, null::varchar as film_number,
    null::varchar as primary_document, ['ANNUAL REPORT', 'FORM 8-K', null, null][(1 + hash(i, 8) % 4)::bigint] as primary_description,
    null::bigint as size_bytes, null::boolean as xbrl, 'https://www.sec.gov/Archives/edgar/data/' || k || '/' || i || '.txt' as url, [sha256('${quarter}')] as documents,
    timestamptz '2026-01-02 03:00:00+00' + to_days((${quarter} * 90 + hash(i, 6) % 90)::int) as known_from, 'filed' as known_basis, 'edgar' as source,
    sha256('${quarter}') as raw_sha256, false as withdrawn, null::bigint as release_from
  from (select i, case when hash(i, 2) % 4 = 0 then hash(i, 3) % 8000 else hash(i, 3) % 250000 end as k from (select ${quarter} * ${quarterRows} + range as i from range(${rows}))))`

type Loaded = { readonly runtime: Runtime; readonly seconds: number[]; close(): Promise<void> }

/** A lake of generated quarters; seconds that each one's rows took to be indexed. */
async function load(folder: string, quarters: number, rows: number): Promise<Loaded> {
  const config = loadConfig({ CROSSFILE_DATA: folder, CROSSFILE_LOG: 'warn', PORT: '0' })
  const runtime = await openRuntime(config, () => {}, 'crossfile bench')
  const { db, writer } = runtime.tools
  const dataset = datasetOf('filings')
  const seconds: number[] = []
  for (let quarter = 0; quarter < quarters; quarter += 1) {
    const path = join(writer.stageFolder, `search-${quarter}.parquet`)
    const file = await writer.connections.use(async connection =>
      seal(
        { data: config.dataFolder },
        await stage(connection, dataset, { sql: filingsSql(quarter, rows), parameters: {} }, path, dataset.key),
        'new',
      ),
    )
    const { release: base } = await loadCatalogue(db)
    await commit(db, {
      job: 'bench',
      partition: `quarter ${quarter}`,
      batchKey: `bench quarter ${quarter}`,
      files: [file],
      base,
      derivedFrom: [],
      fence: null,
      along: async (trx, committed) => {
        if (!committed) throw new Error('the quarter was not committed')
        const lake = openLake(committed.catalogue, writer.connections, writer.verifier, committed.release)
        const columns = 'accession, cik, form, company, primary_description, items, filed_date, known_from, withdrawn'
        const list = await lake.query<Record<string, unknown>>(
          `select ${columns} from filings_history where release_from = $release`,
          {},
          { filings_history: 'all' },
        )
        const begun = performance.now()
        await indexFilings(trx, new Map([['filings', list]]), committed.release)
        seconds.push((performance.now() - begun) / 1000)
      },
    })
  }
  await sql`analyze filing_index`.execute(db)
  return { runtime, seconds, close: () => runtime.close() }
}

const questions: readonly (readonly [string, RequestedFilings])[] = [
  ['newest of all', {}],
  ['one form', { form: '10-K' }],
  ['form and amendments on a day', { form: '8-K', amendments: 'include', from: '2026-02-10', to: '2026-02-10' }],
  ['two words that are rare together', { q: 'uranium dental' }],
  ['a word of half the filings', { q: 'inc' }],
  ['a word of one company', { q: '54321' }],
  ['words, form, items and days', { q: 'solar annual', form: '8-K', items: '2.02', from: '2026-02-01' }],
]

async function measure(loaded: Loaded, label: string, rounds: number): Promise<Figure[]> {
  const { config, tools, postgres } = loaded.runtime
  // As an API process reads: one thread, no spilling.
  const instance = await openDuckdb({ memoryLimit: '1GB', threads: 1, tempFolder: '', folders: [lakeFolder(config.dataFolder)] })
  const connections = await openConnections(instance, 1)
  const lake: Lake = openLake(await loadCatalogue(tools.db), connections, createVerifier(config.dataFolder))
  const index = filingIndexOn(postgres.db)
  const figures: Figure[] = []
  try {
    for (const [name, requested] of questions) {
      const question = { ...readFilingQuestion(requested), ciks: null, after: null, as_of: null, limit: 101 }
      const [byIndex, byLake] = [await searchFilings(lake, question, index), await searchFilings(lake, question, null)]
      if (JSON.stringify(byIndex) !== JSON.stringify(byLake)) throw new Error(`${name}: index and lake found different filings`)
      const own = await timed(8 * rounds, () => searchFilings(lake, question, index))
      const other = await timed(rounds, () => searchFilings(lake, question, null))
      figures.push(againstScan(`${label}: ${name}`, own, other))
    }
  } finally {
    connections.close()
    instance.closeSync()
  }
  return figures
}

export async function search(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const figures: Figure[] = []
  const notes: string[] = []
  for (const [label, quarters, rows] of [
    ['a year', 4, quarterRows],
    ['small', 1, smallRows],
  ] as const) {
    const loaded = await load(await contexts.folder('search'), quarters, rows)
    try {
      figures.push(...(await measure(loaded, label, contexts.options.rounds)))
      figures.push(figure(`${label}: indexing ${rows.toLocaleString('en-US')} filings in their commit`, 's', loaded.seconds))
      const { rows: sizes } = await sql<{ bytes: number }>`select pg_total_relation_size('filing_index') as bytes`.execute(loaded.runtime.postgres.db)
      const catalogue = await loadCatalogue(loaded.runtime.postgres.db)
      const lakeBytes = (catalogue.files.get('filings') ?? []).reduce((sum, file) => sum + file.bytes, 0)
      const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
      notes.push(
        `${label}: ${(quarters * rows).toLocaleString('en-US')} filings; the index takes ${megabytes(sizes[0]?.bytes ?? 0)}, the lake's files ${megabytes(lakeBytes)}`,
      )
    } finally {
      await loaded.close()
    }
  }
  notes.push('both find the same filings, 101 a question; the rows of what the index found are read from the lake and counted in')
  return { figures, notes }
}
