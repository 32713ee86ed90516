// The search index in Postgres: returns candidates for a search over all filings in milliseconds, while a scan of the lake takes half a
// second for each year of filings (docs/benchmarks.md). Each commit fills it in its own transaction. Each row stores the release and the
// instant from which it is valid, so a pinned release or an earlier as_of always finds the same rows.
import { type RawBuilder, sql } from 'kysely'
import { Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { onceComplete } from '../../store/once-complete.ts'
import type { Db } from '../../store/postgres.ts'
import { slicesOf } from '../../store/slices.ts'
import type { FilingQuestion, Place } from './filing-question.ts'
import { filingText, searchWords, wordsVersion } from './search-words.ts'

type Row = Readonly<Record<string, unknown>>
type Entry = {
  readonly accession: string
  readonly cik: string
  readonly part: string
  readonly known_from: string
  readonly filed_date: string
  readonly form: string
  readonly words: readonly string[]
  readonly withdrawn: boolean
  readonly release_from: number
}

const entriesAtOnce = 2_000
/** A row of a b-tree holds less than 2,700 bytes, and no form type is longer. */
const longestForm = 64
/** Postgres has no year 0; nothing was filed before the SEC was founded. */
const firstDay = '1934-06-06'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const digitsOf = (accession: unknown): string => String(accession).replaceAll('-', '')

/** The index's row of a filing. */
function filingEntry(row: Row, release: number): Entry {
  const form = String(row['form'])
  const named = { company: text(row['company']), form, primary_description: text(row['primary_description']) }
  return { ...keyOf(row, release), part: '', words: [...searchWords(filingText(named)), ...itemWords(row['items'])] }
}

/** The columns of headings inside filings: the heading, its name, and its item. */
const headings = {
  report_items: { heading: 'title', part: 'line', item: 'item' },
  risk_factors: { heading: 'heading', part: 'rank', item: null },
} as const
type HeadingDataset = keyof typeof headings
const headingDatasets = Object.keys(headings) as readonly HeadingDataset[]

/** The index's row of a heading inside a filing: a search finds the filing by a heading that contains every word. */
function headingEntry(name: HeadingDataset, row: Row, release: number): Entry | null {
  const { heading, part, item } = headings[name]
  const printed = text(row[heading])
  if (printed === null) return null
  return {
    ...keyOf(row, release),
    part: `${name} ${String(row[part])}`,
    words: [...searchWords(printed), ...(item === null ? [] : itemWords([row[item]]))],
  }
}

const itemWord = (item: string): string => `item:${item}`
/** Item numbers of current reports, as words that no text is cut into. */
const itemWords = (items: unknown): string[] =>
  (Array.isArray(items) ? items : []).flatMap(item => (/^\d{1,2}(?:\.\d{2})?$/.test(String(item)) ? itemWord(String(item)) : []))
function keyOf(row: Row, release: number): Omit<Entry, 'part' | 'words'> {
  return {
    accession: digitsOf(row['accession']),
    cik: String(row['cik']),
    known_from: String(row['known_from']),
    filed_date: String(row['filed_date']),
    form: String(row['form']).replaceAll('\u0000', '').slice(0, longestForm),
    withdrawn: row['withdrawn'] === true,
    release_from: release,
  }
}

/** Puts a commit's rows into the index; `trx` is the commit's own transaction. */
export async function indexFilings(trx: Db, rows: ReadonlyMap<DatasetName, readonly Row[]>, release: number): Promise<void> {
  const filings = (rows.get('filings') ?? []).map(row => filingEntry(row, release))
  const inside = headingDatasets.flatMap(name => (rows.get(name) ?? []).flatMap(row => headingEntry(name, row, release) ?? []))
  await insertEntries(trx, [...filings, ...inside])
}

/** Omits an entry equal to the newest one of its key: it changes no search. */
async function insertEntries(db: Db, all: readonly Entry[]): Promise<void> {
  const entries = all.filter(entry => entry.filed_date >= firstDay)
  for (const part of slicesOf(entries, entriesAtOnce)) {
    const column = (name: keyof Entry): unknown[] => part.map(entry => entry[name])
    await sql`
      insert into filing_index (accession, cik, part, release_from, known_from, filed_date, form, words, withdrawn)
      select t.accession, t.cik, t.part, t.release_from, t.known_from, t.filed_date, t.form, array_to_tsvector(string_to_array(t.words, ' ')), t.withdrawn
      from unnest(${column('accession')}::bigint[], ${column('cik')}::bigint[], ${column('part')}::text[], ${column('release_from')}::bigint[],
        ${column('known_from')}::timestamptz[], ${column('filed_date')}::date[], ${column('form')}::text[],
        ${part.map(entry => entry.words.join(' '))}::text[], ${column('withdrawn')}::boolean[])
        as t(accession, cik, part, release_from, known_from, filed_date, form, words, withdrawn)
      where not exists (
        select from (
          select * from filing_index as f where f.accession = t.accession and f.cik = t.cik and f.part = t.part and f.release_from < t.release_from
          order by f.release_from desc limit 1
        ) as newest
        where (newest.known_from, newest.filed_date, newest.form, newest.words, newest.withdrawn)
          = (t.known_from, t.filed_date, t.form, array_to_tsvector(string_to_array(t.words, ' ')), t.withdrawn)
      )
      on conflict do nothing`.execute(db)
  }
}

/**
 * Fills the index from the lake after an upgrade from a version without the index, or with another way to split words. Meanwhile commits
 * continue and index their own rows, and the lake answers searches. Returns the releases that it read.
 */
export async function fillFilingIndex(db: Db, lakeAt: (release: number) => Promise<Lake>, signal: AbortSignal): Promise<number> {
  const state = await db.selectFrom('filing_index_state').select(['complete', 'words_version']).executeTakeFirstOrThrow()
  if (state.complete && state.words_version === wordsVersion) return 0
  if (state.words_version !== wordsVersion) {
    await db.transaction().execute(async trx => {
      await trx.updateTable('filing_index_state').set({ complete: false, words_version: wordsVersion }).execute()
      await sql`truncate filing_index`.execute(trx)
    })
  }
  const { rows: releases } = await sql<{ release: number }>`
    select distinct release from dataset_release where dataset = any(${['filings', ...headingDatasets]}::text[]) order by release`.execute(db)
  for (const { release } of releases) {
    signal.throwIfAborted()
    const lake = await lakeAt(release)
    const rows = new Map<DatasetName, readonly Row[]>()
    for (const name of ['filings', ...headingDatasets] as const) {
      const columns =
        name === 'filings'
          ? 'company, primary_description, items'
          : Object.values(headings[name])
              .filter(column => column !== null)
              .join(', ')
      rows.set(
        name,
        await lake.query<Row>(
          `select accession, cik, form, filed_date, known_from, withdrawn, ${columns} from ${name}_history where release_from = $release`,
          {},
          { [`${name}_history`]: 'all' },
        ),
      )
    }
    await db.transaction().execute(trx => indexFilings(trx, rows, release))
  }
  await db.updateTable('filing_index_state').set({ complete: true }).execute()
  return releases.length
}

/** Finds filings by the index; null from `search` while it is not complete. */
export type FilingIndex = { readonly search: (question: FilingQuestion, release: number) => Promise<readonly Place[] | null> }

export const filingIndexOn = (db: Db): FilingIndex => ({
  search: onceComplete(
    () => isComplete(db),
    (question, release) => findCandidates(db, question, release),
  ),
})

export async function isComplete(db: Db): Promise<boolean> {
  const state = await db.selectFrom('filing_index_state').select(['complete', 'words_version']).executeTakeFirst()
  return state?.complete === true && state.words_version === wordsVersion
}

/** Up to this many hits are collected and sorted; with more, walking back from the newest day finds the newest quickly. */
const sortedHits = 20_000

/** The next filings of a search at a release, each once; fewer than `limit` only if there are no more. */
export async function findCandidates(db: Db, question: FilingQuestion, release: number, sortable = sortedHits): Promise<Place[]> {
  const found: Place[] = []
  let { after } = question
  for (;;) {
    // A filing that is found by several of its headings comes several times.
    const rows = await candidateRows(db, { ...question, after }, release, sortable)
    for (const row of rows) {
      const last = found.at(-1)
      if (last?.accession !== row.accession || last.cik !== row.cik) found.push(row)
    }
    after = rows.at(-1) ?? null
    if (rows.length < question.limit || after === null) return found.slice(0, question.limit)
    if (found.length >= question.limit) return found.slice(0, question.limit)
  }
}

/** Throws `Upstream` if Postgres stops the search because it takes too long. */
async function candidateRows(db: Db, question: FilingQuestion, release: number, sortable: number): Promise<Place[]> {
  try {
    const hits = question.words.length + question.items.length > 0 ? await sortedRows(db, question, release, sortable) : null
    return hits ?? (await placesOf(db, question, release, sql`filing_index as f where ${sql.join(conditionsOf(question, release), sql` and `)}`))
  } catch (cause) {
    if ((cause as { code?: string }).code !== '57014') throw cause
    throw new Upstream('the search took too long and was stopped', { cause, hint: 'ask for a form, a company or a range of days as well' })
  }
}

/** The next positions by way of all hits; null if there are too many. Walking would take too long for a rare combination of words. */
async function sortedRows(db: Db, question: FilingQuestion, release: number, sortable: number): Promise<Place[] | null> {
  const conditions = sql.join(conditionsOf({ ...question, after: null }, release), sql` and `)
  const { rows } = await sql<{ hits: number }>`
    select count(*) as hits from (select from filing_index as f where ${conditions} limit ${sortable + 1}) as found`.execute(db)
  if ((rows[0]?.hits ?? 0) > sortable) return null
  const after = question.after === null ? sql`true` : behind(question.after)
  return await placesOf(db, question, release, sql`(select * from filing_index as f where ${conditions} offset 0) as f where ${after}`)
}

const known = (name: string, asOf: string | null) => (asOf === null ? sql`true` : sql`${sql.ref(name)} <= ${asOf}::timestamptz`)
const behind = (place: Place) =>
  sql`(f.filed_date, f.accession, f.cik) < (${place.filed_date}::date, ${digitsOf(place.accession)}::bigint, ${place.cik}::bigint)`

function conditionsOf(question: FilingQuestion, release: number): RawBuilder<unknown>[] {
  const { forms, prefixes, amendments, from, to, items, words, after, as_of } = question
  // Words consist of letters and digits, items of digits: a quoted one is one lexeme.
  const lexemes = [...words.map(word => `'${word}'`), ...(items.length === 0 ? [] : [`(${items.map(item => `'${itemWord(item)}'`).join(' | ')})`])]
  return [
    sql`f.release_from <= ${release}`,
    known('f.known_from', as_of),
    sql`not f.withdrawn`,
    // Headings are searched by words only.
    ...(words.length === 0 ? [sql`f.part = ''`] : []),
    ...(from > firstDay ? [sql`f.filed_date >= ${from}::date`] : []),
    ...(to < '9999' ? [sql`f.filed_date <= ${to}::date`] : []),
    ...formConditions(forms, prefixes),
    ...(amendments === 'any' ? [] : [amendments === 'only' ? sql`f.form like '%/A'` : sql`f.form not like '%/A'`]),
    ...(lexemes.length === 0 ? [] : [sql`f.words @@ ${lexemes.join(' & ')}::tsquery`]),
    ...(after === null ? [] : [behind(after)]),
  ]
}

/** The newest positions of `found`, each as of its newest version. */
async function placesOf(db: Db, { as_of, limit }: FilingQuestion, release: number, found: RawBuilder<unknown>): Promise<Place[]> {
  const { rows } = await sql<{ accession: string; cik: string; filed_date: string }>`
    select lpad(f.accession::text, 18, '0') as accession, lpad(f.cik::text, 10, '0') as cik, f.filed_date
    from ${found}
      and not exists (
        select from filing_index as n
        where n.accession = f.accession and n.cik = f.cik and n.part = f.part
          and n.release_from > f.release_from and n.release_from <= ${release} and ${known('n.known_from', as_of)}
      )
    order by f.filed_date desc, f.accession desc, f.cik desc
    limit ${limit}`.execute(db)
  return rows.map(row => ({ ...row, accession: `${row.accession.slice(0, 10)}-${row.accession.slice(10, 12)}-${row.accession.slice(12)}` }))
}

function formConditions(forms: readonly string[], prefixes: readonly string[]): RawBuilder<unknown>[] {
  if (forms.length + prefixes.length === 0) return []
  const either = [
    ...(forms.length === 0 ? [] : [sql`f.form = any(${[...forms]}::text[])`]),
    ...prefixes.map(prefix => sql`starts_with(f.form, ${prefix})`),
  ]
  return [sql`(${sql.join(either, sql` or `)})`]
}
