// Prints changes between two editions, or between two answers, on a terminal.
import type { Change, Json } from '#warehouse/rulesets/compare.ts'
import type { Io } from './io.ts'
import { heading, paragraph } from './output.ts'

/** Members and values in one line, without the brackets of JSON. */
function plain(value: Json | undefined): string {
  if (value === undefined || value === null) return 'none'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  if (typeof value !== 'object' || JSON.isRawJSON(value)) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, member]) => `${name} ${plain(member)}`)
    .join('; ')
}

/** One change after another: the member, its previous value and its present value. */
export function printChanges(io: Io, changes: readonly Change[]): void {
  for (const { change, at, before, after } of changes) {
    for (const line of paragraph(io, `${change.padEnd(7)}  ${at.join(' / ')}`, '', ' '.repeat(9))) io.out(heading(io, line))
    if (change === 'moved') io.out(`         from place ${plain(before)} to ${plain(after)}`)
    if (change === 'removed' || change === 'changed') for (const line of paragraph(io, `- ${plain(before)}`, ' '.repeat(9))) io.out(line)
    if (change === 'added' || change === 'changed') for (const line of paragraph(io, `+ ${plain(after)}`, ' '.repeat(9))) io.out(line)
  }
}
