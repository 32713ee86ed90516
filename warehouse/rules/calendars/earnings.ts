import type { EarningsDate } from '#schemas/calendars.ts'
import type { EarningsEvidence } from '#schemas/fundamentals.ts'
import type { ReleaseContext, RowOrigin } from '../../context/answer.ts'
import { issuerCik } from '../../context/issuer.ts'
import { dayAt, sessionAt } from '../../datasets/fundamentals/session.ts'
import { statusOfMark } from '../../rulesets/report-dates/rules.ts'
import { sqlIn } from '../../store/sql-files.ts'
import type { Statement } from './reports.ts'

const statements = sqlIn(import.meta.dirname, ['find-earnings-dates', 'find-report-evidence', 'find-earnings-sources'])

type Query = { readonly from: string; readonly to: string; readonly as_of: string | null }

/** The canonical symbol of `CJR-B.CA`, by the directory: the board that lists it or listed it last; null if neither does. */
function onBoard({ symbols }: Pick<ReleaseContext, 'symbols'>, symbol: string): string | null {
  if (!symbol.endsWith('.CA')) return symbol
  const boards = ['.TO', '.V'].map(board => symbols.find(symbol.replace(/\.CA$/, board))).filter(row => row !== null)
  const listed = boards.find(row => row.valid_to === null) ?? boards.toSorted((a, b) => ((a.valid_to ?? '') > (b.valid_to ?? '') ? -1 : 1))[0]
  return listed?.symbol ?? null
}

/** The issuer's CIK of a symbol; null if the symbol is unknown or its issuer files nothing with the SEC. */
export const knownCik = (context: ReleaseContext, symbol: string): string | null =>
  context.symbols.find(symbol) === null && context.issuers.cikOf(symbol) === null ? null : issuerCik(context, symbol)

/** The symbol under which an issuer is shown: that of the SEC's map, else a listed line of the issuer. */
export function symbolOfIssuer({ symbols, issuers }: ReleaseContext, cik: string): string | null {
  const lines = symbols.byCik(cik)
  return issuers.mappedSymbolOf(cik) ?? (lines.find(row => row.valid_to === null) ?? lines[0])?.symbol ?? issuers.symbolOf(cik)
}
/** The company's name by its listing; null if it has none. */
export function nameOfSymbol({ symbols }: Pick<ReleaseContext, 'symbols'>, symbol: string | null): string | null {
  const listing = symbol === null ? null : symbols.find(symbol)
  return listing === null ? null : (listing.issuer ?? listing.name)
}

function statementOfDate(context: ReleaseContext, row: EarningsDate): Statement {
  const symbol = onBoard(context, row.symbol)
  const cik = symbol === null ? null : knownCik(context, symbol)
  return {
    issuer: cik ?? symbol ?? row.symbol,
    cik,
    symbol,
    name: row.name,
    source_name: row.source_name,
    status: row.status,
    mark: row.mark,
    date: row.date,
    window_end: row.window_end,
    time_of_day: row.time_of_day,
    released: false,
    month: /^\d{4}-\d\d$/.test(row.report) ? row.report : null,
    period_end: row.period_end,
    eps_estimate: row.eps_estimate,
    eps_low: row.eps_low,
    eps_high: row.eps_high,
    eps_actual: row.eps_actual,
    revenue_estimate: row.revenue_estimate,
    revenue_low: row.revenue_low,
    revenue_high: row.revenue_high,
    estimates: row.estimates,
    currency: row.currency,
    accession: null,
    form: null,
    quote: null,
    known_from: row.known_from,
    known_basis: row.known_basis,
    source: row.source,
    raw_sha256: row.raw_sha256,
  }
}

type Evidence = Pick<
  EarningsEvidence,
  'accession' | 'cik' | 'form' | 'filed_date' | 'kind' | 'period_end' | 'announced_date' | 'announced_time' | 'quote' | 'flags'
> &
  Pick<EarningsEvidence, 'known_from' | 'known_basis' | 'source' | 'raw_sha256'>

/** A filing's statement: the day that it names, or its day of publication (of its acceptance, in the exchange's time zone). */
/** The figures of a statement that names a day only. */
export const noFigures = {
  eps_estimate: null,
  eps_low: null,
  eps_high: null,
  eps_actual: null,
  revenue_estimate: null,
  revenue_low: null,
  revenue_high: null,
  estimates: null,
  currency: null,
}
function statementOfEvidence(row: Evidence): Statement | null {
  const released = row.kind === 'results_released'
  const accepted = row.known_basis === 'accepted' ? row.known_from : null
  const date = released ? (accepted === null ? row.filed_date : dayAt('US', accepted)) : row.announced_date
  if (date === null) return null
  const session = released && accepted !== null ? sessionAt('US', accepted) : null
  const mark = row.flags.includes('approximate') ? 'roughly_named' : 'issuer_filing'
  return {
    issuer: row.cik,
    cik: row.cik,
    symbol: null,
    name: null,
    source_name: 'edgar',
    status: statusOfMark('edgar', mark),
    mark,
    date,
    window_end: null,
    time_of_day: released ? (session === 'no_session' ? null : session) : row.announced_time,
    released,
    month: row.period_end?.slice(0, 7) ?? null,
    period_end: row.period_end,
    ...noFigures,
    accession: row.accession,
    form: row.form,
    quote: row.quote,
    known_from: row.known_from,
    known_basis: row.known_basis,
    source: row.source,
    raw_sha256: row.raw_sha256,
  }
}

/** Every statement about the days from `from` to `to`, of all sources. */
export async function findStatements(context: ReleaseContext, requested: Query): Promise<Statement[]> {
  const { lake } = context
  const [dates, evidence] = await Promise.all([
    lake.query<EarningsDate>(statements['find-earnings-dates'], requested, { earnings_dates: 'all' }),
    lake.query<Evidence>(statements['find-report-evidence'], requested, { earnings_evidence: 'all' }),
  ])
  return [...dates.map(row => statementOfDate(context, row)), ...evidence.map(statementOfEvidence).filter(each => each !== null)]
}

export type LoadedCalendar = RowOrigin & { readonly source_name: string }
/** The calendars of which any data is loaded. */
export const findCalendars = async ({ lake }: ReleaseContext, asOf: string | null): Promise<LoadedCalendar[]> =>
  await lake.query<LoadedCalendar>(statements['find-earnings-sources'], { as_of: asOf }, { earnings_dates: 'all' })
