// TMX Money's earnings of a day. The response does not state the day: the request does, or the name of a recorded file. It also
// omits the board, so that a symbol keeps the ending `.CA` until a step with a directory resolves it.
import { Unreadable } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { readTmx } from '#schemas/vendor-spelling.ts'
import { questionAt } from '../../fetch/sources/question.ts'
import { tmxUrl } from '../../fetch/sources/tmx.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { shownDecimal } from './cells.ts'
import { calendarTable, earningsRow } from './rows.ts'

const operation = 'getEnhancedEarningsForDate'
const times: Readonly<Record<string, 'before_open' | 'after_close'>> = { BTO: 'before_open', AMC: 'after_close' }

/** The requested day: from the posted request, or from a recorded file's name. */
function requestedDay(url: string): string | null {
  const body = questionAt(url).body
  const day = (
    body === null
      ? /(?:^|[^\d])(\d{4}-\d\d-\d\d)(?:[^\d]|$)/.exec(url.slice(url.lastIndexOf('/') + 1))
      : /"date"\s*:\s*"(\d{4}-\d\d-\d\d)"/.exec(body)
  )?.[1]
  return day !== undefined && IsoDate.safeParse(day).success ? day : null
}

/** `CJR.B` as `CJR-B.CA`: one of the two Canadian boards. */
function canadianSymbol(printed: string): string | null {
  const read = readTmx(printed.toUpperCase(), 'V')
  return read === null ? null : read.symbol.replace(/\.V$/, '.CA')
}

function parse(document: RawDocument): Parsed {
  const subject = `tmx ${document.url.slice(0, 120)}`
  const value = jsonOf(document)
  const data = isObject(value) && isObject(value['data']) ? value['data'][operation] : undefined
  // A null without errors[] is as little an empty day as one with them.
  if (data === undefined || data === null) throw new Unreadable('no_earnings', `${subject}: no member data.${operation}`)
  const rows = objectsOf(data, subject)
  const date = requestedDay(document.url)
  if (date === null) throw new Unreadable('no_day', `${subject}: neither the question nor the name of the file tell the day`)
  const table = calendarTable()
  if (rows.length === 0) table.skip('day_without_reports')
  for (const row of rows) {
    const printed = textIn(row, 'symbol') ?? ''
    // Capital pools and NEX, the board of shells, are the Venture exchange and mark their symbols.
    const symbol = /\.[HKP]$/.test(printed) ? readTmx(printed, 'V')?.symbol : canadianSymbol(printed)
    if (!symbol) {
      table.refuse('earnings_dates', 'bad_symbol', printed || 'no symbol', `a report of ${date} has no symbol of TMX`, row)
      continue
    }
    const time = times[textIn(row, 'announceTime') ?? ''] ?? null
    const [estimate, actual] = [shownDecimal(textIn(row, 'estimatedEps')), shownDecimal(textIn(row, 'actualEps'))]
    if (estimate === undefined || actual === undefined) table.skip('estimate_not_read')
    table.add(
      'earnings_dates',
      earningsRow({
        symbol,
        source_name: 'tmx',
        date,
        mark: time === null ? 'no_time_of_day' : 'time_of_day',
        time_of_day: time,
        name: textIn(row, 'companyName'),
        eps_estimate: estimate ?? null,
        eps_actual: actual ?? null,
      }),
    )
  }
  return table.parsed()
}

export const tmxEarningsReader = reader('tmx.enhanced-earnings', 'earnings_dates', {
  reads: url => {
    const requested = questionAt(url)
    return requested.url === tmxUrl && (requested.body ?? '').includes(operation)
  },
  matches: head => /^\s*\{/.test(head) && head.includes(`"${operation}"`),
  parse,
})
