// Transcripts of calls: search and statistics.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type Built, originsOf, type ReleaseContext, type RowOrigin, readDatasets, upstreamSources } from '../context/answer.ts'
import { issuerCik, issuerTickers } from '../context/issuer.ts'
import { linkAt } from '../datasets/transcripts/link.ts'
import { type HitKey, readTerms } from '../datasets/transcripts/question.ts'
import { countChunks, type FoundChunk, findChunks, searchTranscripts } from '../datasets/transcripts/transcripts.ts'
import { filingSources } from './filings.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['transcript_chunks', 'symbols', 'issuer_tickers'] as const

/** All keys under which the lake may have calls of a ticker's issuer: its symbols on both sides of the border, and its CIK. Throws `NotFound`. */
async function subjectsOf(context: ReleaseContext, ticker: string): Promise<string[]> {
  // An operator may have captions of a company that no directory lists.
  const named = await context.lake.holds('transcript_chunks', [ticker])
  const cik = named && context.symbols.find(ticker) === null && context.issuers.cikOf(ticker) === null ? null : issuerCik(context, ticker)
  return [...new Set([ticker, ...(cik === null ? [] : [cik, ...issuerTickers(context, cik)])])].sort()
}

const tickerOf = (
  context: ReleaseContext,
  { ticker, cik, subject }: { readonly ticker: string | null; readonly cik: string | null; readonly subject: string },
): string => ticker ?? (cik === null ? null : context.issuers.mappedSymbolOf(cik)) ?? subject

function hitOf(context: ReleaseContext, chunk: FoundChunk, { score }: HitKey): object {
  return {
    ticker: tickerOf(context, chunk),
    video_id: chunk.video_id,
    video_url: linkAt(chunk.video_url, chunk.start_ms),
    chunk_idx: chunk.chunk_idx,
    // The specification requires integers: 0 for a transcript without times, which `timed` marks.
    start_ms: chunk.start_ms ?? 0,
    end_ms: chunk.end_ms ?? 0,
    timed: chunk.start_ms !== null,
    text: chunk.text,
    score: score / 10_000,
    video_title: chunk.video_title,
    uploader: chunk.uploader,
    upload_date: chunk.upload_date,
    speaker: chunk.speaker,
    language: chunk.language,
    format: chunk.format,
    accession: chunk.accession,
  }
}

async function buildConcallSearch(context: ReleaseContext, question: QuestionOf<'search_concalls'>): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const { q, ticker, language, from, to } = filters
  if (from !== undefined && to !== undefined && from > to)
    throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'give a from that is before to' })
  const after = cursor === undefined ? null : decodeCursor(cursor, 'search_concalls', filters).after
  const terms = readTerms(q)
  const subjects = ticker === undefined ? null : await subjectsOf(context, ticker)
  const { hits, total } = await searchTranscripts(
    context.lake,
    {
      terms,
      subjects,
      language: language ?? null,
      from: from ?? null,
      to: to ?? null,
      as_of: as_of ?? null,
      after:
        after === null
          ? null
          : {
              score: Number(after[0]),
              upload_date: String(after[1]),
              subject: String(after[2]),
              video_id: String(after[3]),
              chunk_idx: Number(after[4]),
            },
      limit: limit + 1,
    },
    context.transcriptIndex ?? null,
  )
  const page = hits.slice(0, limit)
  const last = page.at(-1)
  const chunks = await findChunks(context.lake, page, as_of ?? null)
  const byKey = new Map(page.map(hit => [`${hit.subject} ${hit.video_id} ${hit.chunk_idx}`, hit]))
  const filed = chunks.filter(chunk => chunk.accession !== null)
  return {
    body: {
      query: q,
      total,
      count: chunks.length,
      hits: chunks.map(chunk => hitOf(context, chunk, byKey.get(`${chunk.subject} ${chunk.video_id} ${chunk.chunk_idx}`) as HitKey)),
      next_cursor:
        hits.length > limit && last
          ? encodeCursor('search_concalls', filters, context.lake.versionOf(readDatasets(context, datasets)).release, [
              last.score,
              last.upload_date,
              last.subject,
              last.video_id,
              last.chunk_idx,
            ])
          : null,
    },
    sources: [
      ...filingSources(filed.map(chunk => ({ ...chunk, url: chunk.video_url }))),
      ...upstreamSources(chunks.filter(chunk => chunk.accession === null)),
    ],
    // The total and the scores depend on every document, not only on those of the page.
    origins: () => documentsOf(context, as_of ?? null),
    datasets,
  }
}

/** Every document with chunks of calls. */
const documentsOf = async ({ lake }: ReleaseContext, asOf: string | null): Promise<readonly RowOrigin[]> =>
  originsOf(
    await lake.query(
      'select distinct source, raw_sha256, accession from transcript_chunks order by raw_sha256',
      { as_of: asOf },
      { transcript_chunks: 'all' },
    ),
  )

/** Chunks by ticker, highest count first; all of them, because there are only as many as companies. */
async function buildConcallStats(context: ReleaseContext, question: QuestionOf<'get_concall_stats'>): Promise<Built> {
  const rows = await countChunks(context.lake, question.as_of ?? null)
  const byTicker = new Map<string, { chunk_count: number; call_count: number }>()
  for (const row of rows) {
    const ticker = tickerOf(context, { ticker: row.cik === null ? row.subject : null, cik: row.cik, subject: row.subject })
    const held = byTicker.get(ticker) ?? { chunk_count: 0, call_count: 0 }
    byTicker.set(ticker, { chunk_count: held.chunk_count + row.chunks, call_count: held.call_count + row.calls })
  }
  const listed = [...byTicker].map(([ticker, counts]) => ({ ticker, ...counts }))
  listed.sort((a, b) => b.chunk_count - a.chunk_count || (a.ticker < b.ticker ? -1 : 1))
  return {
    body: { by_ticker: listed, total_chunks: rows.reduce((sum, row) => sum + row.chunks, 0), total_tickers: listed.length },
    sources: [],
    origins: () => documentsOf(context, question.as_of ?? null),
    datasets,
  }
}

export const concallAnswers = {
  search_concalls: { build: buildConcallSearch },
  get_concall_stats: { build: buildConcallStats },
} satisfies Answers
