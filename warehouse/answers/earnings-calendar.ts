// The earnings calendar: reports between two days, by default only confirmed ones.

import { decodeCursor, encodeCursor, type SortKey } from '#schemas/cursor.ts'
import { addDays } from '#schemas/days.ts'
import { type Built, digits, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { findCalendars, findStatements, knownCik, type LoadedCalendar, nameOfSymbol, symbolOfIssuer } from '../rules/calendars/earnings.ts'
import { type Report, reportsOf, type Statement } from '../rules/calendars/reports.ts'
import { windowOf } from '../rules/calendars/window.ts'
import { reportDatesRuleset, sameReportDays } from '../rulesets/report-dates/rules.ts'
import { filingSources } from './filings.ts'
import { filingUrl } from './fundamentals.ts'
import { resolveHeld } from './listed.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['earnings_dates', 'earnings_evidence', 'symbols', 'issuer_tickers', 'insider_filings'] as const
type Question = QuestionOf<'list_earnings_calendar'>
type Row = { readonly report: Report; readonly symbol: string | null; readonly key: SortKey }

const urlOf = ({ cik, accession }: Statement): string | null => (cik === null || accession === null ? null : filingUrl(cik, accession))

function printedStatement(each: Statement): object {
  return {
    source_name: each.source_name,
    status: each.status,
    mark: each.mark,
    date: each.date,
    window_end: each.window_end,
    time_of_day: each.time_of_day,
    reported: each.released,
    fiscal_period_end: each.period_end,
    eps_estimate: digits(each.eps_estimate),
    eps_actual: digits(each.eps_actual),
    revenue_estimate: digits(each.revenue_estimate),
    currency: each.currency,
    eps_low: digits(each.eps_low),
    eps_high: digits(each.eps_high),
    revenue_low: digits(each.revenue_low),
    revenue_high: digits(each.revenue_high),
    estimates: each.estimates,
    accession: each.accession,
    form: each.form,
    url: urlOf(each),
    quote: each.quote,
    known_from: each.known_from,
    known_basis: each.known_basis,
  }
}

function printedRow(context: ReleaseContext, { report: { best, statements }, symbol }: Row): object {
  const estimate = statements.find(each => each.eps_estimate !== null) ?? statements.find(each => each.revenue_estimate !== null) ?? null
  const listed = symbol ?? statements.find(each => each.symbol !== null)?.symbol ?? null
  return {
    symbol: listed,
    source_symbol: listed === null ? best.issuer : null,
    company: nameOfSymbol(context, listed) ?? statements.find(each => each.name !== null)?.name ?? null,
    cik: best.cik,
    date: best.date,
    window_end: best.window_end,
    time_of_day: best.time_of_day ?? statements.find(each => each.date === best.date && each.time_of_day !== null)?.time_of_day ?? null,
    status: best.status,
    mark: best.mark,
    source_name: best.source_name,
    reported: best.released,
    fiscal_period: statements.find(each => each.month !== null)?.month ?? null,
    eps_estimate: digits(estimate?.eps_estimate),
    eps_actual: digits(statements.find(each => each.eps_actual !== null)?.eps_actual),
    revenue_estimate: digits(estimate?.revenue_estimate),
    currency: estimate?.currency ?? null,
    estimate_source: estimate?.source_name ?? null,
    sources_agree: statements.every(each => each.date === best.date && each.window_end === best.window_end),
    statements: statements.map(printedStatement),
  }
}

const afterKey = (key: SortKey, after: SortKey | null): boolean => after === null || compare(key, after) > 0
function compare(a: SortKey, b: SortKey): number {
  for (let at = 0; at < a.length; at += 1) {
    const [left, right] = [String(a[at] ?? ''), String(b[at] ?? '')]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

const wanted = (status: Question['status'], { best }: Report): boolean =>
  status === 'all' || (status === 'confirmed') === (best.status === 'confirmed')

function coverageOf(calendars: readonly LoadedCalendar[], filings: number): object {
  const names = calendars.map(each => each.source_name)
  const fromFilings = filings > 0 ? ['filings of the issuers (Forms 8-K and 6-K that were read)'] : []
  const from = [...fromFilings, ...names.map(name => `the calendar of ${name}`)].join(', ')
  const more = 'set EODHD_API_TOKEN or ALPHAVANTAGE_API_KEY, or name nasdaq, tmx or yahoo in CROSSFILE_OPT_IN, for days that no filing names'
  const sentence =
    from === ''
      ? `nothing that names report days of these weeks is loaded; ${more}`
      : `from ${from}${names.length === 0 ? `; no calendar is loaded: ${more}` : ''}`
  return { status: from === '' ? 'not_loaded' : 'loaded', sentence, calendars: names }
}

async function buildEarningsCalendar(context: ReleaseContext, question: Question): Promise<Built> {
  const { cursor, limit, as_of: asOf = null, release: _release, receipt: _receipt, ...filters } = question
  const { from, to } = windowOf(context, question, datasets)
  const after = cursor === undefined ? null : decodeCursor(cursor, 'list_earnings_calendar', filters).after
  const requested = question.symbol === undefined ? null : await resolveHeld(context, question.symbol)
  const issuer = requested === null ? null : (knownCik(context, requested) ?? requested)
  // Statements about nearby days show which reports moved into or out of the range.
  const around = { from: addDays(from, -sameReportDays), to: addDays(to, sameReportDays), as_of: asOf }
  const found = await findStatements(context, around)
  const statements = issuer === null ? found : found.filter(each => each.issuer === issuer)
  const calendars = await findCalendars(context, asOf)
  const rows = reportsOf(statements)
    .filter(({ best }) => (best.window_end ?? best.date) >= from && best.date <= to)
    .filter(report => wanted(question.status, report))
    .map((report): Row => {
      const { best } = report
      // A calendar names a line; a filing belongs to its issuer.
      const symbol = requested ?? best.symbol ?? (best.cik === null ? null : symbolOfIssuer(context, best.cik))
      return { report, symbol, key: [best.date, symbol ?? '', best.issuer, best.month, best.source_name] }
    })
    .filter(({ key }) => afterKey(key, after))
    .sort((a, b) => compare(a.key, b.key))
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const shown = page.flatMap(({ report }) => report.statements)
  const filings = shown.filter(each => each.accession !== null).map(each => ({ ...each, url: urlOf(each) }))
  return {
    body: {
      from,
      to,
      status: question.status,
      ruleset: reportDatesRuleset,
      coverage: coverageOf(calendars, found.filter(each => each.accession !== null).length),
      count: page.length,
      earnings: page.map(row => printedRow(context, row)),
      next_cursor:
        rows.length > limit && last ? encodeCursor('list_earnings_calendar', filters, context.lake.versionOf(datasets).release, last.key) : null,
    },
    sources: [...upstreamSources(shown.filter(each => each.accession === null)), ...filingSources(filings)],
    // One document per calendar shows which calendars are loaded; for filings, any that names a nearby day.
    origins: originsOf([...statements, ...calendars, ...found.filter(each => each.accession !== null).slice(0, 1)]),
    datasets,
  }
}

export const earningsCalendarAnswers = {
  list_earnings_calendar: { build: buildEarningsCalendar },
} satisfies Answers
