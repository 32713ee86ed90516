// `crossfile quarantine release|reject`: the operator's decision on findings.
import { type DecisionEffect, type DecisionWord, decideFindings, operatorNote } from '../ingest/decide.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { count, printJson, some } from './output.ts'
import { findingId } from './quarantine.ts'
import { rewriteWarehouseFile } from './warehouse-file.ts'

export async function decide(word: DecisionWord, argv: readonly string[], io: Io): Promise<number> {
  const name = word === 'released' ? 'quarantine release' : 'quarantine reject'
  const { values, rest } = readArguments(name, commands[name].options, argv, { least: 1, most: 1000, what: 'the id of a finding' })
  const ids = [...new Set(rest.map(findingId))]
  const note = operatorNote(values.note ?? null)
  const effects = await withRuntime(io, async runtime => {
    const { postgres, raw, tools } = runtime
    const deciding = { db: postgres.db, raw, ingest: tools }
    const done = await decideFindings(deciding, ids, { word, note, at: io.now().toISOString() })
    if (done.some(effect => effect.release !== null)) await rewriteWarehouseFile(runtime)
    return done
  })
  if (values.json) printJson(io, { decision: word, findings: ids, note, documents: effects })
  else for (const line of render(word, ids, effects)) io.out(line)
  return 0
}

function render(word: DecisionWord, ids: readonly number[], effects: readonly DecisionEffect[]): string[] {
  return [
    `${some(ids.length, 'finding')} ${word}`,
    ...effects.flatMap(effect => [`  ${effectOf(word, ids, effect)}`, ...(word === 'released' ? refusedAgain(effect) : [])]),
  ]
}

function effectOf(word: DecisionWord, ids: readonly number[], { url, findings, release, rows, newly_held }: DecisionEffect): string {
  const which = ids.length === findings.length ? '' : ` (${findings.join(', ')})`
  if (url === null) return `no stored document for ${findings.join(', ')}: nothing could be read again`
  const changed = Object.entries(rows).map(([dataset, number]) => `${dataset} ${count(number)}`)
  if (release !== null)
    return `${url}${which}: release ${release} has the new rows: ${changed.join(', ')}${newly_held > 0 ? `; ${some(newly_held, 'new finding')} held` : ''}`
  return word === 'rejected'
    ? `${url}${which}: read again, nothing changes: it was never applied`
    : `${url}${which}: read again, but no row follows from it: this kind of finding is only noted as seen`
}

/** A finding that waits for other data, such as a rename of an unknown symbol, can be released again when the data is there. */
function refusedAgain({ refused_again: again }: DecisionEffect): string[] {
  if (again.length === 0) return []
  const ids = again.join(' ')
  return [
    `  refused again, for the reason that crossfile quarantine show ${again[0]} gives: ${again.join(', ')}`,
    `  if it can be removed: remove it, then release it again: crossfile quarantine reject ${ids}, then crossfile quarantine release ${ids}`,
  ]
}
