// Formats results: tables, numbers, times and colours for people; one JSON document for programs.

import { styleText } from 'node:util'
import { count } from '#schemas/counts.ts'
import { oneLine } from '#warehouse/store/log.ts'
import type { Io } from './io.ts'

export { count, size, some } from '#schemas/counts.ts'

export type Cell = string | number | null
export type Column = {
  readonly head: string
  readonly right?: boolean
  /** Cut first where the terminal is too narrow. */
  readonly wide?: boolean
  readonly paint?: (text: string) => string
}
/** Columns by their heads: `>` in front aligns to the right, `*` marks the wide one. */
export const columnsOf = (...heads: readonly (string | Column)[]): Column[] =>
  heads.map(head => (typeof head === 'string' ? { head: head.replace(/^[>*]/, ''), right: head.startsWith('>'), wide: head.startsWith('*') } : head))

/** The one JSON document of `--json`. */
export function printJson(io: Io, value: unknown): void {
  io.out(JSON.stringify(value, null, io.width === null ? 0 : 2))
}

const wordColours: Readonly<Record<string, 'green' | 'yellow' | 'red' | 'dim'>> = {
  on: 'green',
  done: 'green',
  ok: 'green',
  released: 'green',
  sent: 'green',
  active: 'green',
  running: 'yellow',
  waiting: 'yellow',
  held: 'yellow',
  unconfirmed: 'yellow',
  leaving: 'yellow',
  stale: 'red',
  never: 'yellow',
  failed: 'red',
  lost: 'red',
  dead: 'red',
  given: 'red',
  disabled: 'red',
  rejected: 'dim',
  revoked: 'dim',
  expired: 'dim',
  off: 'dim',
}

/** Colours the word of a state if the terminal shows colours. */
export const paintState =
  (io: Pick<Io, 'colour'>) =>
  (text: string): string => {
    const colour = wordColours[text.trim().split(/[ ,]/, 1)[0] ?? '']
    return io.colour && colour ? styleText(colour, text, { validateStream: false }) : text
  }
export const heading = (io: Pick<Io, 'colour'>, text: string): string => (io.colour ? styleText('bold', text, { validateStream: false }) : text)

const textOf = (cell: Cell): string => (cell === null ? '-' : typeof cell === 'number' ? count(cell) : oneLine(cell))

/**
 * Lines of a table with its heads. Cells may come from documents, so control characters are removed. If `io.width` is
 * known, the `wide` column is shortened so that no line wraps.
 */
export function table(io: Pick<Io, 'width' | 'colour'>, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
  const texts = rows.map(row => columns.map((_, at) => textOf(row[at] ?? null)))
  const widths = columns.map((column, at) => Math.max(column.head.length, ...texts.map(row => row[at]?.length ?? 0)))
  const wide = columns.findIndex(column => column.wide)
  if (io.width !== null && wide >= 0) {
    const over = widths.reduce((sum, width) => sum + width, 0) + 2 * (columns.length - 1) - io.width
    if (over > 0) widths[wide] = Math.max(12, (widths[wide] ?? 0) - over)
  }
  const line = (cells: readonly string[], paint: boolean): string =>
    cells
      .map((cell, at) => {
        const column = columns[at] as Column
        const width = widths[at] ?? 0
        const cut = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell
        const last = at === cells.length - 1
        const padded = column.right ? cut.padStart(width) : last ? cut : cut.padEnd(width)
        return paint && column.paint ? column.paint(padded) : padded
      })
      .join('  ')
      .trimEnd()
  return [
    heading(
      io,
      line(
        columns.map(column => column.head),
        false,
      ),
    ),
    ...texts.map(row => line(row, true)),
  ]
}

export function printTable(io: Io, columns: readonly Column[], rows: readonly (readonly Cell[])[]): void {
  for (const line of table(io, columns, rows)) io.out(line)
}

/** Lines `name   value` for the facts of one thing. */
export function facts(io: Pick<Io, 'colour'>, pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${heading(io, name.padEnd(width))}  ${value}`)
}

/** Minimum width in columns of text that follows a prefix. */
const narrowest = 20

/**
 * Wraps a text at word boundaries to the width of the terminal (`width` null: one line); `below` prefixes every line but the first. A word
 * longer than a line gets its own line.
 */
export function paragraph(io: Pick<Io, 'width'>, text: string, before = '', below = before): string[] {
  const most = Math.max(narrowest, (io.width ?? Number.POSITIVE_INFINITY) - below.length)
  const lines: string[] = []
  for (const word of oneLine(text).split(' ')) {
    const last = lines.at(-1)
    const available = lines.length === 1 ? most + below.length - before.length : most
    if (last !== undefined && last.length + 1 + word.length <= available) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line, at) => (at === 0 ? before : below) + line)
}

/** A text as a paragraph with an indentation of so many spaces. */
export const wrapped = (io: Pick<Io, 'width'>, text: string, indent = 0): string[] => paragraph(io, text, ' '.repeat(indent))

/** Prints `facts` with their values wrapped at word boundaries to the width of the terminal. */
export function printFacts(io: Io, pairs: readonly (readonly [string, string])[]): void {
  const width = Math.max(...pairs.map(([name]) => name.length))
  for (const [name, value] of pairs) {
    const [first = '', ...rest] = wrapped(io, value, width + 2)
    for (const line of [...facts(io, [[name.padEnd(width), first.trimStart()]]), ...rest]) io.out(line)
  }
}

export const unreadSentence = (unread: number): string =>
  unread === 1 ? '1 stored document was not read' : `${count(unread)} stored documents were not read`

/** `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.round(ms / 1000)
  const two = (big: number, bigName: string, small: number, smallName: string): string =>
    small === 0 ? `${big} ${bigName}` : `${big} ${bigName} ${small} ${smallName}`
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1440) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** `just now`, `5 min ago`, `in 2 d 4 h`. */
export function relative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime()
  if (Math.abs(ms) < 1500) return 'just now'
  // Seconds are shown below a minute; above it, the smaller unit is shown only if it matters.
  const text = Math.abs(ms) >= 600_000 && Math.abs(ms) < 3_600_000 ? `${Math.floor(Math.abs(ms) / 60_000)} min` : duration(Math.abs(ms))
  return ms > 0 ? `in ${text}` : `${text} ago`
}

/** `2026-11-20 22:31 UTC`. */
export const moment = (at: string | Date): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** `Mon 2026-11-23 06:30 EST`: an instant in a time zone. */
export function zoned(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).formatToParts(at)
  const part = (type: string): string => parts.find(each => each.type === type)?.value ?? ''
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')} ${part('timeZoneName')}`
}
