// The parameters of a search over transcripts, shared by both ways of searching (the lake's, the index's), and the score of a chunk.
import { BadRequest } from '#schemas/errors.ts'
import type { TranscriptLanguage } from '#schemas/transcripts.ts'
import { isCommon, spokenWords, stemOf } from './words.ts'

/** The possible languages of a chunk; null: neither, words are not stemmed. */
export const languages = ['en', 'fr', null] as const satisfies readonly (TranscriptLanguage | null)[]
/** A question of more terms is cut: each further one only narrows. */
const mostTerms = 12

/** Of more hits than these the newest are ranked; all of them are counted. */
export const mostRanked = 20_000

/** A word, or the words of a phrase in quotation marks. */
export type Term = readonly string[]
export type TranscriptQuestion = {
  readonly terms: readonly Term[]
  /** Whom the calls are of, in every spelling in which the lake may hold it; null: everybody. */
  readonly subjects: readonly string[] | null
  readonly language: TranscriptLanguage | null
  readonly from: string | null
  readonly to: string | null
  readonly as_of: string | null
  /** The last hit of the page before. */
  readonly after: HitKey | null
  readonly limit: number
}
export type HitKey = {
  /** Score in ten-thousandths. */
  readonly score: number
  readonly upload_date: string
  readonly subject: string
  readonly video_id: string
  readonly chunk_idx: number
}
export type Found = { readonly hits: readonly HitKey[]; readonly total: number }

/**
 * The terms of a question: words, each of which must be there, and phrases in quotation marks, whose words must follow each other. The
 * commonest words (the, of, le, des) count in phrases only, unless there is no other word. Throws `BadRequest` if there is no word.
 */
export function readTerms(text: string): Term[] {
  const phrases = [...text.matchAll(/["“”«»]([^"“”«»]*)["“”«»]/g)].map(match => spokenWords(match[1] ?? ''))
  const loose = spokenWords(text.replace(/["“”«»][^"“”«»]*["“”«»]/g, ' '))
  const rare = loose.filter(word => !isCommon(word))
  const words = rare.length > 0 || phrases.some(phrase => phrase.length > 0) ? rare : loose
  const terms = [...phrases.filter(phrase => phrase.length > 0), ...words.map(word => [word])]
  const once = [...new Map(terms.map(term => [term.join(' '), term])).values()].slice(0, mostTerms)
  if (once.length === 0)
    throw new BadRequest(`q "${text.slice(0, 40)}" holds no letter and no digit`, { hint: 'give words, or a phrase in quotation marks' })
  return once
}

/** A chunk's stems in order, for lookups: each has a space on both sides, so no word matches inside another. */
export const stemsText = (stems: readonly string[]): string => stems.map(stem => ` ${stem} `).join('')
/** A term as it appears in such a text of a language. */
export const termText = (term: Term, language: TranscriptLanguage | null): string => stemsText(term.map(word => stemOf(word, language)))

/** How often a term is in a text of stems. */
export const countIn = (stems: string, term: string): number => stems.split(term).length - 1

/**
 * The score of a chunk in ten-thousandths: the mean over the terms of n / (n + 0.3 + length / 100), where n is the number of occurrences of
 * the term and length the number of words in the chunk. One occurrence in 90 words gives 0.4545; more occurrences and a shorter chunk give
 * more; the score is always below 1. It depends on the chunk only, so a hit keeps its score when other calls are loaded. Terms are summed
 * in order, as in search-index.ts.
 */
export function scoreOf(counts: readonly number[], length: number): number {
  let sum = 0
  for (const count of counts) sum += (100 * count) / (100 * count + 30 + length)
  return Math.floor((sum / counts.length) * 10_000 + 0.5)
}

/** Hits by score, the best first; equal ones by day, the newest first, then by subject, recording and place. */
export function compareHits(a: HitKey, b: HitKey): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.upload_date !== b.upload_date) return a.upload_date < b.upload_date ? 1 : -1
  if (a.subject !== b.subject) return a.subject < b.subject ? -1 : 1
  if (a.video_id !== b.video_id) return a.video_id < b.video_id ? -1 : 1
  return a.chunk_idx - b.chunk_idx
}
