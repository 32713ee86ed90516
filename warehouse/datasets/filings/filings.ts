import type { Filing } from '#schemas/filings.ts'
import { titledForms } from '#schemas/form-titles.ts'
import type { ReportItem } from '#schemas/reports.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import type { FilingQuestion, Place } from './filing-question.ts'
import type { FilingIndex } from './search-index.ts'

const statements = sqlIn(import.meta.dirname, ['search-filings', 'find-filings', 'get-filing', 'find-sections', 'find-chain'])

/**
 * Filings of a search, newest first. A search for a few entities reads the lake, which stores an entity's filings together; a search over
 * all entities uses the index, if it exists.
 */
export async function searchFilings(lake: Lake, question: FilingQuestion, index: FilingIndex | null): Promise<Filing[]> {
  const found: Filing[] = []
  let { after } = question
  while (found.length < question.limit) {
    const requested = { ...question, after, limit: question.limit - found.length }
    const indexed = requested.ciks === null && index !== null ? await index.search(requested, lake.release) : null
    const places = indexed ?? (await searchLake(lake, requested))
    found.push(...(await findFilings(lake, places, question.as_of)))
    after = places.at(-1) ?? null
    if (places.length < requested.limit) break
  }
  return found
}

async function searchLake(lake: Lake, question: FilingQuestion): Promise<Place[]> {
  const { ciks, after, words, ...rest } = question
  const range = ciks ?? 'all'
  // Without words, headings inside filings do not matter.
  const inside = words.length === 0 ? [] : range
  return await lake.query<Place>(
    statements['search-filings'],
    {
      ...rest,
      words,
      title_forms: titledForms.map(([form]) => form),
      titles: titledForms.map(([, title]) => title),
      after_date: after?.filed_date ?? null,
      after_accession: after?.accession ?? null,
      after_cik: after?.cik ?? null,
    },
    { filings: range, report_items: inside, risk_factors: inside },
  )
}

/** The filings at these positions as of the release, newest first. */
async function findFilings(lake: Lake, places: readonly Place[], asOf: string | null): Promise<Filing[]> {
  if (places.length === 0) return []
  const days = places.map(place => place.filed_date).sort()
  const ciks = [...new Set(places.map(place => place.cik))]
  const rows = await lake.query<Filing>(
    statements['find-filings'],
    { accessions: [...new Set(places.map(place => place.accession))], ciks, from: days[0] ?? null, to: days.at(-1) ?? null, as_of: asOf },
    { filings_history: ciks },
  )
  const wanted = new Set(places.map(place => `${place.accession} ${place.cik}`))
  return rows.filter(row => wanted.has(`${row.accession} ${row.cik}`) && !row.withdrawn)
}

/** Every entity of a filing; empty if the accession number is unknown. */
export async function findFilingEntities(lake: Lake, accession: string, asOf: string | null): Promise<Filing[]> {
  return await lake.query<Filing>(statements['get-filing'], { accession, as_of: asOf }, { filings: 'all' })
}

type Version = { readonly source: string; readonly raw_sha256: string; readonly known_from: string; readonly accession: string }
/** Every document that wrote a version of the filings: an index line and a header complete each other. */
export async function findFilingVersions(lake: Lake, filings: readonly Pick<Filing, 'cik' | 'accession'>[], asOf: string | null): Promise<Version[]> {
  if (filings.length === 0) return []
  const ciks = [...new Set(filings.map(filing => filing.cik))]
  const accessions = [...new Set(filings.map(filing => filing.accession))]
  return await lake.query<Version>(
    `select distinct source, unnest(list_append(documents, raw_sha256)) as raw_sha256, known_from, accession from filings_history
     where accession in (select unnest($accessions)) order by raw_sha256, accession`,
    { accessions, as_of: asOf },
    { filings_history: ciks },
  )
}

/** An item of a filing with its visible text; null if the item is not present. */
export type Section = Pick<ReportItem, 'accession' | 'item' | 'part' | 'title' | 'status' | 'words' | 'text' | 'text_sha256' | 'document'> & {
  readonly source: string
  readonly raw_sha256: string
  readonly known_from: string
}

/** The items of a filing that were read, in the order of the document. `ciks`: its entities, under which the items are kept. */
export async function findSections(lake: Lake, ciks: readonly string[], accession: string, asOf: string | null): Promise<Section[]> {
  return await lake.query<Section>(statements['find-sections'], { accession, as_of: asOf }, { report_items: ciks })
}

export type ChainedFiling = Pick<Filing, 'accession' | 'form' | 'filed_date' | 'accepted_at'>
/** A filing with the filings that amend it or that it amends, oldest first; empty if there is no amendment. `ciks`: its entities. */
export async function findFilingChain(lake: Lake, ciks: readonly string[], accession: string, asOf: string | null): Promise<ChainedFiling[]> {
  const found = await lake.query<ChainedFiling>(statements['find-chain'], { accession, as_of: asOf, limit: longestChain }, { filings: ciks })
  return found.length > 1 && found.some(({ form }) => /\/A$|^424B/.test(form)) ? found : []
}
const longestChain = 200
