// The names that people and vendors give to kinds of corporate actions.
import type { z } from 'zod'
import type { ActionKind } from '#schemas/corporate-actions.ts'

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
  no_action: 'delisting delisted rename renamed symbolchange tickerchange namechange listing ipo merger acquisition earnings',
}
const kindByName = new Map(Object.entries(names).flatMap(([kind, list]) => list.split(' ').map(name => [name, kind as Kind | 'no_action'] as const)))

/** The kind that a word names, `no_action` for events that change no price, null where it is unknown. */
export function kindNamed(text: string): Kind | 'no_action' | null {
  return kindByName.get(text.toLowerCase().replace(/[^a-z]/g, '')) ?? null
}
