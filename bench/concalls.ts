// Search over 50,000 chunks of calls: the index in Postgres beside a scan of the lake that stems every chunk and finds the same.
import { join } from 'node:path'
import { sql } from 'kysely'
import { openRuntime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import { datasetOf } from '#schemas/index.ts'
import { readTerms } from '#warehouse/datasets/transcripts/question.ts'
import { indexTranscripts, transcriptIndexOn } from '#warehouse/datasets/transcripts/search-index.ts'
import { findChunks, searchTranscripts } from '#warehouse/datasets/transcripts/transcripts.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { commit } from '#warehouse/store/lake/commit.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import { createVerifier, lakeFolder, openLake } from '#warehouse/store/lake/open.ts'
import { seal } from '#warehouse/store/lake/seal.ts'
import { stage } from '#warehouse/store/lake/stage.ts'
import type { ReleaseContexts } from './contexts.ts'
import { againstScan, type Figure, figure, type Report, timed } from './measure.ts'

const calls = 1_000
const chunksOfCall = 50
const wordsOfChunk = 80
/** Common words first: the n-th of them is about n times as rare as the first. */
const vocabulary =
  'the,and,of,to,we,our,in,a,that,quarter,year,growth,revenue,margins,guidance,cash,flow,free,customers,demand,pricing,capital,costs,operating,results,questions,expect,continue,strong,markets,investment,inventory,volumes,supply,products,business,program,debt,dividend,repurchase,acquisition,integration,productivity,seasonal,inflation,backlog,commissioning,drilling,exploration,permitting,uranium,lithium,copper,foundry,semiconductor,pipeline,railway,intermodal,potash,grain,fibre,subscribers,churn,therapeutics,enrolment,regulatory,litigation,restatement,impairment,covenant,refinancing,hedging,currency,headwinds,tailwinds,capacity,utilization,throughput,maintenance,turnaround,reserves,resources,assays,metallurgy,smelter,concentrate,tailings,xylem,zircon'.split(
    ',',
  )
const words = `list_transform(range(${wordsOfChunk}), lambda n: string_split('${vocabulary.join(',')}', ',')[(floor(pow(${vocabulary.length + 1}, (hash(i, n) % 100000) / 100000.0)))::bigint])`

const rowsSql = `(
  select 'S' || (i // ${chunksOfCall} % 400) as subject, 'v' || (i // ${chunksOfCall}) as video_id, i % ${chunksOfCall} as chunk_idx, ${chunksOfCall} as chunks,
    (i % ${chunksOfCall}) * 30000 as start_ms, (i % ${chunksOfCall}) * 30000 + 29000 as end_ms, null::varchar as speaker, array_to_string(${words}, ' ') || case when hash(i, 'rare') % 1000 = 0 then ' quokka' else '' end as text, ${wordsOfChunk} as words,
    'en' as language, 'webvtt' as format, 'S' || (i // ${chunksOfCall} % 400) as ticker, null::varchar as cik, null::varchar as accession, 'https://h.example/v' as video_url,
    null::varchar as video_title, null::varchar as uploader, date '2020-01-01' + (i // ${chunksOfCall})::int as upload_date, sha256((i // ${chunksOfCall})::varchar) as captions_sha256,
    timestamptz '2026-01-02 03:00:00+00' as known_from, 'published' as known_basis, 'transcripts' as source, sha256('x') as raw_sha256, false as withdrawn, null::bigint as release_from
  from (select range as i from range(${calls * chunksOfCall})))`

const questions: readonly (readonly [string, string])[] = [
  ['a rare word', 'quokka'],
  ['a phrase', '"free cash flow"'],
  ['two words', 'uranium permitting'],
  ['a word of most chunks', 'quarter'],
]

/** Search over calls: p50 of a page of 20 hits with their texts. */
export async function concalls(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const config = loadConfig({ CROSSFILE_DATA: await contexts.folder('concalls'), CROSSFILE_LOG: 'warn', PORT: '0' })
  const runtime = await openRuntime(config, () => {}, 'crossfile bench')
  const { db, writer } = runtime.tools
  const figures: Figure[] = []
  const seconds: number[] = []
  try {
    const path = join(writer.stageFolder, 'concalls.parquet')
    const dataset = datasetOf('transcript_chunks')
    const file = await writer.connections.use(async connection =>
      seal({ data: config.dataFolder }, await stage(connection, dataset, { sql: rowsSql, parameters: {} }, path, dataset.key), 'new'),
    )
    await commit(db, {
      job: 'bench',
      partition: 'calls',
      batchKey: 'bench calls',
      files: [file],
      base: 0,
      derivedFrom: [],
      fence: null,
      along: async (trx, committed) => {
        if (!committed) throw new Error('the calls were not committed')
        const lake = openLake(committed.catalogue, writer.connections, writer.verifier, committed.release)
        const columns = 'subject, video_id, chunk_idx, chunks, known_from, upload_date, language, text, withdrawn'
        const rows = await lake.query<Record<string, unknown>>(
          `select ${columns} from transcript_chunks_history`,
          {},
          { transcript_chunks_history: 'all' },
        )
        const begun = performance.now()
        await indexTranscripts(trx, new Map([['transcript_chunks', rows]]), committed.release)
        seconds.push((performance.now() - begun) / 1000)
      },
    })
    await sql`analyze transcript_index`.execute(db)
    // As an API process reads: one thread, no spilling.
    const instance = await openDuckdb({ memoryLimit: '1GB', threads: 1, tempFolder: '', folders: [lakeFolder(config.dataFolder)] })
    const connections = await openConnections(instance, 1)
    try {
      const lake = openLake(await loadCatalogue(db), connections, createVerifier(config.dataFolder))
      const index = transcriptIndexOn(db)
      for (const [name, q] of questions) {
        const question = { terms: readTerms(q), subjects: null, language: null, from: null, to: null, as_of: null, after: null, limit: 21 }
        const page = async (by: typeof index | null): Promise<unknown> => {
          const found = await searchTranscripts(lake, question, by)
          return { total: found.total, hits: found.hits, chunks: await findChunks(lake, found.hits, null) }
        }
        const { total } = await searchTranscripts(lake, question, index)
        if (JSON.stringify(await page(index)) !== JSON.stringify(await page(null))) throw new Error(`${name}: index and lake found different chunks`)
        const own = await timed(10 * contexts.options.rounds, () => page(index))
        const ranking = await timed(5, () => searchTranscripts(lake, question, index))
        figures.push(figure(`${name}: of it the index alone`, 'ms', ranking))
        const other = await timed(1, () => page(null))
        figures.push(againstScan(`${name} in ${total.toLocaleString('en-US')} chunks`, own, other))
      }
    } finally {
      connections.close()
      instance.closeSync()
    }
    figures.push(figure(`indexing ${(calls * chunksOfCall).toLocaleString('en-US')} chunks in their commit`, 's', seconds))
    const { rows: sizes } = await sql<{ bytes: number }>`select pg_total_relation_size('transcript_index') as bytes`.execute(db)
    return {
      figures,
      notes: [
        `the index takes ${((sizes[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB; both find the same chunks in the same order, and the texts of a page are read from the lake and counted in`,
      ],
    }
  } finally {
    await runtime.close()
  }
}
