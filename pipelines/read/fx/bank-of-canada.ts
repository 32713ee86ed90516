// The Bank of Canada's Valet observations, some series or a group of them: exchange rates, and other series (macro/valet.ts). Values
// are strings; a day without one has none.
import { Unreadable } from '#schemas/errors.ts'
import { instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dayOf, decimalOf } from '../csv/cells.ts'
import { observationTable } from '../macro/observations.ts'
import { describeValetSeries, readValetCell } from '../macro/valet.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'

/** Published once a day by 16:30 Eastern (Bank of Canada, "Daily exchange rates"), and public from then on. */
const publishedAt = (date: string): string => instantIn('America/Toronto', date, '16:30')

function parse(document: RawDocument): Parsed {
  const subject = `bank-of-canada ${document.url}`
  const value = jsonOf(document)
  if (!isObject(value) || value['observations'] === undefined) throw new Unreadable('no_observations', `${subject}: no member observations`)
  const macro = observationTable(document)
  describeValetSeries(macro, value['seriesDetail'], isObject(value['groupDetail']) ? textIn(value['groupDetail'], 'label') : null)
  const rates: Fact<'fx_rates'>[] = []
  const read = new Map<string, string>()
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  const skip = (reason: string): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }
  for (const [at, row] of objectsOf(value['observations'], subject).entries()) {
    const date = dayOf(textIn(row, 'd'))
    if (date === null) {
      refused.push({
        dataset: 'fx_rates',
        reason: 'bad_date',
        subject: `observation ${at + 1}`,
        detail: `${subject}: observation ${at + 1} has no day in d`,
        record: row,
      })
      continue
    }
    for (const [series, cell] of Object.entries(row)) {
      if (series === 'd') continue
      const pair = /^FX([A-Z]{3})([A-Z]{3})$/.exec(series)
      const printed = isObject(cell) ? textIn(cell, 'v') : null
      const rate = decimalOf(printed)
      if (!pair) readValetCell(macro, series, date, cell)
      else if (printed === null) skip('no_value')
      else if (rate === null || Number(rate) <= 0) {
        const detail = `${subject}: ${series} of ${date} is "${printed.slice(0, 40)}", expected a decimal above 0`
        refused.push({ dataset: 'fx_rates', reason: 'bad_number', subject: series, detail, record: { date, series, value: printed } })
      } else if ((read.get(`${date} ${series}`) ?? rate) !== rate) {
        const detail = `${subject}: ${series} of ${date} is ${rate} and, before, ${read.get(`${date} ${series}`)}; the first is kept`
        refused.push({ dataset: 'fx_rates', reason: 'two_rates_of_a_day', subject: series, detail, record: { date, series, value: printed } })
      } else {
        read.set(`${date} ${series}`, rate)
        rates.push({ base_currency: pair[1]!, quote_currency: pair[2]!, date, rate, series, known_from: publishedAt(date), known_basis: 'published' })
      }
    }
  }
  const others = macro.parsed()
  return {
    facts: { ...(rates.length === 0 ? {} : { fx_rates: rates }), ...others.facts },
    refused: [...refused, ...others.refused],
    skipped: { ...others.skipped, ...skipped },
    follow: [],
  }
}

export const bankOfCanadaReader = reader('bank-of-canada.observations', 'fx_rates', {
  reads: url => /^https:\/\/www\.bankofcanada\.ca\/valet\/observations\/(?:group\/)?[A-Za-z0-9_.,]+\/json(?:\?|$)/.test(url),
  matches: head => /^\s*\{/.test(head) && head.includes('bankofcanada.ca/terms') && (/"FX[A-Z]{6}"/.test(head) || head.includes('"observations"')),
  parse,
})
