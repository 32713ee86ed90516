// `crossfile erasures`: lists erased accounts by hash and date, and erases them again after a restore.
import { readFile } from 'node:fs/promises'
import { BadRequest } from '#schemas/errors.ts'
import { findErasures, graceDays, replayErasures } from '#warehouse/people/privacy/erasure.ts'
import { parseErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, printJson, printTable, some } from './output.ts'

export async function erasures(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('erasures', commands.erasures.options, argv)
  const { done, waiting } = await withDatabase(io, { write: false }, async ({ db }) => {
    const queued = db
      .selectFrom('app_user')
      .select(query => query.fn.countAll<number>().as('count'))
      .where('erasure_requested_at', 'is not', null)
    return { done: await findErasures(db), waiting: Number((await queued.executeTakeFirstOrThrow()).count) }
  })
  if (values.json) {
    printJson(io, { erasures: done, waiting })
    return 0
  }
  const columns = columnsOf('*account (SHA-256 of its id)', 'requested', 'erased')
  const dayOf = (at: string): string => moment(at).slice(0, 16)
  const rows = done.map(each => [each.subject_sha256, dayOf(each.requested_at), dayOf(each.erased_at)])
  if (rows.length > 0) printTable(io, columns, rows)
  else io.out('no account has been erased')
  if (waiting > 0) io.out(`${some(waiting, 'account is', 'accounts are')} within the grace period of ${graceDays} days`)
  return 0
}

export async function erasuresReplay(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('erasures replay', commands['erasures replay'].options, argv, {
    least: 1,
    most: 1,
    what: 'the list of erasures',
  })
  const [path = ''] = rest
  const list = parseErasureList(path, await textOf(path))
  const done = await withDatabase(io, { write: true }, ({ db }) => replayErasures(db, list, io.now()))
  if (values.json) printJson(io, { listed: list.length, erased_again: done })
  else {
    for (const each of done) io.out(`erased again: ${each.subject_sha256}`)
    io.out(`${some(list.length, 'erasure')} in the list, ${some(done.length, 'account')} erased again, ${list.length - done.length} not found`)
  }
  return 0
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new BadRequest(`erasures replay: the file cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause,
      hint: 'give the copy of erasures.jsonl that was kept outside the database',
    })
  }
}
