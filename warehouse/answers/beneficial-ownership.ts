// Schedules 13D and 13G of the last days: one row per filing, with the changes since the previous filing of its chain.

import type { OwnershipPerson, ScheduleKind } from '#schemas/beneficial-ownership.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { dayMs, utcDay } from '#schemas/days.ts'
import { difference } from '#schemas/decimals.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type Built, digits, effectiveInstant, originsOf, type ReleaseContext } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { type FoundSchedule, findChains, findListed, findSchedules } from '../datasets/beneficial-ownership/beneficial-ownership.ts'
import { type Chains, chainsOf, type Link, stakeOf, stakeRule } from '../datasets/beneficial-ownership/chain.ts'
import { type Corrections, findCorrections } from '../datasets/corrections/corrections.ts'
import { findFilingVersions } from '../datasets/filings/filings.ts'
import { wordDiff } from '../rules/diff/words.ts'
import { filingSources } from './filings.ts'
import { schedulePage } from './paged/beneficial-ownership.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['ownership_schedules', 'ownership_persons', 'filings', 'symbols', 'issuer_tickers', 'insider_filings'] as const

type Operation = 'list_activist_13d' | 'list_passive_13g'
type Question = QuestionOf<Operation>

/** Maximum number of filings of a chain and of hunks of a comparison in an answer. */
const shown = { history: 12, hunks: 40, excerpt: 600, hunk: 600 }

const filingUrl = (row: FoundSchedule): string | null =>
  row.accession === null || row.issuer_cik === null
    ? null
    : `https://www.sec.gov/Archives/edgar/data/${Number(row.issuer_cik)}/${row.accession.replaceAll('-', '')}/${row.accession}.txt`

/** Text shortened at the end of a word, with an ellipsis. */
function excerpt(text: string | null, length: number): string | null {
  if (text === null || text.length <= length) return text
  const cut = text.lastIndexOf(' ', length)
  return `${text.slice(0, cut > length / 2 ? cut : length)} …`
}

const printedPerson = (person: OwnershipPerson, corrections: Corrections) => ({
  line: person.line,
  name: person.name,
  cik: person.cik,
  sole_voting: digits(person.sole_voting),
  shared_voting: digits(person.shared_voting),
  sole_dispositive: digits(person.sole_dispositive),
  shared_dispositive: digits(person.shared_dispositive),
  aggregate: digits(person.aggregate),
  percent: digits(person.percent),
  percent_printed: person.percent_printed,
  types: person.types,
  citizenship: person.citizenship,
  group_box: person.group_box,
  fund_sources: person.fund_sources,
  confidence: person.confidence,
  evidence: person.evidence,
  flags: person.flags,
  ...corrections.of(person.filing_id, ['ownership_persons', person.line]),
})

type Persons = ReadonlyMap<string, readonly OwnershipPerson[]>

/** The changes from the previous filing; amounts are null if either side has none. */
function changeOf(filing: FoundSchedule, link: Link | null, persons: Persons) {
  if (link === null) return null
  const before = link.filing === null ? null : stakeOf(persons.get(link.filing.filing_id) ?? [])
  const now = stakeOf(persons.get(filing.filing_id) ?? [])
  const changed = (left: string | null | undefined, right: string | null | undefined): object | null =>
    left === null || left === undefined || right === null || right === undefined ? null : digits(difference(left, right))
  return {
    previous_accession: link.accession,
    basis: link.basis,
    held: link.filing !== null,
    previous_form: link.filing?.form ?? null,
    previous_known_from: link.filing?.known_from ?? null,
    previous_aggregate: digits(before?.aggregate),
    previous_percent: digits(before?.percent),
    aggregate_change: changed(now?.aggregate, before?.aggregate),
    percent_change: changed(now?.percent, before?.percent),
  }
}

/** The word-level difference of Item 4 from the previous filing; an amendment need not restate an item that did not change. */
function purposeChange(filing: FoundSchedule, link: Link | null) {
  if (filing.schedule !== '13D' || link === null) return null
  const status = (name: string) => ({ status: name, hunk_count: 0, hunks: [] })
  if (link.filing === null) return status('previous_not_held')
  if (filing.purpose === null) return status('not_restated')
  if (link.filing.purpose === null) return status('previous_without_item')
  const hunks = wordDiff(link.filing.purpose, filing.purpose)
  return {
    status: hunks.length === 0 ? 'unchanged' : 'changed',
    hunk_count: hunks.length,
    hunks: hunks.slice(0, shown.hunks).map(hunk => ({
      ...hunk,
      old_text: excerpt(hunk.old_text, shown.hunk),
      new_text: excerpt(hunk.new_text, shown.hunk),
    })),
  }
}

const printedStake = (stake: { readonly aggregate: string | null; readonly percent: string | null } | null | undefined) => ({
  aggregate: digits(stake?.aggregate),
  percent: digits(stake?.percent),
})

function printed(context: ReleaseContext, filing: FoundSchedule, chains: Chains, persons: Persons, corrections: Corrections): object {
  const own = persons.get(filing.filing_id) ?? []
  const link = chains.previousOf(filing)
  const stake = stakeOf(own)
  return {
    ticker: filing.issuer_cik === null ? null : context.issuers.mappedSymbolOf(filing.issuer_cik),
    issuer_cik: filing.issuer_cik,
    issuer_name: filing.issuer_name,
    cusips: filing.cusips,
    class_title: filing.class_title,
    filing_id: filing.filing_id,
    accession: filing.accession,
    form: filing.form,
    amendment: filing.amendment,
    amendment_number: filing.amendment_number,
    filed_date: filing.filed_date,
    event_date: filing.event_date,
    rules: filing.rules,
    filer_cik: filing.filer_cik,
    ...printedStake(stake),
    percent_printed: stake?.percent_printed ?? null,
    aggregate_of: stake?.name ?? null,
    reporting_persons: own.length,
    persons: own.map(person => printedPerson(person, corrections)),
    ...(filing.schedule === '13D'
      ? {
          purpose_excerpt: excerpt(filing.purpose, shown.excerpt),
          purpose_words: filing.purpose_words,
          funds_source_excerpt: excerpt(filing.funds_source, shown.excerpt),
          purpose_change: purposeChange(filing, link),
        }
      : {}),
    change: changeOf(filing, link, persons),
    history: chains.historyOf(filing, shown.history).map(each => {
      const held = stakeOf(persons.get(each.filing_id) ?? [])
      return {
        accession: each.accession,
        form: each.form,
        known_from: each.known_from,
        event_date: each.event_date,
        ...printedStake(held),
      }
    }),
    layout: filing.layout,
    recovered: filing.recovered,
    flags: filing.flags,
    url: filingUrl(filing),
    known_from: filing.known_from,
    known_basis: filing.known_basis,
    ...corrections.of(filing.filing_id, ['ownership_schedules']),
  }
}

type Counts = { readonly listed: number; readonly read: number }

/** Why the list has its length: nothing was filed, nothing is loaded yet, or the company files no such schedule. */
function coverageOf(counts: Counts, rows: number, days: number, schedule: ScheduleKind, noIssuer: string | null) {
  const window = `the ${days} days up to as_of`
  if (noIssuer !== null) {
    return {
      status: 'no_sec_registrant',
      ...counts,
      note: `${noIssuer} has no CIK: Schedules 13${schedule.slice(2)} are filed on classes registered with the SEC`,
    }
  }
  const missing = counts.listed - counts.read
  if (missing > 0) {
    return {
      status: 'partial',
      ...counts,
      note: `the indexes list ${counts.listed} filings of Schedule ${schedule} in ${window}; ${missing} of them are not read yet, or could not be`,
    }
  }
  if (counts.listed === 0 && rows === 0) {
    return { status: 'nothing_listed', ...counts, note: `no index that was read lists a Schedule ${schedule} in ${window}` }
  }
  if (rows === 0) return { status: 'none_for_this_question', ...counts, note: `filings were read in ${window}, none of them for what was asked` }
  return { status: 'complete', ...counts, note: `every Schedule ${schedule} that the indexes list in ${window} is read` }
}

async function build(operation: Operation, schedule: ScheduleKind, context: ReleaseContext, question: Question): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const { ticker, cusip, days } = question
  const after = cursor === undefined ? null : decodeCursor(cursor, operation, filters).after
  const byTicker = ticker === undefined ? null : issuerCik(context, ticker)
  const until = effectiveInstant(as_of, context.lake.versionOf(datasets))
  if (Number.isNaN(Date.parse(until))) throw new BadRequest('as_of is no instant', { hint: 'as_of=2026-11-20T21:00:00Z' })
  // Whole days back; the time of day stays the same.
  const since = `${utcDay(Date.parse(until) - days * dayMs)}${until.slice(10)}`
  const noIssuer = ticker !== undefined && byTicker === null ? ticker : null
  const window = { schedule, since, until, as_of: as_of ?? null }
  const rows =
    noIssuer !== null
      ? []
      : await findSchedules(context.lake, {
          ...window,
          issuer_cik: byTicker,
          cusip: cusip ?? null,
          after: after === null ? null : { known_from: String(after[0]), filing_id: String(after[1]) },
          limit: limit + 1,
        })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const { schedules, persons } = await findChains(context.lake, [...new Set(page.map(row => row.issuer_key))].sort(), as_of ?? null)
  const chains = chainsOf(schedules, id => persons.get(id) ?? [])
  const corrections = await findCorrections(
    context.lake,
    page.map(row => row.filing_id),
    as_of ?? null,
  )
  const listed = await findListed(context.lake, window)
  const inside = listed.filter(each => each.inside)
  const counts = { listed: inside.length, read: inside.filter(each => each.read).length }
  const tickers = page.flatMap(row => (row.issuer_cik === null ? [] : (context.issuers.mappedSymbolOf(row.issuer_cik) ?? [])))
  return {
    body: {
      ticker: ticker ?? null,
      cusip: cusip ?? null,
      days,
      window_from: since,
      window_to: until,
      count: page.length,
      tickers: [...new Set(tickers)].sort(),
      filings: page.map(row => printed(context, row, chains, persons, corrections)),
      aggregate_rule: stakeRule,
      coverage: coverageOf(counts, page.length, days, schedule, noIssuer),
      next_cursor:
        rows.length > limit && last
          ? encodeCursor(operation, filters, context.lake.versionOf(datasets).release, [last.known_from, last.filing_id])
          : null,
    },
    sources: filingSources(page, filingUrl),
    // The row after the page shows whether there is a next page. Earlier filings of the issuers make the chains. Every document of the
    // window is counted.
    origins: async () => {
      const parties = listed.flatMap(({ accession, ciks }) => ciks.map(cik => ({ accession, cik })))
      return originsOf([...rows, ...schedules, ...(await findFilingVersions(context.lake, parties, as_of ?? null))])
    },
    datasets,
  }
}

export const buildActivist13d = async (context: ReleaseContext, question: QuestionOf<'list_activist_13d'>): Promise<Built> =>
  await build('list_activist_13d', '13D', context, question)
export const buildPassive13g = async (context: ReleaseContext, question: QuestionOf<'list_passive_13g'>): Promise<Built> =>
  await build('list_passive_13g', '13G', context, question)

export const beneficialOwnershipAnswers = {
  list_activist_13d: { build: buildActivist13d, page: schedulePage('13D') },
  list_passive_13g: { build: buildPassive13g, page: schedulePage('13G') },
} satisfies Answers
