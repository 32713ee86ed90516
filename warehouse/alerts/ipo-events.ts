// What happens to an offering, as alerts name it (domain-rules.md i): priced, listed, its range amended, its lock-up soon over. Pure.
import { addDays } from '#schemas/days.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type DealRow, urlOfFiling } from '../answers/ipo-deal.ts'
import { symbolOfDeal } from '../calendars/deals.ts'
import { changeOf } from '../offerings/registrations.ts'

/** By what events are told: domain-rules.md i, of which the offerings are read too. */
export const ipoEventRules = 's1@1'

export type IpoEventName = 'priced' | 'listed' | 'lockup_soon' | 'range_amended'
export type Happened = {
  /** Names the event for ever: an alert fires once for each. */
  readonly key: string
  readonly event: IpoEventName
  readonly deal: string
  readonly company: string
  readonly date: string | null
  readonly url: string | null
  readonly rule: string
}

/** A ticker as calendars print a proposed one: upper case, a class behind a dash. */
export const plainTicker = (text: string): string => text.trim().toUpperCase().replace(/[./ ]/g, '-')

/** Whether somebody who names the ticker means the deal: its proposed symbol, or the one under which it is listed. */
export function isOf(row: DealRow, ticker: string): boolean {
  const listed = row.line?.symbol ?? null
  return symbolOfDeal(row.deal) === plainTicker(ticker) || (listed !== null && listed === (parseSymbol(ticker)?.symbol ?? ticker))
}

/** What has happened to a deal up to a day; of the lock-up what is so within `leadDays`, until its last day. */
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

/** What is no news to an alert that is armed now: all that has happened but a lock-up that ends soon. */
export const seenOf = (rows: readonly DealRow[], ticker: string, event: IpoEventName, today: string): readonly string[] =>
  event === 'lockup_soon' ? [] : rows.filter(row => isOf(row, ticker)).flatMap(row => eventsOf(row, event, 0, today).map(({ key }) => key))
