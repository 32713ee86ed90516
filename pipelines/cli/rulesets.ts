// `crossfile rulesets`: the dated rules behind the answers, the rows still to be verified, and the changes between two editions.
import { BadRequest } from '#schemas/errors.ts'
import { allEditions, type Edition, findEditions, type Row, rowsOf } from '#warehouse/rulesets/catalogue.ts'
import { type Change, changesBetween } from '#warehouse/rulesets/compare.ts'
import { Confidence } from '#warehouse/rulesets/editions.ts'
import { readArguments } from './arguments.ts'
import { printChanges } from './changes.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { columnsOf, heading, paragraph, printFacts, printJson, printTable, some } from './output.ts'

/** Lists every edition, or with --backlog the rows still to be verified. */
export function rulesets(argv: readonly string[], io: Io): number {
  const { values } = readArguments('rulesets', commands.rulesets.options, argv)
  const editions = allEditions()
  if (values.backlog) return backlog(io, editions, values.json)
  const listed = editions.map(edition => ({ ...headOf(edition), rows: rowsOf(edition).length, rows_by_confidence: byConfidence(rowsOf(edition)) }))
  if (values.json) {
    printJson(io, { rulesets: listed })
    return 0
  }
  const columns = [
    { head: 'RULESET' },
    { head: 'FROM' },
    { head: 'TO' },
    { head: 'ROWS', right: true },
    ...['P', 'S', 'GK', 'OTHER'].map(head => ({ head, right: true })),
  ]
  const rows = listed.map(({ ruleset, valid_from, valid_to, rows: count, rows_by_confidence: by }) => {
    const [primary, secondary, general] = Confidence.options.map(each => by[each] ?? 0)
    const known = (primary ?? 0) + (secondary ?? 0) + (general ?? 0)
    return [ruleset, valid_from, valid_to ?? 'open', count, ...[primary, secondary, general, count - known].map(each => each || null)]
  })
  printTable(io, columns, rows)
  io.err(`confidence of rows: P primary, S secondary, GK general knowledge (listed by --backlog), OTHER described in words`)
  return 0
}

const headOf = ({ registered, ruleset, valid_from, valid_to, published, path }: Edition) => ({
  ruleset,
  name: registered.name,
  title: registered.title,
  decides: registered.decides,
  kind: registered.kind,
  valid_from,
  valid_to,
  published,
  operations: registered.operations,
  commands: registered.commands,
  path,
})

const byConfidence = (rows: readonly Row[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(rows, row => row.confidence)].map(([confidence, all]) => [confidence, all.length]))

/** Rows that are general knowledge in whole or in part. */
const unverified = ({ confidence, source_ids }: Row): boolean => confidence === 'general_knowledge' || source_ids.includes('GK')

function backlog(io: Io, editions: readonly Edition[], json: boolean): number {
  const found = editions.flatMap(edition =>
    rowsOf(edition)
      .filter(unverified)
      .map(({ row: _row, ...rest }) => ({ ruleset: edition.ruleset, ...rest })),
  )
  if (json) {
    printJson(io, { rows: found })
    return 0
  }
  for (const [ruleset, rows] of Map.groupBy(found, row => row.ruleset)) {
    io.out(heading(io, `${ruleset}: ${some(rows.length, 'row')}`))
    for (const row of rows) {
      const part = row.confidence === 'general_knowledge' ? '' : ` (${row.confidence}, general knowledge in part)`
      for (const line of paragraph(io, `${row.at}${part}`, '  ', '    ')) io.out(line)
      for (const source of row.sources.filter(each => !each.startsWith('GK: '))) for (const line of paragraph(io, source, '    ')) io.out(line)
    }
    io.out('')
  }
  io.err(`${some(found.length, 'row')} to verify before use; each is followed by its citations other than general knowledge`)
  return 0
}

/** Prints one edition: its purpose, and its rows with validity, confidence and sources. */
export function rulesetsShow(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('rulesets show', commands['rulesets show'].options, argv, { least: 1, most: 1, what: 'NAME[@EDITION]' })
  const [edition] = findEditions(rest[0] ?? '')
  const rows = rowsOf(edition)
  if (values.json) {
    const printed = rows.map(({ row: _row, ...each }) => each)
    printJson(io, { ...headOf(edition), rows: printed, document: edition.document })
    return 0
  }
  const { title, decides, kind, operations, commands: used, valid_from, valid_to, published, path } = headOf(edition)
  io.out(heading(io, `${title}: ${edition.ruleset}`))
  const pairs: (readonly [string, string])[] = [
    ['decides', decides],
    ['kind', kind],
    ['valid', `from ${valid_from} ${valid_to === null ? 'on' : `to ${valid_to}`}${published === null ? '' : `, published ${published}`}`],
    ['answers', [...operations, ...used.map(name => `crossfile ${name}`)].join(', ')],
    ['data', path],
    ['rows', [`${rows.length}`, ...Object.entries(byConfidence(rows)).map(([confidence, count]) => `${count} ${confidence}`)].join(', ')],
  ]
  printFacts(io, pairs)
  if (rows.length === 0) return 0
  io.out('')
  const columns = columnsOf('ROW', 'CONFIDENCE', 'FROM', 'TO', '*SOURCES')
  const cells = rows.map(row => [
    row.at,
    row.confidence,
    row.valid_from,
    row.valid_from === null ? null : (row.valid_to ?? 'open'),
    row.source_ids.join(', '),
  ])
  printTable(io, columns, cells)
  return 0
}

/** Prints what changed between two editions of one ruleset. */
export function rulesetsDiff(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('rulesets diff', commands['rulesets diff'].options, argv, { least: 2, most: 2, what: 'A and B' })
  const [before, after] = [editionNamed(rest[0] ?? ''), editionNamed(rest[1] ?? '')]
  if (before.registered.name !== after.registered.name)
    throw new BadRequest(`${before.ruleset} and ${after.ruleset} are not editions of one ruleset`, {
      hint: `editions of ${before.registered.name}: ${findEditions(before.registered.name)
        .map(each => each.ruleset)
        .join(', ')}`,
    })
  const changes = editionChanges(before, after)
  if (values.json) printJson(io, { before: before.ruleset, after: after.ruleset, changes })
  else {
    io.out(heading(io, `${before.ruleset} -> ${after.ruleset}: ${changes.length === 0 ? 'no difference' : some(changes.length, 'change')}`))
    printChanges(io, changes)
  }
  return 0
}

/** Changes from one edition to another. A row whose validity equals that of its edition counts as unchanged. */
const editionChanges = (before: Edition, after: Edition): Change[] =>
  changesBetween(before.document, after.document, path => after.registered.keys[path] ?? null).filter(change => {
    const member = change.at.at(-1) ?? ''
    const ofRow = change.at.length > 1 && (member === 'valid_from' || member === 'valid_to')
    return !(ofRow && change.before === before.document[member] && change.after === after.document[member])
  })

/** One edition; a bare name selects the newest. */
const editionNamed = (name: string): Edition => findEditions(name)[0]
