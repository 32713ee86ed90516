// US dollars per unit of each currency, from the newest published rates: directly, inverted, or both against one third currency.
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'
import type { Moment } from './moment.ts'
import { sqlOf } from './sql.ts'

type Pair = { readonly base_currency: string; readonly quote_currency: string; readonly rate: string; readonly date: string }
type Rate = { readonly rate: number; readonly date: string }

/** Fills `rates`: one row per currency that the pairs reach; USD itself is 1. */
export async function fillRates(shop: ScratchDatabase, { date, asOf }: Moment): Promise<void> {
  const pairs = await shop.query<Pair>(sqlOf('rates'), { date, as_of: asOf }, { fx_rates: 'all' })
  const rows = [...dollarsOf(pairs)].map(([currency, { rate, date: rate_date }]) => ({ currency, rate, rate_date }))
  await shop.fill('rates', { currency: 'VARCHAR', rate: 'DOUBLE', rate_date: 'DATE' }, [{ currency: 'USD', rate: 1, rate_date: null }, ...rows])
}

/** Dollars per unit by currency, USD left out. Of pairs through a third currency the older day counts. */
function dollarsOf(pairs: readonly Pair[]): ReadonlyMap<string, Rate> {
  const known = new Map<string, Rate>()
  for (const { base_currency, quote_currency, rate, date } of pairs) {
    known.set(`${base_currency}/${quote_currency}`, { rate: Number(rate), date })
    if (!known.has(`${quote_currency}/${base_currency}`)) known.set(`${quote_currency}/${base_currency}`, { rate: 1 / Number(rate), date })
  }
  const currencies = [...new Set(pairs.flatMap(pair => [pair.base_currency, pair.quote_currency]))].filter(each => each !== 'USD').sort()
  const found = new Map<string, Rate>()
  for (const currency of currencies) {
    const direct = known.get(`${currency}/USD`)
    const through = currencies.flatMap(third => {
      const [first, second] = [known.get(`${currency}/${third}`), known.get(`${third}/USD`)]
      return first && second ? [{ rate: first.rate * second.rate, date: first.date < second.date ? first.date : second.date }] : []
    })
    const rate = direct ?? through[0]
    if (rate) found.set(currency, rate)
  }
  return found
}
