// The files of a release, and what changed since another.
import { z } from 'zod'
import { envelope } from '../answer.ts'
import { Count, Instant, Release, Sha256, Text } from '../values.ts'
import { dataQuestion, operation, question } from './operation.ts'
import { integer, shaped } from './parameters.ts'

const bulkFacts = {
  dataset: Text,
  file: Text.describe('name below /api/v1/data/bulk/{dataset}/'),
  sha256: Sha256,
  bytes: Count,
  rows: Count,
  key_min: Text.nullable().describe('smallest value of the first column of the order'),
  key_max: Text.nullable(),
  time_min: Text.nullable().describe('smallest value of the time column'),
  time_max: Text.nullable(),
  release_from: Release.nullable().describe(
    'release of all rows, if their release_from is null; null if the rows have release_from: those with release_from up to release belong to this release',
  ),
  url: Text.describe('path of the file; Range requests work'),
}
const BulkAnswer = z.object({
  count: Count,
  files: z.array(z.object(bulkFacts)).describe('all files of the release, by dataset and file'),
  ...envelope,
})
const BulkChangesAnswer = z.object({
  since: Release,
  count: Count,
  files: z
    .array(
      z.object({
        ...bulkFacts,
        rows_since: Text.nullable().describe(
          'the condition for changed rows, as SQL over the columns of the file; null: all rows changed. A merged file has older and newer rows',
        ),
      }),
    )
    .describe('every file with a row that was added after since, by dataset and file'),
  releases: z.array(z.object({ release: Release, committed_at: Instant, datasets: z.array(Text) })).describe('commits after since, oldest first'),
  ...envelope,
})

const bulkFile = shaped(
  'file name as listed by /api/v1/data/bulk',
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/,
  'a file name as /api/v1/data/bulk lists it',
  'bars.parquet',
)
const dataset = shaped('dataset as listed by /api/v1/data/catalog', /^[a-z][a-z0-9_]{0,40}$/, 'a dataset name such as bars', 'bars')

const fileList = {
  rows: 'files',
  data: true,
  served_from: 'pg',
  repeat_ms: 2000, // compaction moves rows into other files without a release
  freshness: 'each release',
} as const

export const bulkOperations = [
  operation('list_bulk_files', 'GET /api/v1/data/bulk', {
    ...fileList,
    tag: 'Developer Data API',
    access: 'key',
    summary: 'The Parquet files of a release',
    description: 'Every file of every dataset with size and SHA-256. Rows of a dataset at release N: release_from <= N, newest per key.',
    question: dataQuestion({ dataset: dataset.optional() }),
    answer: BulkAnswer,
    example: '/api/v1/data/bulk?dataset=insider_holdings',
  }),
  operation('list_bulk_changes', 'GET /api/v1/data/bulk/changes', {
    ...fileList,
    tag: 'Developer Data API',
    access: 'key',
    curated: false,
    summary: 'What changed since a release that you have',
    description:
      'Files that update a copy of release since to the newest release. A later row replaces one with the same key; a row with withdrawn true removes it. Keep the release of this answer as the next since.',
    question: dataQuestion({
      since: integer('the release that you have', 0, 999_999_999, { example: 3 }),
      dataset: dataset.optional(),
    }),
    answer: BulkChangesAnswer,
    example: '/api/v1/data/bulk/changes?since=5&dataset=corporate_actions',
  }),
  operation('get_bulk_file', 'GET /api/v1/data/bulk/{dataset}/{file}', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'One Parquet file',
    description:
      'The bytes as listed; Range requests work, so DuckDB can query it over HTTP. format=csv or excel streams its rows as text. With dataset manifests, the file N.json is the manifest of release N: the files that it consisted of, with hashes, rows, key ranges and paths relative to data/lake.',
    question: question({ dataset, file: bulkFile }),
    media_type: 'application/vnd.apache.parquet',
    served_from: 'file',
    cache: 'file',
    cost: 5,
    freshness: 'immutable',
    example: '/api/v1/data/bulk/bars/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.parquet',
  }),
] as const
