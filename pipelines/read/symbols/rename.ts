// A change of symbol that a source states outright: the old symbol's interval ends on the session before, the new one carries on
// the same instrument.
import { addDays } from '#schemas/days.ts'
import { calendarYears, previousSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Refused, Rename } from '../parsed.ts'
import { instrumentId, type KnownInterval } from './book.ts'
import type { Work } from './work.ts'

/** A directory may show the new symbol some days before or after the day that a vendor states. */
const slackDays = 10

function sessionBefore(exchange: Rename['exchange'], date: string): string {
  const { from, to } = calendarYears(exchange)
  return date > addDays(from, slackDays) && date <= to ? previousSession(exchange, date) : addDays(date, -1)
}

/** Returns false without changes if neither symbol is known at the time. */
export function workRename({ book, source, count, refused }: Work, rename: Rename): boolean {
  const { exchange, from, to, date, name } = rename
  const last = sessionBefore(exchange, date)
  const old = book
    .of(from)
    .findLast(interval => interval.valid_from < date && (interval.valid_to === null || interval.valid_to >= addDays(last, -slackDays)))
  const taken = book.of(to).find(interval => interval.valid_to === null || interval.valid_to >= date)
  if (old?.successor === to && taken?.predecessor === from) {
    count('known_renames')
    return true
  }
  if (taken && old && taken.valid_from < addDays(date, -slackDays) && taken.instrument_id !== old.instrument_id) {
    // Two lines that became one are a merger or an exchange of shares, not a change of name.
    refused.push({
      dataset: 'symbols',
      reason: 'rename_to_listed_symbol',
      detail: `${from} to ${to} on ${date}: ${to} was listed since ${taken.valid_from} as another instrument`,
      subject: from,
      record: { ...rename },
    })
    return true
  }
  if (!old && !taken) return false
  const began = taken ?? {
    ...plainly(old!, source),
    symbol: to,
    source_symbol: to,
    name: name ?? old!.name,
    issuer: name === null || name === old!.name ? old!.issuer : null,
    valid_from: date,
    valid_to: null,
    end_reason: null,
    successor: null,
  }
  // For an otherwise unknown old symbol, one day is certain: the session before the change.
  const ended = old ?? {
    ...plainly(began, source),
    symbol: from,
    source_symbol: from,
    valid_from: last,
    instrument_id: instrumentId(exchange, from, last),
    predecessor: null,
  }
  const validTo = ended.valid_to !== null && ended.valid_to < last ? ended.valid_to : last
  book.put({ ...ended, valid_to: validTo, end_reason: 'renamed', successor: to })
  book.put({ ...began, predecessor: from })
  book.join(began.instrument_id, ended.instrument_id)
  count('renamed')
  return true
}

const plainly = (interval: KnownInterval, source: string): KnownInterval => ({ ...interval, source })

/** Why a rename of the operator's list cannot be applied yet. */
export const unappliedReasons = ['rename_of_unknown_symbol', 'rename_of_later_day'] as const

export const refusedRename = (reason: (typeof unappliedReasons)[number], rename: Rename, detail: string): Refused => ({
  dataset: 'symbols',
  reason,
  detail: `${rename.from} to ${rename.to} on ${rename.date}: ${detail}`,
  subject: rename.from,
  record: { ...rename },
})

/** A rename of which no list has the old symbol shortly before or the new one from then on. */
export function unknownRename({ book }: Work, rename: Rename): Refused {
  const { from, to, date } = rename
  const held = [from, to].flatMap(symbol => {
    const known = book.of(symbol)
    return known.length === 0 ? [] : [`${symbol} is known ${known.map(each => `from ${each.valid_from} to ${each.valid_to ?? 'now'}`).join(', ')}`]
  })
  const found = held.length === 0 ? 'neither symbol is in any list' : `the days do not match: ${held.join('; ')}`
  const remedy = `load a list of symbols (a file symbols*.csv) with ${from}, a first_date before ${date} and the last_date ${addDays(date, -1)}, or with ${to}; then release this finding`
  return refusedRename('rename_of_unknown_symbol', rename, `${found}; ${remedy}`)
}

/** A rename after the day on which its file was read. The file is read again only when its bytes change. */
export const laterRename = (rename: Rename, day: string): Refused =>
  refusedRename('rename_of_later_day', rename, `the file was read on ${day}; put the row into a new file renames*.csv on ${rename.date} or later`)
