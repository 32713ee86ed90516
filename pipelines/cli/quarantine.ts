// `crossfile quarantine`: data held back, first counted by dataset and reason, then finding by finding.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { datasetNames } from '#schemas/index.ts'
import { oneLine } from '#warehouse/store/log.ts'
import { countFindings, findFindingDocument, findFindings, type QuarantineFilter, quarantineStates } from '#warehouse/store/quarantine.ts'
import { oneOf, readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { count, facts, moment, paintState, printJson, relative, some, table } from './output.ts'

export async function quarantine(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('quarantine', commands.quarantine.options, argv)
  const limit = wholeNumber('--limit', values.limit, { from: 0, to: 100_000, otherwise: 20 })
  const filter: QuarantineFilter = {
    dataset: values.dataset === undefined ? null : oneOf('--dataset', values.dataset, datasetNames),
    reason: values.reason ?? null,
    subject: values.subject ?? null,
    state: values.state === undefined ? 'held' : oneOf('--state', values.state, quarantineStates),
  }
  const found = await withDatabase(io, { write: false }, async ({ db }) => ({
    groups: await countFindings(db, filter),
    items: limit === 0 ? [] : await findFindings(db, filter, limit),
  }))
  if (values.json) printJson(io, { total: found.groups.reduce((sum, group) => sum + group.count, 0), ...found })
  else for (const line of render(found, filter, io)) io.out(line)
  return 0
}

function render(
  { groups, items }: { groups: Awaited<ReturnType<typeof countFindings>>; items: Awaited<ReturnType<typeof findFindings>> },
  filter: QuarantineFilter,
  io: Io,
): string[] {
  const now = io.now()
  const mixed = filter.state === 'all'
  const paint = paintState(io)
  if (groups.length === 0) return [filter.state === 'held' ? 'nothing is held back' : 'no finding matches']
  const total = groups.reduce((sum, group) => sum + group.count, 0)
  const state = <T>(value: T): T[] => (mixed ? [value] : [])
  return [
    ...table(
      io,
      [{ head: 'dataset' }, { head: 'reason' }, ...state({ head: 'state', paint }), { head: 'count', right: true }, { head: 'newest' }],
      groups.map(group => [group.dataset, group.reason, ...state(group.state), group.count, relative(new Date(group.newest), now)]),
    ),
    '',
    ...(items.length === 0
      ? []
      : table(
          io,
          [{ head: 'id', right: true }, { head: 'held' }, ...state({ head: 'state', paint }), { head: 'subject' }, { head: 'detail', wide: true }],
          items.map(item => [
            String(item.quarantine_id),
            relative(new Date(item.held_at), now),
            ...state(item.state),
            item.subject.slice(0, 60),
            item.detail,
          ]),
        )),
    ...(items.length > 0 ? [''] : []),
    `${some(total, 'finding')}${items.length < total && items.length > 0 ? `, the newest ${count(items.length)} shown` : ''}; crossfile quarantine show ID, release ID or reject ID`,
  ]
}

/** The number of a finding. */
export function findingId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new BadRequest(`quarantine: ${JSON.stringify(text)} is not an id`, { hint: 'crossfile quarantine shows the ids' })
}

export async function quarantineShow(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('quarantine show', commands['quarantine show'].options, argv, {
    least: 1,
    most: 1,
    what: 'the id of a finding',
  })
  const id = findingId(rest[0] ?? '')
  const { item, document } = await withDatabase(io, { write: false }, async ({ db }) => {
    const found = await db.selectFrom('quarantine').selectAll().where('quarantine_id', '=', id).executeTakeFirst()
    if (!found) throw new NotFound(`no finding ${id}`, { hint: 'crossfile quarantine shows the ids' })
    return { item: found, document: await findFindingDocument(db, found) }
  })
  if (values.json) {
    printJson(io, { ...item, document })
    return 0
  }
  const lines: [string, string][] = [
    [
      'finding',
      `${item.quarantine_id}, ${item.state}${item.decided_at ? ` ${relative(new Date(item.decided_at), io.now())}` : ''}${item.note ? ` (${oneLine(item.note)})` : ''}`,
    ],
    ['dataset', item.dataset],
    ['reason', item.reason],
    ['subject', oneLine(item.subject)],
    ['detail', oneLine(item.detail)],
    ['held', `${moment(item.held_at)} (${relative(new Date(item.held_at), io.now())})`],
    ['source', item.source],
    [
      'document',
      document
        ? `${oneLine(document.url)}, received ${moment(document.retrieved_at)}, ${some(document.bytes, 'byte')}`
        : 'none is held with this hash',
    ],
    ['sha256', item.raw_sha256],
    ['read by', document?.reader ? `${document.reader}${document.release === null ? '' : `, release ${document.release}`}` : '-'],
  ]
  for (const line of facts(io, lines)) io.out(line)
  if (item.record !== null) {
    io.out('')
    const pairs = Object.entries(item.record).map(([name, value]): [string, string] => [
      name,
      oneLine(typeof value === 'string' ? value : JSON.stringify(value)),
    ])
    for (const line of pairs.length > 0 ? facts(io, pairs) : []) io.out(`  ${line}`)
  }
  if (item.state === 'held') io.out(`\ncrossfile quarantine release ${id}   or   crossfile quarantine reject ${id}`)
  return 0
}
