// Clusters of insider trades by a stated definition, and what the price did after each was known.

import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { addDays } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type Built, digits, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { rounded } from '../context/rounded.ts'
import { factorOrigins, findBars, findFactors, findPrices, spansOf } from '../datasets/bars/bars.ts'
import {
  amountOf,
  type Cluster,
  type ClusterRules,
  clustersOf,
  horizons,
  type Since,
  sinceCluster,
  sumOfKnown,
  tradesFor,
} from '../datasets/insider/clusters.ts'
import { findInsiderTransactions } from '../datasets/insider/insider.ts'
import { dateIn } from '../rulesets/exchange-calendars/calendar.ts'
import { printedBars } from './eod.ts'
import { filingSources } from './filings.ts'
import type { Answers, AnyQuestion, QuestionOf, RequestedAt } from './types.ts'

const datasets = ['insider_transactions', 'insider_filings', 'symbols', 'issuer_tickers', 'bars', 'bar_corrections', 'adjustment_factors'] as const
/** Transaction lines of one request; more are refused, because a cluster must not be cut. */
const mostLines = 50_000

type Question = QuestionOf<'list_insider_clusters'>
type Placed = Cluster & { readonly issuer: string; readonly symbol: string | null; readonly since: Since }
type Documents = Parameters<typeof originsOf>[0]

async function buildClusters(context: ReleaseContext, question: Question): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const asOf = as_of ?? null
  const { from = '', to = '' } = question
  if (from > to) throw new BadRequest(`from=${from} is after to=${to}`, { hint: 'exchange them' })
  const after = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'list_insider_clusters', filters).after[0])
  const cik = question.cik ?? (question.ticker === undefined ? null : issuerCik(context, question.ticker))
  const lines =
    question.ticker !== undefined && cik === null
      ? []
      : await findInsiderTransactions(context.lake, { issuer_cik: cik, owner_cik: null, since: from, as_of: asOf, after: null, limit: mostLines + 1 })
  if (lines.length > mostLines)
    throw new BadRequest(`more than ${mostLines} transaction lines were filed since ${from}`, { hint: 'choose a later from, or a ticker' })
  const rules: ClusterRules = question
  const byIssuer = Map.groupBy(tradesFor(lines, rules, from, to), each => each.issuer_cik)
  const clusters = [...byIssuer]
    .flatMap(([issuer, trades]) => clustersOf(trades, rules).map(cluster => ({ ...cluster, issuer })))
    .sort((a, b) => (a.known_from === b.known_from ? (a.issuer < b.issuer ? -1 : 1) : a.known_from > b.known_from ? -1 : 1))
  const chosen = clusters.slice(after, after + limit)
  const prices = new Map<string, Awaited<ReturnType<typeof pricesOf>>>()
  const placed: Placed[] = []
  for (const cluster of chosen) {
    const symbol = context.issuers.mappedSymbolOf(cluster.issuer) ?? context.symbols.byCik(cluster.issuer)[0]?.symbol ?? null
    const held = symbol === null ? null : (prices.get(symbol) ?? (await pricesOf(context, symbol, from, asOf)))
    if (symbol !== null && held !== null) prices.set(symbol, held)
    const day = dateIn('America/New_York', cluster.known_from)
    placed.push({ ...cluster, symbol, since: sinceCluster(held?.bars ?? [], day) })
  }
  const filings = chosen.flatMap(each => each.trades)
  return {
    body: {
      ticker: question.ticker ?? null,
      cik,
      from,
      to,
      definition: {
        side: rules.side,
        people: rules.people,
        days: rules.days,
        roles: rules.roles,
        plans: rules.plans,
        amount: rules.amount,
        sentence: definitionOf(rules),
      },
      total: clusters.length,
      trades_considered: [...byIssuer.values()].reduce((sum, trades) => sum + trades.length, 0),
      count: placed.length,
      clusters: placed.map(printed),
      outcomes: horizons.map((sessions, at) =>
        outcomeOf(
          sessions,
          placed.map(each => each.since.returns[at]?.return_pct ?? null),
        ),
      ),
      next_cursor:
        after + limit < clusters.length
          ? encodeCursor('list_insider_clusters', filters, context.lake.versionOf(datasets).release, [after + limit])
          : null,
    },
    sources: [...filingSources(filings.map(row => ({ ...row, url: null }))), ...upstreamSources([...prices.values()].flatMap(each => each.sources))],
    origins: async () => {
      const documents: Documents[number][] = [...lines]
      for (const each of prices.values()) documents.push(...(await each.origins()))
      return originsOf(documents)
    },
    datasets,
  }
}

/** Adjusted closes of a listing from a day on, with their documents. */
async function pricesOf(context: ReleaseContext, symbol: string, from: string, asOf: string | null) {
  const spans = spansOf(context.symbols, symbol)
  const days = { from, to: null }
  const [prices, factors] = await Promise.all([findPrices(context.lake, spans, days, asOf), findFactors(context.lake, spans, null, asOf)])
  const until = asOf === null ? (prices.date.at(-1) ?? from) : asOf.slice(0, 10)
  return {
    bars: printedBars(prices, factors, 'none', until),
    sources: factors.map(({ source, known_from }) => ({ source, known_from })),
    origins: async (): Promise<Documents> => [
      ...(await findBars(context.lake, spans, days, asOf)),
      ...factors,
      ...(await factorOrigins(context.lake, spans, factors, asOf)),
    ],
  }
}

function printed({ trades, people, known_from, issuer, symbol, since }: Placed) {
  const [first] = trades
  const amounts = trades.map(amountOf)
  const owners = new Map(trades.flatMap(each => (each.owners ?? []).map(owner => [owner.cik ?? owner.name ?? '', owner] as const)))
  return {
    issuer_cik: issuer,
    issuer_name: first?.issuer_name ?? null,
    symbol,
    first_date: first?.transaction_date ?? null,
    last_date: trades.at(-1)?.transaction_date ?? null,
    people,
    owners: [...owners.values()].map(({ cik, name, director, officer, ten_percent_owner, officer_title }) => ({
      cik,
      name,
      director,
      officer,
      ten_percent_owner,
      officer_title,
    })),
    trades: trades.length,
    shares: digits(sumOfKnown(trades.map(each => each.shares))),
    amount: digits(sumOfKnown(amounts)),
    trades_without_price: amounts.filter(each => each === null).length,
    accessions: [...new Set(trades.flatMap(each => each.accession ?? []))],
    known_from,
    entry_date: since.entry_date,
    entry_close: since.entry_close,
    since: since.returns.map(each => ({ ...each, return_pct: each.return_pct === null ? null : rounded(each.return_pct) })),
    latest: since.latest && { ...since.latest, return_pct: rounded(since.latest.return_pct) },
  }
}

/** How the clusters of the page did after so many sessions: all whose horizon has passed, also those that lost. */
function outcomeOf(sessions: number, returns: readonly (number | null)[]) {
  const measured = returns.filter(each => each !== null).sort((a, b) => a - b)
  const middle = measured.length >> 1
  const median =
    measured.length === 0
      ? null
      : measured.length % 2 === 1
        ? (measured[middle] as number)
        : ((measured[middle - 1] as number) + (measured[middle] as number)) / 2
  return {
    sessions,
    measured: measured.length,
    up: measured.filter(each => each > 0).length,
    down: measured.filter(each => each < 0).length,
    not_yet: returns.length - measured.length,
    median_pct: median === null ? null : rounded(median),
    lowest_pct: measured.length === 0 ? null : rounded(measured[0] as number),
    highest_pct: measured.length === 0 ? null : rounded(measured.at(-1) as number),
  }
}

const roleWords: Readonly<Record<ClusterRules['roles'], string>> = {
  any: 'insiders',
  officers_and_directors: 'officers or directors',
  officers: 'officers',
  directors: 'directors',
  ten_percent_owners: 'owners of more than ten percent',
}
const planWords = {
  exclude: 'without trades under a Rule 10b5-1 plan',
  include: 'with trades under Rule 10b5-1 plans',
  only: 'only trades under a Rule 10b5-1 plan',
} as const
const definitionOf = ({ people, days, side, roles, plans, amount }: ClusterRules): string =>
  `at least ${people} different ${roleWords[roles]} of one issuer who ${side === 'buy' ? 'bought' : 'sold'} its shares in the open market within ${days} calendar days${amount > 0 ? `, for at least ${amount} dollars together` : ''}, ${planWords[plans]}; owners who file jointly count as one, and a trade is in one cluster only`

/** A request without a period is about the year before its instant. */
const complete = (question: AnyQuestion, { now }: RequestedAt): AnyQuestion => {
  const to = typeof question['to'] === 'string' ? question['to'] : (typeof question['as_of'] === 'string' ? question['as_of'] : now).slice(0, 10)
  return { ...question, from: question['from'] ?? addDays(to, -365), to }
}

export const insiderClusterAnswers = {
  list_insider_clusters: { build: buildClusters, complete },
} satisfies Answers
