// Transcripts of calls (ConcallHit, ConcallSearchResponse, ConcallStatsEntry and ConcallStatsResponse are the specification's records).
import { z } from 'zod'
import { envelope, NextCursor, wireFacts } from '../answer.ts'
import { TranscriptFormat, TranscriptLanguage, transcriptChunks } from '../transcripts.ts'
import { AccessionNumber, Count, Flag, IsoDate, Text } from '../values.ts'
import { dataQuestion, operation } from './operation.ts'
import { cursor, day, oneOf, pageLimit, symbol, text } from './parameters.ts'

const ConcallHit = z.object({
  ticker: Text.describe('symbol of the company; the CIK for an exhibit whose filer has none'),
  video_id: Text.describe('id of the recording; for an exhibit, accession number and file name'),
  video_url: Text.describe('URL of the recording at the second in which the passage begins; for an exhibit, the document on sec.gov'),
  chunk_idx: Count.describe('place of the passage in the call, from 0'),
  start_ms: Count.describe('milliseconds from the start of the recording; 0 if timed is false'),
  end_ms: Count.describe('end of the passage; 0 if timed is false'),
  timed: Flag.describe('false: the transcript has no times (an exhibit), and start_ms and end_ms have no meaning'),
  text: Text,
  score: z.number().describe('between 0 and 1: frequency of the terms relative to the length of the passage; independent of other calls'),
  ...wireFacts(transcriptChunks.facts.pick({ video_title: true, uploader: true })),
  upload_date: IsoDate.nullable(),
  speaker: Text.nullable().describe('speaker at the beginning of the passage, if the transcript lists speakers'),
  language: TranscriptLanguage.nullable(),
  format: TranscriptFormat,
  accession: AccessionNumber.nullable().describe('the filing that the transcript came with; null for captions'),
})
const ConcallSearchResponse = z.object({
  query: Text,
  total: Count.describe('passages that match, on all pages'),
  count: Count.describe('hits on this page'),
  hits: z.array(ConcallHit).describe('best first: score, then upload_date (newest), symbol, recording and place'),
  next_cursor: NextCursor,
  ...envelope,
})
const ConcallStatsResponse = z.object({
  by_ticker: z.array(z.object({ ticker: Text, chunk_count: Count, call_count: Count })).describe('most passages first'),
  total_chunks: Count,
  total_tickers: Count,
  ...envelope,
})

const shared = { tag: 'Transcripts', access: 'session', curated: false, data: true, served_from: 'lake', freshness: '5 minutes' } as const

export const concallOperations = [
  operation('search_concalls', 'GET /api/v1/concalls/search', {
    ...shared,
    summary: 'Passages of calls by words or phrases',
    description:
      'Searches captions of calls that the operator has, and transcripts furnished as exhibits of 8-K and 6-K. Every word must be in the passage, by its stem (English and French: guide finds guided, résultat finds résultats); words in quotation marks must follow each other. The most common words count in phrases only. The score is the mean over the terms of n / (n + 0.3 + length / 100), with n occurrences in a passage of length words. Of more than 20,000 matches the newest 20,000 are ranked.',
    question: dataQuestion({
      q: text('words, and phrases in quotation marks; all must be there', 200, '"free cash flow" guidance'),
      ticker: symbol('calls of one company, in any usual spelling of its symbols').optional(),
      language: oneOf('transcripts of one language', TranscriptLanguage.options).optional(),
      from: day('first upload day').optional(),
      to: day('last upload day', '2026-12-31').optional(),
      limit: pageLimit(20, 100),
      cursor,
    }),
    answer: ConcallSearchResponse,
    rows: 'hits',
    cursor_key: ['count', 'day', 'text', 'text', 'count'],
    example: '/api/v1/concalls/search?q=%22free%20cash%20flow%22&limit=2',
  }),
  operation('get_concall_stats', 'GET /api/v1/concalls/stats', {
    ...shared,
    summary: 'Number of passages of calls, by company',
    description: 'Counts of passages and calls by ticker, most first.',
    question: dataQuestion({}),
    answer: ConcallStatsResponse,
    rows: 'by_ticker',
  }),
] as const
