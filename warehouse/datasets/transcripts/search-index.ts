// The search index of transcripts in Postgres: returns the best hits of a search in milliseconds, while the lake would have to stem every
// chunk. Like the index of filings, it is filled in the transaction of each commit, and each row stores the release and the instant from
// which it is valid.
import { type RawBuilder, sql } from 'kysely'
import { Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { TranscriptLanguage } from '#schemas/transcripts.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { onceComplete } from '../../store/once-complete.ts'
import type { Db } from '../../store/postgres.ts'
import { slicesOf } from '../../store/slices.ts'
import { type Found, type HitKey, languages, mostRanked, stemsText, type TranscriptQuestion, termText } from './question.ts'
import { stemOf, stemsOf, wordsVersion } from './words.ts'

type Row = Readonly<Record<string, unknown>>
const entriesAtOnce = 1_000

/** A stem as the index holds it: with the language by whose rules it was made. */
const lexemeOf = (stem: string, language: TranscriptLanguage | null): string => `${language ?? ''}:${stem}`

const languageOf = (row: Row): TranscriptLanguage | null => (row['language'] === 'en' || row['language'] === 'fr' ? row['language'] : null)

/** Puts a commit's rows into the index; `trx` is the commit's own transaction. Chunks beyond the end of a replaced transcript are withdrawn. */
export async function indexTranscripts(trx: Db, rows: ReadonlyMap<DatasetName, readonly Row[]>, release: number): Promise<void> {
  const all = rows.get('transcript_chunks') ?? []
  for (const part of slicesOf(all, entriesAtOnce)) {
    const stems = part.map(row => stemsOf(String(row['text']), languageOf(row)))
    const column = (name: string): unknown[] => part.map(row => row[name])
    await sql`
      insert into transcript_index (subject, video_id, chunk_idx, release_from, known_from, upload_date, language, words, stems, length, withdrawn)
      select t.subject, t.video_id, t.chunk_idx, ${release}, t.known_from, t.upload_date, t.language,
        array_to_tsvector(string_to_array(t.words, ' ')), t.stems, t.length, t.withdrawn
      from unnest(${column('subject')}::text[], ${column('video_id')}::text[], ${column('chunk_idx')}::int[], ${column('known_from')}::timestamptz[],
        ${column('upload_date')}::date[], ${part.map(row => languageOf(row) ?? '')}::text[], ${part.map((row, at) => [...new Set(stems[at])].map(stem => lexemeOf(stem, languageOf(row))).join(' '))}::text[],
        ${stems.map(stemsText)}::text[], ${stems.map(each => each.length)}::int[], ${part.map(row => row['withdrawn'] === true)}::boolean[])
        as t(subject, video_id, chunk_idx, known_from, upload_date, language, words, stems, length, withdrawn)
      on conflict do nothing`.execute(trx)
    await sql`
      update transcript_index as o set release_to = ${release}
      from unnest(${column('subject')}::text[], ${column('video_id')}::text[], ${column('chunk_idx')}::int[]) as t(subject, video_id, chunk_idx)
      where o.subject = t.subject and o.video_id = t.video_id and o.chunk_idx = t.chunk_idx and o.release_from < ${release} and o.release_to is null`.execute(
      trx,
    )
  }
  const calls = all.filter(row => row['chunk_idx'] === 0)
  for (const { subject, video_id, chunks, known_from } of calls) {
    await sql`
      insert into transcript_index (subject, video_id, chunk_idx, release_from, known_from, upload_date, language, words, stems, length, withdrawn)
      select subject, video_id, chunk_idx, ${release}, ${known_from}::timestamptz, upload_date, language, ''::tsvector, '', 0, true
      from (
        select distinct on (chunk_idx) * from transcript_index
        where subject = ${subject} and video_id = ${video_id} and chunk_idx >= ${chunks} and release_from <= ${release}
        order by chunk_idx, release_from desc
      ) as newest
      where not withdrawn
      on conflict do nothing`.execute(trx)
    await sql`
      update transcript_index set release_to = ${release}
      where subject = ${subject} and video_id = ${video_id} and chunk_idx >= ${chunks} and release_from < ${release} and release_to is null`.execute(
      trx,
    )
  }
}

/**
 * Fills the index from the lake if the rules for splitting words changed since it was filled; meanwhile the lake answers searches. Returns
 * the releases that it read.
 */
export async function fillTranscriptIndex(db: Db, lakeAt: (release: number) => Promise<Lake>, signal: AbortSignal): Promise<number> {
  const state = await db.selectFrom('transcript_index_state').select(['complete', 'words_version']).executeTakeFirstOrThrow()
  if (state.complete && state.words_version === wordsVersion) return 0
  await db.transaction().execute(async trx => {
    await trx.updateTable('transcript_index_state').set({ complete: false, words_version: wordsVersion }).execute()
    await sql`truncate transcript_index`.execute(trx)
  })
  const { rows: releases } = await sql<{ release: number }>`
    select distinct release from dataset_release where dataset = 'transcript_chunks' order by release`.execute(db)
  for (const { release } of releases) {
    signal.throwIfAborted()
    const lake = await lakeAt(release)
    const rows = await lake.query<Row>(
      `select subject, video_id, chunk_idx, chunks, known_from, upload_date, language, text, withdrawn
       from transcript_chunks_history where release_from = $release order by subject, video_id, chunk_idx`,
      {},
      { transcript_chunks_history: 'all' },
    )
    await db.transaction().execute(trx => indexTranscripts(trx, new Map([['transcript_chunks', rows]]), release))
  }
  await db.updateTable('transcript_index_state').set({ complete: true }).execute()
  return releases.length
}

/** Finds hits by the index; null from `search` while it is not complete. */
export type TranscriptIndex = { readonly search: (question: TranscriptQuestion, release: number) => Promise<Found | null> }

export const transcriptIndexOn = (db: Db): TranscriptIndex => ({
  search: onceComplete(
    () => isComplete(db),
    (question, release) => findHits(db, question, release),
  ),
})

async function isComplete(db: Db): Promise<boolean> {
  const state = await db.selectFrom('transcript_index_state').select(['complete', 'words_version']).executeTakeFirst()
  return state?.complete === true && state.words_version === wordsVersion
}

/**
 * The next hits and how many there are in all, at a release. Throws `Upstream` if Postgres stops the search because it takes too long.
 * `ranked`: as `mostRanked`, for tests.
 */
async function findHits(db: Db, question: TranscriptQuestion, release: number, ranked = mostRanked): Promise<Found> {
  try {
    return await hitsOf(db, question, release, ranked)
  } catch (cause) {
    if ((cause as { code?: string }).code !== '57014') throw cause
    throw new Upstream('the search took too long and was stopped', { cause, hint: 'ask for a ticker, a rarer word or a range of days as well' })
  }
}

async function hitsOf(
  db: Db,
  { terms, subjects, language, from, to, as_of, after, limit }: TranscriptQuestion,
  release: number,
  ranked: number,
): Promise<Found> {
  const requested = languages.filter(each => language === null || each === language)
  const known = (name: string): RawBuilder<unknown> => (as_of === null ? sql`true` : sql`${sql.ref(name)} <= ${as_of}::timestamptz`)
  // Stems consist of letters and digits, and each has its language as a prefix: a quoted one is one lexeme, and one tsquery covers all
  // languages, which the index answers in one scan.
  const lexemes = (each: TranscriptLanguage | null): string =>
    `(${[...new Set(terms.flat().map(word => `'${lexemeOf(stemOf(word, each), each)}'`))].join(' & ')})`
  const matches = sql`f.words @@ ${requested.map(lexemes).join(' | ')}::tsquery`
  const phrases = terms
    .filter(term => term.length > 1)
    .map(
      term =>
        sql` and strpos(f.stems, case f.language ${sql.join(
          requested.map(each => sql`when ${each ?? ''} then ${termText(term, each)}`),
          sql` `,
        )} end) > 0`,
    )
  const countOf = (at: number): RawBuilder<unknown> =>
    sql`(case h.language ${sql.join(
      requested.map(each => {
        const text = termText(terms[at] ?? [], each)
        return sql`when ${each ?? ''} then (octet_length(h.stems) - octet_length(replace(h.stems, ${text}, ''))) / ${Buffer.byteLength(text)}::int`
      }),
      sql` `,
    )} end)`
  const share = (at: number): RawBuilder<unknown> => sql`(100 * ${countOf(at)})::float8 / (100 * ${countOf(at)} + 30 + h.length)::float8`
  const behind =
    after === null
      ? sql`true`
      : sql`(r.score < ${after.score} or (r.score = ${after.score} and (r.upload_date < ${after.upload_date}::date
          or (r.upload_date = ${after.upload_date}::date and (r.subject, r.video_id, r.chunk_idx) > (${after.subject}, ${after.video_id}, ${after.chunk_idx})))))`
  const current = sql`f.release_to is null or f.release_to > ${release}`
  // With an earlier as_of, a version that was replaced later may be the newest known at that time.
  const newest =
    as_of === null
      ? sql`(${current})`
      : sql`(${current} or not exists (
          select from transcript_index as n
          where n.subject = f.subject and n.video_id = f.video_id and n.chunk_idx = f.chunk_idx
            and n.release_from > f.release_from and n.release_from <= ${release} and n.known_from <= ${as_of}::timestamptz
        ))`
  const { rows } = await sql<HitKey & { total: number }>`
    with hits as materialized (
      select f.subject, f.video_id, f.chunk_idx, f.upload_date, f.language, f.stems, f.length
      from transcript_index as f
      where ${matches}${sql.join(phrases, sql``)}
        and f.release_from <= ${release} and ${known('f.known_from')} and not f.withdrawn
        and ${subjects === null ? sql`true` : sql`f.subject = any(${[...subjects]}::text[])`}
        and ${from === null ? sql`true` : sql`f.upload_date >= ${from}::date`} and ${to === null ? sql`true` : sql`f.upload_date <= ${to}::date`}
        and ${newest}
    ), ranked as (
      select * from hits order by upload_date desc, subject, video_id, chunk_idx limit ${ranked}
    ), scored as (
      select h.subject, h.video_id, h.chunk_idx, h.upload_date,
        floor((${sql.join(
          terms.map((_term, at) => share(at)),
          sql` + `,
        )}) / ${terms.length}::float8 * 10000::float8 + 0.5::float8)::int as score
      from ranked as h
    ), page as (
      select r.* from scored as r where ${behind}
      order by r.score desc, r.upload_date desc, r.subject, r.video_id, r.chunk_idx limit ${limit}
    )
    select p.score, p.upload_date, p.subject, p.video_id, p.chunk_idx, counted.total
    from (select count(*)::int as total from hits) as counted left join page as p on true
    order by p.score desc, p.upload_date desc, p.subject, p.video_id, p.chunk_idx`.execute(db)
  return { total: rows[0]?.total ?? 0, hits: rows.flatMap(({ total: _total, ...hit }) => (hit.subject === null ? [] : [hit])) }
}
