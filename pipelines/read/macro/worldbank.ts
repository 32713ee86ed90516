// World Bank indicators: a list of two, the page and its rows. Version 1 printed every number as a string and knew no day of update;
// version 2 prints numbers and states when the database was last updated.

import { isList, isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { notThisKind, observationTable, periodStart, seriesOf } from './observations.ts'

type Known = Pick<Fact<'macro_observations'>, 'known_from' | 'known_basis'>

function parse(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isList(value) || !isObject(value[0])) return notThisKind(document, 'list of page and rows')
  const [page, rows] = value
  const table = observationTable(document)
  const updated = dayOf(textIn(page, 'lastupdated'))
  // Only the day is stated: the value was public after it.
  const known: Known = updated === null ? {} : { known_from: `${updated}T23:59:59Z`, known_basis: 'published' }
  if (rows === null) table.skip('page_without_rows')
  for (const [at, row] of (rows === null ? [] : objectsOf(rows, document.url)).entries()) {
    const [indicator, country] = [row['indicator'], row['country']]
    const code = isObject(indicator) ? textIn(indicator, 'id') : null
    const place = isObject(country) ? textIn(country, 'id') : null
    const date = periodStart(textIn(row, 'date'))
    if (code === null || place === null || date === null) {
      table.refuse('bad_row', code ?? 'indicator', `row ${at + 1} has no indicator, country or period`, { ...row })
      continue
    }
    const series = `worldbank:${code}/${place}`
    table.add({ series, date, vintage: null, vintage_basis: 'none', status: textIn(row, 'obs_status'), ...known }, textIn(row, 'value'))
    const names = [isObject(indicator) ? textIn(indicator, 'value') : null, isObject(country) ? textIn(country, 'value') : null]
    table.describe(
      seriesOf(series, names.filter(name => name !== null).join(', ') || series, {
        frequency: /^\d{4}$/.test(textIn(row, 'date') ?? '') ? 'annual' : null,
        units: textIn(row, 'unit'),
        last_updated: textIn(page, 'lastupdated'),
      }),
    )
  }
  return table.parsed(nextPage(document.url, Number(textIn(page, 'page')), Number(textIn(page, 'pages'))))
}

function nextPage(url: string, page: number, pages: number): string[] {
  return url.startsWith('https://') && page < pages && /[?&]page=\d+/.test(url) ? [url.replace(/([?&]page=)\d+/, `$1${page + 1}`)] : []
}

export const worldBankReader = reader('worldbank.indicators', 'macro_observations', {
  reads: url => /^https:\/\/api\.worldbank\.org\/v2\/country\/[^/]+\/indicator\//.test(url),
  matches: head => /^\s*\[\s*\{[^{}]{0,400}"per_page"[^{}]{0,400}\}\s*,\s*(?:null|\[)/.test(head) && /"per_page"/.test(head),
  parse,
})
