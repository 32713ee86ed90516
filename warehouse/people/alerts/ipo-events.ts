// What happens to an offering, as alerts name it: priced, listed, its range amended, its lock-up soon over. Pure.
import type { IpoEventName } from '#schemas/alerts.ts'
import { addDays } from '#schemas/days.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type DealRow, urlOfFiling } from '../../answers/ipo-deal.ts'
import { changeOf } from '../../datasets/offerings/registrations.ts'
import { symbolOfDeal } from '../../rules/calendars/deals.ts'

export type Happened = {
  /** Permanent id of the event: an alert fires once for each. */
  readonly key: string
  readonly event: IpoEventName
  readonly deal: string
  readonly company: string
  readonly date: string | null
  readonly url: string | null
  readonly rule: string
}

/** A proposed ticker as calendars print it: upper case, its class after a dash. */
const plainTicker = (text: string): string => text.trim().toUpperCase().replace(/[./ ]/g, '-')

/** Whether a ticker refers to the deal: its proposed symbol, or the one under which it is listed. */
export function isOf(row: DealRow, ticker: string): boolean {
  const listed = row.line?.symbol ?? null
  return symbolOfDeal(row.deal) === plainTicker(ticker) || (listed !== null && listed === (parseSymbol(ticker)?.symbol ?? ticker))
}

/** The ruleset of IPO events, which is also that of the offerings. */
export const ipoEventRules = 's1@1'
/** The events of a deal up to a day; for the lock-up, one if it ends within `leadDays`, until its last day. */
export function eventsOf(row: DealRow, event: IpoEventName, leadDays: number, today: string): readonly Happened[] {
  const { deal } = row
  const filings = deal.registration?.filings ?? []
  const base = { event, deal: deal.deal, company: deal.company }
  const known = (date: string | null): date is string => date !== null && date <= today
  if (event === 'priced') {
    if (!known(row.priced_date)) return []
    const prospectus = deal.registration?.priced ?? null
    return [
      {
        ...base,
        key: `priced ${deal.deal}`,
        date: row.priced_date,
        url: prospectus && urlOfFiling(prospectus),
        rule: `priced on ${row.priced_date}`,
      },
    ]
  }
  if (event === 'listed') {
    if (row.line === null || row.status !== 'listed') return []
    const day = row.listed_date ?? row.line.valid_from
    return known(day) ? [{ ...base, key: `listed ${deal.deal}`, date: day, url: null, rule: `listed as ${row.line.symbol} since ${day}` }] : []
  }
  if (event === 'lockup_soon') {
    const end = row.lock_up_expiry
    if (end === null || end < today || addDays(today, leadDays) < end) return []
    const rule = `the lock-up of ${row.lock_up_days} days ends on ${end}, within ${leadDays} days`
    return [{ ...base, key: `lockup_soon ${deal.deal} ${end}`, date: end, url: null, rule }]
  }
  return filings.flatMap((filing, at) => {
    if (changeOf(filing, filings[at + 1]) !== 'range_amended' || filing.filed_date > today) return []
    const range = `${filing.price_low ?? 'unknown'} to ${filing.price_high ?? 'unknown'}`
    const rule = `price range amended to ${range} by ${filing.form} of ${filing.filed_date}`
    return [{ ...base, key: `range_amended ${deal.deal} ${filing.accession}`, date: filing.filed_date, url: urlOfFiling(filing), rule }]
  })
}

/** Past events that a newly armed alert ignores: everything except a lock-up that is about to end. */
export const seenOf = (rows: readonly DealRow[], ticker: string, event: IpoEventName, today: string): readonly string[] =>
  event === 'lockup_soon' ? [] : rows.filter(row => isOf(row, ticker)).flatMap(row => eventsOf(row, event, 0, today).map(({ key }) => key))
