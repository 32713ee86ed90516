// Stored pages of macro: the list of countries, and each country's indicators.
import { countries, countriesUsing } from '../../rulesets/macro/rules.ts'
import type { ChangedRows, StoredPage } from './stored-page.ts'

const from = ['macro_observations', 'fx_rates'] as const
const codes = new Set(countries.map(each => each.country))

/** The countries that use a series with new rows. */
const changedCountries = (rows: ChangedRows): string[] => {
  const macro = new Set((rows.get('macro_observations') ?? []).map(row => String(row['series'])))
  const rates = new Set((rows.get('fx_rates') ?? []).map(row => `bank-of-canada:${String(row['series'])}`))
  return [...new Set([...macro, ...rates].flatMap(countriesUsing))].sort()
}

export const macroCountriesPage: StoredPage = {
  from,
  standard: question => Object.keys(question).length === 0,
  changed: rows => (changedCountries(rows).length > 0 ? [{}] : []),
}

/** The number of last periods that `/macro` draws. */
const drawn = 24

export const macroCountryPage: StoredPage = {
  from,
  // A three-letter country code is another request for the same page's content: answered from the lake.
  standard: ({ country, recent, ...others }) =>
    Object.keys(others).length === 0 && (recent === undefined || recent === drawn) && codes.has(String(country)),
  changed: rows => changedCountries(rows).flatMap(country => [{ country }, { country, recent: drawn }]),
  // The World Bank's rows change every country together: those pages are built on request.
  atOnce: 40,
}
