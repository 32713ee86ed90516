// data.sec.gov/submissions: CIK##########.json with its newest thousand filings, and the older pages as bare arrays.
import { z } from 'zod'
import { Unreadable } from '#schemas/errors.ts'
import type { RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { archiveUrl, cikOf, fileName } from './address.ts'
import { easternInstant, easternWall } from './eastern.ts'
import { blankFiling, type FilingFact, type FilingReference, isReleasedLater, knownFrom, parsedFilings, references } from './facts.ts'
import { type IssuerFact, issuerFact } from './issuers.ts'
import { jsonOf } from './text.ts'

const Texts = z.array(z.string().nullable())
const Numbers = z.array(z.union([z.number(), z.boolean()]).nullable())
const Arrays = z.object({
  accessionNumber: z.array(z.string().regex(/^\d{10}-\d{2}-\d{6}$/)),
  filingDate: z.array(z.iso.date()),
  form: z.array(z.string()),
  acceptanceDateTime: Texts.optional(),
  reportDate: Texts.optional(),
  act: Texts.optional(),
  fileNumber: Texts.optional(),
  filmNumber: Texts.optional(),
  items: Texts.optional(),
  size: Numbers.optional(),
  isXBRL: Numbers.optional(),
  primaryDocument: Texts.optional(),
  primaryDocDescription: Texts.optional(),
})
const Page = z.object({ name: z.string().regex(/^CIK\d{10}-submissions-\d{3}\.json$/) })
const Whole = z.object({
  cik: z.union([z.string(), z.number()]),
  name: z.string(),
  sic: z.string().nullish(),
  sicDescription: z.string().nullish(),
  stateOfIncorporation: z.string().nullish(),
  fiscalYearEnd: z.string().nullish(),
  filings: z.object({ recent: Arrays, files: z.array(Page) }),
})

export type SubmissionsFile = {
  readonly cik: string | null // null: an older page, which does not name its entity
  readonly name: string | null
  /** Null for an older page, and for persons and entities without an industry code. */
  readonly issuer: IssuerFact | null
  readonly arrays: z.infer<typeof Arrays>
  readonly olderPages: readonly string[]
  readonly clock: Clock
}
export type Clock = 'eastern' | 'utc'

/** Reads either shape. Throws `Unreadable`: `not_json`, `not_submissions`, `ragged_arrays`. */
export function parseSubmissions(subject: string, bytes: Uint8Array): SubmissionsFile {
  const json = jsonOf(subject, bytes)
  const isWhole = typeof json === 'object' && json !== null && 'filings' in json
  const shape = isWhole ? Whole.safeParse(json) : Arrays.safeParse(json)
  if (!shape.success) {
    const [issue] = shape.error.issues
    throw new Unreadable('not_submissions', `${subject}: ${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'other shape'}`)
  }
  const whole = isWhole ? Whole.parse(json) : null
  const arrays = whole === null ? Arrays.parse(json) : whole.filings.recent
  for (const [column, cells] of Object.entries(arrays)) {
    if (cells.length !== arrays.accessionNumber.length) {
      throw new Unreadable('ragged_arrays', `${subject}: ${column} has ${cells.length} entries, accessionNumber ${arrays.accessionNumber.length}`)
    }
  }
  return {
    cik: whole === null ? null : cikOf(whole.cik),
    name: whole?.name ?? null,
    issuer: whole && issuerFact(cikOf(whole.cik), whole.name, whole.sic, whole.sicDescription, whole.stateOfIncorporation, whole.fiscalYearEnd),
    arrays,
    olderPages: whole?.filings.files.map(page => `https://data.sec.gov/submissions/${page.name}`) ?? [],
    clock: clockOf(arrays),
  }
}

/**
 * The clock that `acceptanceDateTime` uses. It always ends in Z, but for about a fifth of the filers it is Eastern time (a comparison with
 * 64,936 SGML headers is in github.com/theOGognf/finagg/issues/64; it belongs to the file, not to the filing). EDGAR accepts from 6:00 to
 * 22:00 Eastern, and a filing accepted after 17:30 is dated the next business day, except ownership forms (Regulation S-T, rule 13). Each
 * row therefore allows one interpretation, both, or none, and the file is interpreted as most of the decided rows indicate. Undecided files
 * are read as Eastern, the later instant, so that nothing is known too early.
 */
export function clockOf(arrays: Pick<z.infer<typeof Arrays>, 'acceptanceDateTime' | 'filingDate' | 'form' | 'accessionNumber'>): Clock {
  let eastern = 0
  let utc = 0
  arrays.accessionNumber.forEach((accession, index) => {
    const stamp = stampIn(arrays.acceptanceDateTime?.[index])
    const form = arrays.form[index] ?? ''
    // Accession prefixes of the SEC itself: scanned paper and orders carry the scan's time.
    if (stamp === undefined || stamp.endsWith('T00:00:00') || isReleasedLater(form) || /^(9999999|0000000000)/.test(accession)) return
    const filed = arrays.filingDate[index] ?? ''
    const asEastern = isAllowed(stamp, filed, form)
    const asUtc = isAllowed(easternWall(`${stamp}Z`), filed, form)
    if (asEastern && !asUtc) eastern += 1
    if (asUtc && !asEastern) utc += 1
  })
  return utc > eastern ? 'utc' : 'eastern'
}

/** Whether EDGAR could have accepted a filing of this date at this Eastern time. The few forms that may be dated the same evening decide nothing. */
function isAllowed(wall: string, filed: string, form: string): boolean {
  const [day = '', time = ''] = wall.split('T')
  if (time < '06:00:00' || time > '22:05:00') return false
  const sameEvening = /^([345](\/A)?$|144|SC 13[DG]|SCHEDULE 13[DG]|[SF]-\d+MEF)/.test(form)
  if (time <= '17:31:00') return day === filed
  return sameEvening ? day <= filed : day < filed
}

/** The date and time at the start of a cell; undefined if the calendar has no such day. */
function stampIn(cell: string | null | undefined): string | undefined {
  const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(cell ?? '')?.[0]
  const at = stamp === undefined ? Number.NaN : Date.parse(`${stamp}Z`)
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 19) !== stamp ? undefined : stamp
}

function acceptedAt(cell: string | null | undefined, clock: Clock): string | null {
  const stamp = stampIn(cell)
  // The file shows midnight for filings before 2002, for which EDGAR kept no time.
  if (stamp === undefined || stamp.endsWith('T00:00:00')) return null
  return clock === 'eastern' ? easternInstant(stamp.replace(/\D/g, '')) : `${stamp}Z`
}

/** The filings of the file as rows of `filings`; `cik` if the document does not name it. */
function submissionFacts(file: SubmissionsFile, cik: string): FilingFact[] {
  const { arrays } = file
  return arrays.accessionNumber.map((accession, index) => {
    const form = arrays.form[index] ?? ''
    const filed = arrays.filingDate[index] ?? ''
    const accepted = acceptedAt(arrays.acceptanceDateTime?.[index], file.clock)
    const size = arrays.size?.[index]
    const xbrl = arrays.isXBRL?.[index]
    const report = arrays.reportDate?.[index] ?? ''
    return {
      ...blankFiling,
      accession,
      cik,
      company: file.name,
      form,
      filed_date: filed,
      accepted_at: accepted,
      period_of_report: z.iso.date().safeParse(report).data ?? null,
      items: (arrays.items?.[index] ?? '').split(',').filter(item => item !== ''),
      act: arrays.act?.[index] || null,
      file_number: arrays.fileNumber?.[index] || null,
      film_number: arrays.filmNumber?.[index] || null,
      // `xslF345X05/form4.xml` is the rendered view of form4.xml.
      primary_document: (arrays.primaryDocument?.[index] ?? '').replace(/^xsl[^/]{1,30}\//, '') || null,
      primary_description: arrays.primaryDocDescription?.[index] || null,
      size_bytes: typeof size === 'number' && Number.isInteger(size) && size >= 0 ? size : null,
      xbrl: xbrl === undefined || xbrl === null ? null : Boolean(xbrl),
      url: archiveUrl(cik, accession),
      ...knownFrom(form, accepted, filed),
    }
  })
}

const addressPattern =
  /^https:\/\/(?:data\.sec\.gov\/submissions\/|www\.sec\.gov\/Archives\/edgar\/daily-index\/bulkdata\/submissions\.zip#)CIK\d{10}(?:-submissions-\d{3})?\.json$/

/** The CIK of a document: its own, else that of the page's name. Throws `Unreadable` (`cik_missing`) if neither has one. */
function cikOfFile(file: SubmissionsFile, url: string): string {
  const cik = file.cik ?? cikOf(/(?:^|[/#])(CIK\d{10})[^/#]*$/.exec(url)?.[1] ?? '')
  if (cik === null) throw new Unreadable('cik_missing', `submissions page ${url}: neither the page nor its address names a CIK`)
  return cik
}

/** The filings that a submissions file lists, each accession once. */
export function submissionReferences(document: RawDocument): FilingReference[] {
  const file = parseSubmissions(`submissions ${document.url}`, document.body)
  const cik = cikOfFile(file, document.url)
  return references(file.arrays.accessionNumber.map((accession, index) => ({ accession, cik, form: file.arrays.form[index] ?? '' })))
}

export const submissionsReader = reader('edgar.submissions', 'filings', {
  reads: url => addressPattern.test(url),
  recognise: (path, head) => {
    if (!/\.json$/i.test(fileName(path)) || !/"accessionNumber"\s*:\s*\[/.test(head)) return null
    const own = /^\s*\{\s*"cik"\s*:\s*"?(\d{1,10})"?/.exec(head)?.[1]
    if (own !== undefined) return `https://data.sec.gov/submissions/CIK${own.padStart(10, '0')}.json`
    const page = /^CIK\d{10}-submissions-\d{3}\.json$/.exec(fileName(path))
    return page ? `https://data.sec.gov/submissions/${fileName(path)}` : `recorded:${path}`
  },
  parse: document => {
    const file = parseSubmissions(`submissions ${document.url}`, document.body)
    const parsed = parsedFilings(submissionFacts(file, cikOfFile(file, document.url)), [], file.olderPages)
    return file.issuer ? { ...parsed, facts: { ...parsed.facts, issuers: [file.issuer] } } : parsed
  },
})
