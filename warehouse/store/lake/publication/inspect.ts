// Compares what other programs read of the lake with what was written, without changing it. It reads Delta logs and manifests, and no file of rows.
import { sql } from 'kysely'
import { datasetNames } from '#schemas/index.ts'
import type { Db } from '../../postgres.ts'
import type { LakeWriter } from '../compact.ts'
import { turns } from '../turns.ts'
import { findLogFault, keptFrom } from './log-folder.ts'
import { type LogStore, logStoreOf } from './log-store.ts'
import { manifestOf } from './manifest.ts'
import { firstOf, readInputs, releasesName } from './publish.ts'
import { damagedManifests, findManifests } from './publish-manifests.ts'
import { manifestName, manifestsName } from './steps.ts'

export type PublicationReport = {
  readonly logs: number
  readonly manifests: number
  /** Manifests that cannot be written again, because files of their time were merged and deleted. */
  readonly gone: number
  readonly damaged: readonly { readonly name: string; readonly reason: string }[]
}

/** Datasets whose logs are read at the same time. */
const logsAtOnce = 8

/** Null: a process publishes at this moment. */
export async function inspectPublication(db: Db, place: Pick<LakeWriter, 'data' | 'remote'>, signal: AbortSignal): Promise<PublicationReport | null> {
  const store = logStoreOf(place)
  return await db.transaction().execute(async trx => {
    const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(hashtext('crossfile lake publish')) as free`.execute(trx)
    if (!rows[0]?.free) return null
    const inputs = await readInputs(trx)
    const inTurn = turns(logsAtOnce)
    const published = datasetNames.filter(name => inputs.versions.has(name)).sort()
    const logs = await Promise.all(
      published.map(name =>
        inTurn(async () => {
          signal.throwIfAborted()
          const held = inputs.versions.get(name) ?? []
          const reason = await findLogFault(store, name, held, keptFrom(held.at(-1)?.version ?? 0, firstOf(held)))
          return reason === null ? [] : [{ name: `delta/${name}/_delta_log`, reason }]
        }),
      ),
    )
    const damaged = logs.flat()
    const releases = (await findManifests(trx, inputs.release)).filter(({ sha256 }) => sha256 !== null)
    const present = new Set((await store.names(manifestsName)).map(name => `${manifestsName}/${name}`))
    for (const release of await damagedManifests(place, releases, present))
      damaged.push({ name: manifestName(release), reason: 'is damaged: its SHA-256 differs' })
    let gone = 0
    for (const { release } of releases.filter(each => !present.has(manifestName(each.release)))) {
      if ((await manifestOf(trx, release, inputs.files, inputs.rowsUpTo)) === null) gone += 1
      else damaged.push({ name: manifestName(release), reason: 'is missing' })
    }
    if (published.length > 0 && !(await isParquet(store, releasesName))) damaged.push({ name: releasesName, reason: 'is missing or truncated' })
    return { logs: published.length, manifests: releases.length - gone, gone, damaged }
  })
}

/** True if a file begins and ends as Parquet does. */
async function isParquet(store: LogStore, name: string): Promise<boolean> {
  const text = (await store.text(name)) ?? ''
  return text.length > 8 && text.startsWith('PAR1') && text.endsWith('PAR1')
}
