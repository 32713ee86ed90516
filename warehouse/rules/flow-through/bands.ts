// Income tax of one year and place as bands of marginal rates: brackets, the untaxed basic amount and its reduction at higher incomes,
// surtaxes and the federal abatement. Exact fractions; the rates are rounded as the published tables round them.
import { compare, decimalOf, minus, over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import { type BasicAmount, type FlowThroughRules, federal, type Schedule } from '../../rulesets/flow-through/rules.ts'

/** Taxable income in dollars above `from`, up to and including `to` (null: unbounded), and the rate on each dollar of it, in percent. */
export type Band = { readonly from: Ratio; readonly to: Ratio | null; readonly federal_pct: Ratio; readonly provincial_pct: Ratio }
export type Slice = { readonly band: Band; readonly from: Ratio; readonly to: Ratio; readonly amount: Ratio }
export type Part = 'federal' | 'provincial'

export const zero = ratioOf('0')
const hundred = ratioOf('100')
export const least = (a: Ratio, b: Ratio): Ratio => (compare(a, b) <= 0 ? a : b)
export const most = (a: Ratio, b: Ratio): Ratio => (compare(a, b) >= 0 ? a : b)
export const percentOf = (amount: Ratio, percent: Ratio): Ratio => over(times(amount, percent), hundred)

/** The bands of a province or territory, lowest first: provincial and federal rates separately, their sum is the combined rate. */
export function bandsOf(rules: FlowThroughRules, code: string): Band[] {
  const abatement = rules.abatements.find(each => each.jurisdiction === code)?.rate_pct ?? '0'
  const national = levelOf(rules, federal, minus(hundred, ratioOf(abatement)))
  const own = levelOf(rules, code, hundred)
  const ends = [...new Set([...national.points, ...own.points])].sort((a, b) => a - b)
  const bands = [0, ...ends].map(
    (from, at): Band => ({
      from: ratioOf(String(from)),
      to: ends[at] === undefined ? null : ratioOf(String(ends[at])),
      federal_pct: national.rateAbove(from),
      provincial_pct: own.rateAbove(from),
    }),
  )
  return merged(bands)
}

/** Whole dollars at which a level's rate changes, and its rate on the dollars above one of them; `kept` percent of it is levied. */
function levelOf(rules: FlowThroughRules, code: string, kept: Ratio): { readonly points: number[]; readonly rateAbove: (dollars: number) => Ratio } {
  const { brackets, surtaxes } = rules.schedules.find(each => each.jurisdiction === code) as Schedule
  const { amount, falls } = rules.basic_amounts.find(each => each.jurisdiction === code) as BasicAmount
  // The credit for the basic amount is at the lowest rate: while the amount falls, each dollar of income costs a part of it.
  const lift = (dollars: number): Ratio => {
    if (!falls || dollars < Number(falls.from_income) || dollars >= Number(falls.until_income)) return zero
    const fall = over(ratioOf(String(Number(amount) - Number(falls.to))), ratioOf(String(Number(falls.until_income) - Number(falls.from_income))))
    return times(ratioOf(brackets[0]?.rate_pct ?? '0'), fall)
  }
  const ends = [...brackets.map(each => each.to), ...surtaxes.map(each => each.over), falls?.from_income, falls?.until_income]
  return {
    points: [amount, ...ends].flatMap(each => (each === null || each === undefined ? [] : [Number(each)])),
    rateAbove: dollars => {
      if (dollars < Number(amount)) return zero
      const bracket = brackets.find(each => each.to === null || dollars < Number(each.to))
      const levied = surtaxes.reduce((sum, each) => (dollars >= Number(each.over) ? plus(sum, ratioOf(each.rate_pct)) : sum), hundred)
      const rate = plus(percentOf(ratioOf(bracket?.rate_pct ?? '0'), levied), lift(dollars))
      return ratioOf(decimalOf(percentOf(rate, kept), rules.rate_decimals))
    },
  }
}

/** Merges neighbours with the same rates. */
function merged(bands: readonly Band[]): Band[] {
  const kept: Band[] = []
  for (const band of bands) {
    const last = kept.at(-1)
    const same = last && compare(last.federal_pct, band.federal_pct) === 0 && compare(last.provincial_pct, band.provincial_pct) === 0
    if (same) kept[kept.length - 1] = { ...last, to: band.to }
    else kept.push(band)
  }
  return kept
}

/** The parts of the bands between two incomes, lowest first. */
export function slicesOf(bands: readonly Band[], low: Ratio, high: Ratio): Slice[] {
  return bands.flatMap(band => {
    const [from, to] = [most(band.from, low), band.to === null ? high : least(band.to, high)]
    return compare(to, from) > 0 ? [{ band, from, to, amount: minus(to, from) }] : []
  })
}

/** Tax in dollars on a taxable income of 0 or more, after the basic amount and before other credits; never negative. */
export function taxOn(bands: readonly Band[], income: Ratio, part: Part): Ratio {
  const rate = (band: Band): Ratio => (part === 'federal' ? band.federal_pct : band.provincial_pct)
  return slicesOf(bands, zero, income).reduce((tax, { band, amount }) => plus(tax, percentOf(amount, rate(band))), zero)
}

/** Federal and provincial rate together, in percent. */
export const combinedPct = (band: Band): Ratio => plus(band.federal_pct, band.provincial_pct)

/** The rate on the last dollar of an income, in percent; for no income, the rate on the first. */
export function marginalPct(bands: readonly Band[], income: Ratio): Ratio {
  const band = slicesOf(bands, zero, income).at(-1)?.band ?? bands[0]
  return band ? combinedPct(band) : zero
}
