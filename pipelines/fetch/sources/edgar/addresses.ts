// The addresses of EDGAR, built from a CIK, an accession number or a day.
import { dayOfMonth } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { AccessionNumber, IsoDate } from '#schemas/values.ts'

const archives = 'https://www.sec.gov/Archives/edgar'

function cikDigits(cik: string): string {
  if (!/^\d{1,10}$/.test(cik)) throw new BadRequest(`edgar: "${cik.slice(0, 20)}" is not a CIK of at most ten digits`)
  return cik.padStart(10, '0')
}
function checkAccession(accession: string): string {
  if (!AccessionNumber.safeParse(accession).success) {
    throw new BadRequest(`edgar: "${accession.slice(0, 30)}" is not an accession number such as 0000320193-24-000123`)
  }
  return accession
}
function dayParts(date: string): { year: string; quarter: number; compact: string } {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`edgar: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return { year: date.slice(0, 4), quarter: Math.ceil(Number(date.slice(5, 7)) / 3), compact: date.replaceAll('-', '') }
}
/** File names inside a filing and the older pages of a submissions file come from the filer or EDGAR; they must not contain a path. */
function checkName(name: string, what: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/.test(name)) throw new BadRequest(`edgar: "${name.slice(0, 40)}" is not the name of ${what}`)
  return name
}

/** A filer's filings, about the newest 1,000; `filings.files[].name` names the older pages. */
export const submissionsUrl = (cik: string): string => `https://data.sec.gov/submissions/CIK${cikDigits(cik)}.json`
/** An older page of a filer's filings, e.g. `CIK0000320193-submissions-001.json`. */
export const submissionsPageUrl = (name: string): string => `https://data.sec.gov/submissions/${checkName(name, 'a submissions page')}`
export const companyFactsUrl = (cik: string): string => `https://data.sec.gov/api/xbrl/companyfacts/CIK${cikDigits(cik)}.json`

/** All filings disseminated on one day, in columns by form type. Days without filings have none. */
export function dailyIndexUrl(date: string): string {
  const { year, quarter, compact } = dayParts(date)
  return `${archives}/daily-index/${year}/QTR${quarter}/form.${compact}.idx`
}
/** All documents of one day as EDGAR disseminated them, a tar of `.nc` submissions. */
export function dailyFeedUrl(date: string): string {
  const { year, quarter, compact } = dayParts(date)
  return `${archives}/Feed/${year}/QTR${quarter}/${compact}.nc.tar.gz`
}

/** All filings of the quarter of `date`, by form; rewritten nightly during the quarter. The lines of `form.idx`, a tenth of its bytes. */
export function quarterIndexUrl(date: string): string {
  const { year, quarter } = dayParts(date)
  return `${archives}/full-index/${year}/QTR${quarter}/form.gz`
}

/** Entries of one page of the newest filings. */
export const newestPerPage = 100
/** The list of filings that EDGAR accepted last, newest first, as Atom; `start` counts entries, and a filing has one for each party. */
export const newestFilingsUrl = (start: number): string =>
  `https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent&count=${newestPerPage}&start=${start}&type=&owner=include&output=atom`

const structured = 'https://www.sec.gov/files/structureddata/data'
/** The SEC's tables of all Forms 3, 4 and 5 of the quarter of `date`; from 2006 on, some weeks after the quarter. */
export function insiderDataSetUrl(date: string): string {
  const { year, quarter } = dayParts(date)
  return `${structured}/insider-transactions-data-sets/${year}q${quarter}_form345.zip`
}
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/**
 * The SEC's tables of the 13F filings of a period: calendar quarters from 2013 Q2 to 2023 Q4, since January 2024 periods of
 * two, three, three, three and one month that keep a quarter's filings together (January and February; March to May; …).
 */
export function form13fDataSetUrl(date: string): string {
  const { from, to } = form13fPeriod(date)
  if (from < '2024-01-01') return `${structured}/form-13f-data-sets/${from.slice(0, 4)}q${dayParts(from).quarter}_form13f.zip`
  const printed = (day: string): string => `${day.slice(8)}${monthNames[Number(day.slice(5, 7)) - 1]}${day.slice(0, 4)}`
  return `${structured}/form-13f-data-sets/${printed(from)}-${printed(to)}_form13f.zip`
}
/** The period of the data set that holds the 13F filings of a day. */
export function form13fPeriod(date: string): { readonly from: string; readonly to: string } {
  const { year, quarter } = dayParts(date)
  const y = Number(year)
  const month = Number(date.slice(5, 7))
  const ofMonths = (first: number, months: number, firstYear = y) => ({
    from: dayOfMonth(firstYear, first, 1),
    to: dayOfMonth(firstYear, first + months, 0),
  })
  if (date < '2024-01-01') return ofMonths(quarter * 3 - 2, 3)
  if (date < '2024-03-01') return ofMonths(1, 2)
  // From March 2024 on: March to May, June to August, September to November, December to February.
  if (month === 12) return ofMonths(12, 3)
  return month < 3 ? ofMonths(12, 3, y - 1) : ofMonths(Math.floor(month / 3) * 3, 3)
}

/** The complete submission text of a filing, SGML header and all documents; needs no CIK. */
export const submissionTextUrl = (cik: string, accession: string): string =>
  `${archives}/data/${Number(cikDigits(cik))}/${checkAccession(accession).replaceAll('-', '')}/${accession}.txt`
/** One document of a filing, by its file name. */
export const documentUrl = (cik: string, accession: string, name: string): string =>
  `${archives}/data/${Number(cikDigits(cik))}/${checkAccession(accession).replaceAll('-', '')}/${checkName(name, 'a document')}`
/** A file as an index names it, e.g. `edgar/data/320193/0000320193-24-000123.txt`. */
export function indexedFileUrl(fileName: string): string {
  if (!/^edgar\/data\/\d{1,10}\/[A-Za-z0-9._/-]{1,200}$/.test(fileName) || fileName.includes('..')) {
    throw new BadRequest(`edgar: "${fileName.slice(0, 60)}" is not a file as EDGAR's indexes name them`)
  }
  return `https://www.sec.gov/Archives/${fileName}`
}

/** CIK, name, ticker and exchange of every filer with a listed security. */
export const tickersUrl = 'https://www.sec.gov/files/company_tickers_exchange.json'
/** Nightly archives, each one request instead of a million; about 03:00 Eastern. */
export const bulkSubmissionsUrl = `${archives}/daily-index/bulkdata/submissions.zip`
export const bulkCompanyFactsUrl = `${archives}/daily-index/xbrl/companyfacts.zip`
