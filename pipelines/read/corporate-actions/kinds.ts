// The names that people and vendors give to kinds of corporate actions.
import type { z } from 'zod'
import type { ActionKind, ListingEventKind } from '#schemas/corporate-actions.ts'

type Kind = z.infer<typeof ActionKind>

const names: Readonly<Record<Kind | 'no_action', string>> = {
  split: 'split splits stocksplit forwardsplit reversesplit reversestocksplit sharesplit consolidation shareconsolidation subdivision',
  dividend:
    'dividend dividends div cash cashdividend ordinarydividend regulardividend distribution cashdistribution cd regular ordinary interim final quarterlydividend monthlydistribution',
  special_dividend: 'special specialdividend specialcash specialcashdividend specialdistribution extra extradividend extraordinarydividend sc',
  stock_dividend: 'stockdividend sharedividend bonus bonusissue scrip scripdividend stockdistribution sd',
  return_of_capital: 'returnofcapital roc capitalreturn capitalrepayment liquidatingdividend',
  spinoff: 'spinoff spin demerger splitoff spinout',
  reinvested_distribution:
    'reinvesteddistribution reinvested phantom phantomdistribution notionaldistribution reinvesteddividend noncashdistribution reinvestedcapitalgain',
  capital_gain: 'capitalgain capitalgains capitalgaindistribution capgain capgains ltcg stcg',
  no_action: 'earnings',
}
type EventKind = z.infer<typeof ListingEventKind>
/** What happens to the listing and changes no price. */
const eventNames: Readonly<Record<EventKind, string>> = {
  rename: 'rename renamed symbolchange tickerchange namechange changeofname changeofsymbol',
  merger: 'merger merged acquisition acquired takeover amalgamation arrangement goingprivate',
  delisting: 'delisting delisted bankruptcy liquidation removal',
  move: 'move moved transfer graduation',
  listing: 'listing listed ipo relisting newlisting',
}
const eventByName = new Map(Object.entries(eventNames).flatMap(([kind, list]) => list.split(' ').map(name => [name, kind as EventKind] as const)))
const kindByName = new Map(Object.entries(names).flatMap(([kind, list]) => list.split(' ').map(name => [name, kind as Kind | 'no_action'] as const)))

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

/** The kind that a word names, `no_action` for events that change no price, null if it is unknown. */
export function kindNamed(text: string): Kind | 'no_action' | null {
  return kindByName.get(lettersOf(text)) ?? (eventNamed(text) ? 'no_action' : null)
}
/** The event of a listing that a word names; null for actions on prices and for unknown words. */
export const eventNamed = (text: string): EventKind | null => eventByName.get(lettersOf(text)) ?? null
