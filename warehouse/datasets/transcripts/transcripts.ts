import type { TranscriptChunk, TranscriptLanguage } from '#schemas/transcripts.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import {
  compareHits,
  countIn,
  type Found,
  type HitKey,
  languages,
  mostRanked,
  scoreOf,
  stemsText,
  type TranscriptQuestion,
  termText,
} from './question.ts'
import type { TranscriptIndex } from './search-index.ts'
import { stemsOf } from './words.ts'

const statements = sqlIn(import.meta.dirname, ['find-scan', 'find-chunks', 'count-chunks'])

/** The hits of a search, best first: by the index if there is one, else by reading every chunk. Both give the same. */
export async function searchTranscripts(lake: Lake, question: TranscriptQuestion, index: TranscriptIndex | null): Promise<Found> {
  return (await index?.search(question, lake.release)) ?? (await searchLake(lake, question))
}

type Scanned = Pick<HitKey, 'subject' | 'video_id' | 'chunk_idx' | 'upload_date'> & {
  readonly language: TranscriptLanguage | null
  readonly text: string
}

async function searchLake(lake: Lake, question: TranscriptQuestion): Promise<Found> {
  const { subjects, language, from, to, as_of, after, limit } = question
  const range = subjects ?? 'all'
  const rows = await lake.query<Scanned>(statements['find-scan'], { language, from, to, as_of }, { transcript_chunks: range })
  const terms = new Map(languages.map(each => [each, question.terms.map(term => termText(term, each))]))
  const found = rows.flatMap((row): HitKey[] => {
    const stems = stemsOf(row.text, row.language)
    const text = stemsText(stems)
    const counts = (terms.get(row.language) ?? []).map(term => countIn(text, term))
    const { subject, video_id, chunk_idx, upload_date } = row
    return counts.every(count => count > 0) ? [{ score: scoreOf(counts, stems.length), upload_date, subject, video_id, chunk_idx }] : []
  })
  const newest =
    found.length <= mostRanked ? found : found.toSorted((a, b) => compareHits({ ...a, score: 0 }, { ...b, score: 0 })).slice(0, mostRanked)
  const hits = newest.toSorted(compareHits).filter(hit => after === null || compareHits(hit, after) > 0)
  return { hits: hits.slice(0, limit), total: found.length }
}

export type FoundChunk = Pick<
  TranscriptChunk,
  | 'subject'
  | 'video_id'
  | 'chunk_idx'
  | 'chunks'
  | 'start_ms'
  | 'end_ms'
  | 'speaker'
  | 'text'
  | 'language'
  | 'format'
  | 'ticker'
  | 'cik'
  | 'accession'
  | 'video_url'
  | 'video_title'
  | 'uploader'
  | 'upload_date'
  | 'source'
  | 'known_from'
  | 'raw_sha256'
>

/** The chunks of hits, in the order of the hits. */
export async function findChunks(lake: Lake, hits: readonly HitKey[], asOf: string | null): Promise<FoundChunk[]> {
  if (hits.length === 0) return []
  const places = [...new Set(hits.map(hit => `${hit.video_id} ${hit.chunk_idx}`))].sort()
  const rows = await lake.query<FoundChunk>(
    statements['find-chunks'],
    { places, videos: [...new Set(hits.map(hit => hit.video_id))].sort(), as_of: asOf },
    { transcript_chunks: [...new Set(hits.map(hit => hit.subject))].sort() },
  )
  const byKey = new Map(rows.map(row => [`${row.subject} ${row.video_id} ${row.chunk_idx}`, row]))
  return hits.flatMap(hit => byKey.get(`${hit.subject} ${hit.video_id} ${hit.chunk_idx}`) ?? [])
}

export type SubjectCount = { readonly subject: string; readonly cik: string | null; readonly chunks: number; readonly calls: number }
export async function countChunks(lake: Lake, asOf: string | null): Promise<SubjectCount[]> {
  return await lake.query<SubjectCount>(statements['count-chunks'], { as_of: asOf }, { transcript_chunks: 'all' })
}
