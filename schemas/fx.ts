// Foreign-exchange reference rates as their publisher prints them.
import { defineDataset, terms } from './dataset.ts'
import { Currency, Decimal, IsoDate, Text } from './values.ts'

export const fxRates = defineDataset('fx_rates', 'FX rates', terms('26 hours', 'Bank of Canada terms: reuse with attribution'), {
  description:
    'One row per series and day: how many units of quote_currency one unit of base_currency costs. Days without a publication have no row.',
  facts: {
    base_currency: Currency, // the currency that costs `rate`
    quote_currency: Currency, // the currency of `rate`
    date: IsoDate,
    rate: Decimal, // units of quote_currency per unit of base_currency
    series: Text, // the publisher's own name, e.g. FXUSDCAD
  },
  rows: { key: ['base_currency', 'quote_currency', 'date', 'series'], time: 'date' },
})

/** The symbol in `quotes` of a source's quote of the US dollar in Canadian dollars, which trades while exchanges are closed. */
export const dollarSymbol = 'USDCAD'
