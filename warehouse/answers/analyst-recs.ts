// Analysts' ratings of a listing, per source and as printed, without any calculation.
import type { AnalystConsensus } from '#schemas/analyst-consensus.ts'
import { type Built, digits, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { resolveHeld } from './listed.ts'
import { analystRecsPage } from './paged/analyst-recs.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['analyst_consensus', 'symbols'] as const
/** Settings that enable a source of ratings; its jobs are backfills by symbol. */
const settings = [
  'CROSSFILE_OPT_IN=yahoo (job consensus-yahoo)',
  'EODHD_API_TOKEN (job consensus-eodhd)',
  'ALPHAVANTAGE_API_KEY (job consensus-alphavantage)',
]

const sum = (counts: readonly (number | null)[]): number | null =>
  counts.every(count => count === null) ? null : counts.reduce<number>((total, count) => total + (count ?? 0), 0)

const printed = (row: AnalystConsensus): object => ({
  month: row.month,
  strong_buy: row.strong_buy,
  buy: row.buy,
  hold: row.hold,
  sell: row.sell,
  strong_sell: row.strong_sell,
  ratings: sum([row.strong_buy, row.buy, row.hold, row.sell, row.strong_sell]),
  rating_mean: digits(row.rating_mean),
  rating_scale: row.rating_scale,
  target_low: digits(row.target_low),
  target_mean: digits(row.target_mean),
  target_median: digits(row.target_median),
  target_high: digits(row.target_high),
  target_currency: row.target_currency,
  analysts: row.analysts,
  known_from: row.known_from,
  known_basis: row.known_basis,
})

const rowsSql = 'select * from analyst_consensus order by symbol, source_name, month desc'
/** One row of another listing, to distinguish "nothing loaded at all" from "nothing about this listing". */
const anySql = 'select source, raw_sha256 from analyst_consensus order by symbol, source_name, month limit 1'

async function buildAnalystRecs(context: ReleaseContext, question: QuestionOf<'get_analyst_recs'>): Promise<Built> {
  const { lake } = context
  const asOf = question.as_of ?? null
  const symbol = await resolveHeld(context, question.symbol)
  const rows = await lake.query<AnalystConsensus>(rowsSql, { as_of: asOf }, { analyst_consensus: [symbol] })
  const others =
    rows.length > 0 ? [] : await lake.query<{ source: string; raw_sha256: string }>(anySql, { as_of: asOf }, { analyst_consensus: 'all' })
  const consensus = [...Map.groupBy(rows, row => row.source_name).values()].map(([current, ...history]) => ({
    source_name: current?.source_name ?? '',
    current: printed(current as AnalystConsensus),
    history: history.map(printed),
  }))
  const status = rows.length > 0 ? 'read' : others.length > 0 ? 'none' : 'not_loaded'
  const sentence = {
    read: 'as the sources count and print it; Crossfile rates nothing, and merges no scales or panels',
    none: `no loaded source has ratings of ${symbol}; those of other listings are loaded, symbol by symbol`,
    not_loaded: 'no source of ratings is loaded: they grant no free redistribution, so each is off until the operator switches it on',
  }[status]
  return {
    body: { symbol, coverage: { status, sentence, switch_on: status === 'read' ? [] : settings }, count: consensus.length, consensus },
    sources: upstreamSources(rows),
    origins: originsOf([...rows, ...others]),
    datasets,
  }
}

export const analystRecsAnswers = {
  get_analyst_recs: { build: buildAnalystRecs, page: analystRecsPage },
} satisfies Answers
