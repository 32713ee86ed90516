// `crossfile updates`: the stored daily updates, and whether rewriting each from its release gives the same bytes.
import { findUpdates } from '#warehouse/updates/store.ts'
import { digestOf } from '#warehouse/updates/write.ts'
import { rewriteDay } from '../jobs/updates/write-days.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase, withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, printJson, printTable, some } from './output.ts'

export async function updates(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('updates', commands.updates.options, argv)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 10_000, otherwise: 20 })
  const all = { ticker: null, category: null, from: null, to: null }
  const found = await withDatabase(io, { write: false }, ({ db }) => findUpdates(db, all, { limit, offset: 0 }))
  if (values.json) printJson(io, found)
  else if (found.total === 0) io.out('no updates yet; the job updates writes those of past days, also by backfill')
  else {
    const columns = columnsOf('slug', '>read', '*summary')
    const rows = found.updates.map(each => [each.slug, each.view_count, each.summary])
    printTable(io, columns, rows)
  }
  return 0
}

/** Rewrites stored updates, each from its release, and compares. Nothing is stored; exit code 1 if bytes differ. */
export async function updatesCheck(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('updates check', commands['updates check'].options, argv)
  const checked = await withRuntime(io, async ({ postgres: { db }, tools }) => {
    const stored = await db
      .selectFrom('daily_update')
      .select(['slug', 'revision', 'date', 'release', 'sha256'])
      .orderBy('date')
      .orderBy('slug')
      .orderBy('revision')
      .execute()
    const made = new Map<string, Awaited<ReturnType<typeof rewriteDay>>>()
    const differ: { slug: string; revision: number; release: number }[] = []
    for (const { slug, revision, date, release, sha256 } of stored) {
      const key = `${date} ${release}`
      const again = made.get(key) ?? (await rewriteDay(tools, date, release))
      made.set(key, again)
      const same = again.find(each => each.slug === slug)
      if (!same || !digestOf(same).equals(sha256)) differ.push({ slug, revision, release })
    }
    return { checked: stored.length, differ }
  })
  if (values.json) printJson(io, checked)
  else {
    for (const { slug, revision, release } of checked.differ) io.out(`${slug}, revision ${revision}: release ${release} gives other bytes`)
    io.out(`${some(checked.checked, 'update')} checked, ${checked.differ.length} differ`)
  }
  return checked.differ.length === 0 ? 0 : 1
}
