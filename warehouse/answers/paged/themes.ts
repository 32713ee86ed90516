// Stored pages of themes: the list, and each theme's first page.

import { interlisted } from '../../datasets/symbols/interlisted.ts'
import { themeRules } from '../../rulesets/themes/rules.ts'
import type { StoredPage } from './stored-page.ts'

export const themeDatasets = ['symbols', 'issuers', 'issuer_tickers', 'dual_listings', 'corporate_actions'] as const
const standardLimit = 25
const ids = new Set(themeRules.themes.map(theme => theme.id))

export const themesPage: StoredPage = {
  from: themeDatasets,
  standard: question => {
    const names = Object.keys(question).sort().join()
    return question['limit'] === standardLimit && (names === 'limit' || (names === 'limit,theme' && ids.has(String(question['theme']))))
  },
  changed: (rows, context) => {
    const paid = (rows.get('corporate_actions') ?? []).some(
      row =>
        ['dividend', 'special_dividend'].includes(String(row['kind'])) &&
        (context.pairs.of(String(row['symbol'])).length > 0 || interlisted(context.symbols, String(row['symbol'])).length > 0),
    )
    const others = (['symbols', 'issuers', 'issuer_tickers', 'dual_listings'] as const).some(name => (rows.get(name) ?? []).length > 0)
    return paid || others ? [{ limit: standardLimit }, ...[...ids].map(theme => ({ limit: standardLimit, theme }))] : []
  },
}
