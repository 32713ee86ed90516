// The pairs of Toronto and United States lines, checked against the directories of the release.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { type Built, digits, effectiveInstant, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { checkPair, type InterlistedRow } from '../datasets/dual-listings/check.ts'
import { type Pair, stateOf } from '../datasets/dual-listings/pairs.ts'
import { resolveListing } from '../datasets/symbols/symbol-index.ts'
import { easternDay } from '../rules/arb/market-hours.ts'
import { curated } from '../rulesets/dual-listings/rules.ts'
import { dualListingDatasets, dualListingsPage } from './paged/cross-border.ts'
import type { Answers, QuestionOf } from './types.ts'

type Question = QuestionOf<'list_dual_listings'>

const orderOf = (pair: Pair): string => `${pair.tsx_symbol} ${pair.us_symbol} ${pair.valid_from ?? ''}`
/** Meaning of a code of the curated table; the operator's texts have none. */
const evidenceOf = (pair: Pair): object[] =>
  pair.evidence.map(text => (pair.listed_by === 'ruleset' ? { code: text, text: curated.evidence[text] ?? text } : { code: null, text }))

const interlistedSql = 'select symbol, name, other_symbol, market, source, known_from, raw_sha256 from interlistings order by symbol'
async function findInterlisted({ lake }: ReleaseContext, asOf: string | null): Promise<ReadonlyMap<string, InterlistedRow> | null> {
  const rows = await lake.query<InterlistedRow>(interlistedSql, { as_of: asOf }, { interlistings: 'all' })
  return rows.length === 0 ? null : new Map(rows.map(row => [row.symbol, row]))
}

/** Known pitfalls for a symbol: equal symbols of two companies, and lines that only maps list. */
const trapsOf = (symbol: string | undefined) =>
  symbol === undefined ? [] : curated.not_pairs.filter(each => each.tsx_symbol === symbol || each.us_symbol === symbol)

function coverageOf(context: ReleaseContext, question: Question, count: number): object {
  const { symbol } = question
  if (count > 0) return { status: 'read', sentence: 'pairs of the curated table and of the operator; equal symbols alone never make one' }
  const traps = trapsOf(symbol)
  if (traps.length > 0) return { status: 'not_a_pair', sentence: traps.map(each => each.why).join('; ') }
  if (symbol === undefined || context.pairs.of(symbol).length > 0) return { status: 'none', sentence: 'no pair of the table fits the question' }
  if (context.unlisted?.has(symbol))
    return { status: 'none', sentence: `${symbol} is in no pair of the table; bars of it are held, and no directory that was read lists it` }
  // Throws NotFound with the nearest symbols if the symbol is unknown.
  const { issuer, name } = resolveListing(context.symbols, symbol)
  return {
    status: 'none',
    sentence: `${symbol} (${issuer ?? name}) is in no pair of the table; that does not say that it is listed on one side only`,
  }
}

async function buildDualListings(context: ReleaseContext, question: Question): Promise<Built> {
  const { lake, pairs } = context
  const asOf = question.as_of ?? null
  const date = easternDay(effectiveInstant(asOf, lake.versionOf(dualListingDatasets)))
  const { cursor, limit, symbol, tracked, status } = question
  const filters = { symbol, tracked, status }
  const after = cursor === undefined ? '' : String(decodeCursor(cursor, 'list_dual_listings', filters).after[0] ?? '')
  const isTracked = (pair: Pair): boolean => pair.tracked && stateOf(pair, date) === 'current'
  const requested = (symbol === undefined ? pairs.all : pairs.of(symbol)).filter(
    pair => (tracked === undefined || isTracked(pair) === (tracked === 'yes')) && (status === undefined || stateOf(pair, date) === status),
  )
  const rest = requested.filter(pair => orderOf(pair) > after)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const interlisted = await findInterlisted(context, asOf)
  const rows = page.flatMap(pair => [
    ...[pair.tsx_symbol, pair.us_symbol].map(each => context.symbols.find(each)),
    pair.origin,
    interlisted?.get(pair.tsx_symbol) ?? null,
  ])
  const used = rows.filter(row => row !== null)
  return {
    body: {
      ruleset: curated.ruleset,
      coverage: coverageOf(context, question, requested.length),
      count: page.length,
      total: requested.length,
      pairs: page.map(pair => ({
        tsx_symbol: pair.tsx_symbol,
        us_symbol: pair.us_symbol,
        us_mic: pair.us_mic,
        issuer: pair.issuer,
        ratio: digits(pair.ratio),
        status: stateOf(pair, date),
        valid_from: pair.valid_from,
        valid_to: pair.valid_to,
        tracked: isTracked(pair),
        listed_by: pair.listed_by,
        evidence: evidenceOf(pair),
        confidence: pair.confidence,
        last_verified: pair.last_verified,
        doubt: pair.doubt,
        note: pair.note,
        verified: checkPair(pair, context.symbols, interlisted),
      })),
      not_pairs: trapsOf(symbol),
      next_cursor:
        last && rest.length > page.length
          ? encodeCursor('list_dual_listings', filters, lake.versionOf(dualListingDatasets).release, [orderOf(last)])
          : null,
    },
    sources: upstreamSources(used),
    // The total counts every pair, so a receipt lists a document for each pair of the operator.
    origins: originsOf([...used, ...requested.flatMap(pair => pair.origin ?? [])].map(({ source, raw_sha256 }) => ({ source, raw_sha256 }))),
    datasets: dualListingDatasets,
  }
}

export const dualListingAnswers = {
  list_dual_listings: { build: buildDualListings, page: dualListingsPage },
} satisfies Answers
