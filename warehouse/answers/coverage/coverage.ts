import type { Coverage } from '#schemas/coverage.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { RowOrigin } from '../../context/answer.ts'
import { evaluateInsiderRegime, type InsiderRegime, insiderRules, regimeSentence } from '../../rulesets/insider-reporting/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import type { Range } from '../../store/lake/relation.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-listed', 'find-own-list', 'find-index-months'])

/** The requested filings: some forms of one entity, and the datasets of their content. */
export type CoverageQuestion = {
  /** Null: no CIK is known for the request. */
  readonly cik: string | null
  /** As a sentence names it, e.g. `ZZZ.TO` or `CIK 0009900004`. */
  readonly subject: string
  /** As a sentence names the filings, e.g. `Forms 3, 4 and 5`. */
  readonly what: string
  /** Form types without `/A`. */
  readonly forms: readonly string[]
  /** The dataset with one row per filing that was read, with `accession`; `keys` of its first order column (default: the CIK). */
  readonly content: { readonly dataset: DatasetName; readonly keys?: Range }
  /** The first day from which filings of the forms have a readable structure. */
  readonly readFrom: string
  /** What precedes that day, as a phrase for a sentence. */
  readonly before: string
  /** A role in which the filings of the entity are about another entity. */
  readonly notRole?: string
  readonly as_of: string | null
}
export type FoundCoverage = {
  readonly coverage: Coverage
  /** The newest day of each form that the entity filed. */
  readonly filed: ReadonlyMap<string, string>
  /** The documents behind the result, for a receipt. */
  readonly origins: readonly RowOrigin[]
}

/** The inputs of coverage; an answer with coverage depends on them. */
export const coverageDatasets = ['filings'] as const

type Listed = {
  readonly form: string
  readonly filings: number
  readonly first_day: string
  readonly last_day: string
  readonly accessions: readonly string[] | null
  readonly days: readonly string[] | null
}
type Month = { readonly month: string; readonly first_day: string; readonly raw_sha256: string; readonly source: string }
/** A filer's list is complete if it has fewer: its newest 1,000 filings are on the first page. */
const ownListWhole = 1_000

/**
 * Explains why a query for an entity's filings found nothing: they are listed and not read, or the loaded index does not list them. Cost:
 * a read of the entity's filings and, if none is listed, of two columns of the whole index.
 */
export async function findCoverage(lake: Lake, question: CoverageQuestion): Promise<FoundCoverage> {
  const { cik, subject, what, as_of } = question
  if (cik === null) {
    const sentence = `no CIK is known for ${subject}: as far as is known here it does not file with the SEC`
    return { coverage: { status: 'unknown_filer', sentence, from: null }, filed: new Map(), origins: [] }
  }
  const listed = await lake.query<Listed>(
    statements['find-listed'],
    { forms: question.forms, not_role: question.notRole ?? '-', as_of },
    { filings: [cik] },
  )
  const filed = new Map(listed.map(row => [row.form, row.last_day]))
  const origins = await lake.query<RowOrigin>(
    'select distinct source, raw_sha256 from (select source, unnest(list_append(documents, raw_sha256)) as raw_sha256 from filings_history) order by raw_sha256',
    { as_of },
    { filings_history: [cik] },
  )
  const wanted = listed.flatMap(row => (row.accessions ?? []).map((accession, at) => ({ accession, day: row.days?.[at] ?? '' })))
  if (wanted.length > 0) return { coverage: await coverageOfListed(lake, question, wanted), filed, origins }
  const [own] = await lake.query<{ filings: number; first_day: string | null }>(statements['find-own-list'], { as_of }, { filings_history: [cik] })
  const ownFrom = own && own.filings > 0 ? own.first_day : null
  const months = contiguous(await lake.query<Month>(statements['find-index-months'], { as_of }, { filings_history: 'all' }))
  const indexed = months.map(({ source, raw_sha256 }) => ({ source, raw_sha256 }))
  const indexFrom = months.at(-1)?.first_day ?? null
  const from = [ownFrom, indexFrom].filter(day => day !== null).sort()[0] ?? null
  const whole = ownFrom !== null && (own?.filings ?? 0) < ownListWhole
  const none = `${what} of ${subject}`
  const coverage: Coverage =
    from === null
      ? { status: 'not_loaded', sentence: `no index of filings was loaded here, so nothing is known of ${none}`, from }
      : whole || from <= question.readFrom
        ? {
            status: 'none',
            sentence: `there are no ${none}: ${whole ? "the filer's own list" : `the index of all filings since ${from}`} names none`,
            from,
          }
        : { status: 'not_loaded', sentence: `no ${none} are listed since ${from}; the index of filings before that day was not loaded here`, from }
  return { coverage, filed, origins: [...origins, ...indexed] }
}

/** Months from the newest back to the first missing one: before it the index is incomplete. */
function contiguous(months: readonly Month[]): Month[] {
  const kept: Month[] = []
  for (const month of months) {
    const next = kept.at(-1)
    if (next && monthNumber(next.month) - monthNumber(month.month) > 1) break
    kept.push(month)
  }
  return kept
}
const monthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7))

/** Filings are listed: which of them were read, and why the others were not. */
async function coverageOfListed(
  lake: Lake,
  { cik, subject, what, content, readFrom, before, as_of }: CoverageQuestion,
  wanted: readonly { readonly accession: string; readonly day: string }[],
): Promise<Coverage> {
  const rows = await lake.query<{ accession: string }>(
    `select distinct accession from ${content.dataset} where accession in (select unnest($accessions))`,
    { accessions: wanted.map(each => each.accession), as_of },
    { [content.dataset]: content.keys ?? [cik as string] },
  )
  const read = new Set(rows.map(row => row.accession))
  const unread = wanted.filter(each => !read.has(each.accession)).map(each => each.day)
  const days = (wanted.length === unread.length ? unread : wanted.filter(each => read.has(each.accession)).map(each => each.day)).sort()
  const from = days[0] ?? null
  if (unread.length === 0)
    return { status: 'none', sentence: `${count(wanted.length, what, subject)} ${span(days)} were read, and none of them holds what was asked`, from }
  const late = unread.filter(day => day >= readFrom).sort()
  const old = unread.filter(day => day < readFrom).sort()
  const parts = [
    ...(old.length > 0 ? [`${count(old.length, what, subject)} ${span(old)} ${old.length === 1 ? 'is' : 'are'} listed; ${before}`] : []),
    ...(late.length > 0
      ? [
          `${count(late.length, what, subject)} ${span(late)} ${late.length === 1 ? 'is listed and its' : 'are listed and their'} content was not loaded here`,
        ]
      : []),
    ...(read.size > 0 ? [`${read.size} others were read`] : []),
  ]
  return { status: 'not_read', sentence: parts.join('; '), from: read.size > 0 ? from : null }
}

const count = (number: number, what: string, subject: string): string => `${number} ${number === 1 ? 'filing' : 'filings'} on ${what} of ${subject}`
const span = (days: readonly string[]): string => (days[0] === days.at(-1) ? `of ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`)

/** Why there are no Forms 3, 4 and 5 of an issuer (or owner): by law if its insiders report elsewhere, else by `findCoverage`. */
export async function findInsiderCoverage(
  lake: Lake,
  issuer: {
    readonly cik: string | null
    readonly subject: string
    readonly listedInCanada: boolean
    /** True: the entity is the reporting owner, and no issuer's rule applies. */
    readonly byOwner: boolean
    readonly as_of: string | null
  },
): Promise<FoundCoverage & { readonly regime: InsiderRegime }> {
  const found = await findCoverage(lake, {
    ...issuer,
    what: 'Forms 3, 4 and 5',
    forms: ['3', '4', '5'],
    content: { dataset: 'insider_filings', ...(issuer.byOwner ? { keys: 'all' as const } : {}) },
    readFrom: insiderRules.read_from,
    before: `before ${insiderRules.read_from} these forms came on paper or as text, which is not read`,
    ...(issuer.byOwner ? {} : { notRole: 'reporting_owner' }),
  })
  const regime = evaluateInsiderRegime({ listedInCanada: issuer.listedInCanada, filed: found.filed })
  const sentence = issuer.byOwner ? null : regimeSentence(regime)
  // Listed filings are reported first: an exempt issuer may file too.
  if (sentence === null || found.coverage.status === 'not_read' || (found.coverage.status === 'none' && hasForms(found.filed)))
    return { ...found, regime }
  const status = regime === 'canada' ? ('home_country' as const) : ('foreign_private_issuer' as const)
  return { ...found, regime, coverage: { status, sentence, from: found.coverage.from } }
}
const hasForms = (filed: ReadonlyMap<string, string>): boolean => ['3', '4', '5'].some(form => filed.has(form))
