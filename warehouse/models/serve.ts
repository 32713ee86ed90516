// Serves models for answers: a build's rows are a table in this process's DuckDB, loaded once for all requests.
import { existsSync } from 'node:fs'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { Damaged } from '#schemas/errors.ts'
import type { ReleaseContext } from '../context/answer.ts'
import type { ModelName, ModelOrigin, ModelRows, ModelSource, Models } from '../context/model-rows.ts'
import { type Parameters, queryRows, runSql } from '../store/duckdb.ts'
import type { ConnectionPool } from '../store/lake/connections.ts'
import { proofOf, proven } from '../store/lake/proof.ts'
import type { Remote } from '../store/lake/remote.ts'
import { createVerifier, type Expected } from '../store/lake/verifier.ts'
import type { Db } from '../store/postgres.ts'
import type { Model } from './model.ts'
import { type Build, findBuild, modelFile, modelPath } from './store.ts'

/** Makes the tables' names distinct; they are in one process's memory. */
let loads = 0

type Held = { readonly table: string; readonly release: number; readonly sha256: string; readonly loaded: Promise<boolean>; using: number }

export type ModelReader = {
  readonly db: Db
  readonly connections: ConnectionPool
  readonly data: string
  /** The bucket of the lake: a file that is missing or damaged here is downloaded from it. Null: the files are here only. */
  readonly remote?: Remote | null
  /** Called once for each damaged file of a build. */
  readonly onDamage?: (file: Expected, reason: string) => void
}

/** The rows of the file `$path`; a folder such as `date=2026-11-29` in its path is no partition. */
const rowsOfPath = 'read_parquet($path, hive_partitioning = false)'

/**
 * Serves the models of a data folder. The newest build of each is a table in memory (51,000 listings are 100 MB); a build of an
 * older release or of a day is read from its file, which takes some times as long. `timeoutMs` interrupts a question's statement.
 */
export function openModels({ db, connections, data, remote = null, onDamage }: ModelReader, timeoutMs?: number): Models {
  const newest = new Map<string, Held>()
  const builds = new Map<string, Build>()
  const verifier = createVerifier(data, { remote, ...(onDamage && { onDamage }) })

  async function buildOf(model: ModelName, release: number, asOf: string | null): Promise<Build | null> {
    const key = `${model.name} ${model.definition} ${release} ${asOf ?? ''}`
    const known = builds.get(key) ?? (await findBuild(db, model, release, asOf))
    // A build's content never changes; whether a build exists may.
    if (known && builds.size >= cacheLimits.modelBuilds) builds.clear()
    if (known) builds.set(key, known)
    return known
  }
  const fileOf = (model: ModelName, sha256: string): Expected => modelFile(data, model.name, sha256)
  /** Reads a build's file; a result counts only if the file's content was verified before and did not change until afterwards. */
  async function fromFile<T>(model: ModelName, sha256: string, read: (path: string) => Promise<T>): Promise<T> {
    return await proven(
      async () => {
        const file = await verifier.openPath(fileOf(model, sha256))
        return { path: file.path, proof: proofOf(verifier, [file]) }
      },
      ({ path }) => read(path),
    )
  }
  /** The table of the newest build; null if this one is not of the newest. */
  function hold(model: ModelName, build: Build): Held | null {
    const known = newest.get(model.name)
    if (known?.sha256 === build.sha256) return known
    if (known && known.release > build.release) return null
    loads += 1
    // A new name each time, so that a table that is being dropped is never the one that is being read.
    const table = `"model_${model.name}_${loads}"`
    // The previous table is dropped first, unless it is being read: memory has room for one.
    const loaded = (known ? letGo(known) : Promise.resolve()).then(() => load(model, build, table))
    const own = { table, release: build.release, sha256: build.sha256, loaded, using: 0 }
    newest.set(model.name, own)
    loaded.catch(() => {
      if (newest.get(model.name) === own) newest.delete(model.name)
    })
    return own
  }
  /** Loads a build's rows; false if memory has no room for them, and they are read from their file. */
  async function load(model: ModelName, build: Build, table: string): Promise<boolean> {
    try {
      await fromFile(model, build.sha256, path =>
        connections.use(connection => runSql(connection, `create or replace table ${table} as select * from ${rowsOfPath}`, { path })),
      )
      return true
    } catch (error) {
      if (error instanceof Error && /out of memory/i.test(error.message)) return false
      throw error
    }
  }
  /** Drops a table that a newer one replaced, once no request reads it. */
  async function letGo(held: Held): Promise<void> {
    if (held.using > 0) return
    await connections.use(connection => connection.run(`drop table if exists ${held.table}`))
  }
  const originsOf = async (model: ModelName, build: Build): Promise<readonly ModelOrigin[]> => {
    return await fromFile(model, build.origins_sha256, path =>
      connections.use(connection => queryRows<ModelOrigin>(connection, `select source, raw_sha256 from ${rowsOfPath} order by raw_sha256`, { path })),
    )
  }
  const rowsOf = (model: ModelName, build: Build, table: string | null): ModelRows => ({
    table: table ?? `read_parquet('${fileOf(model, build.sha256).path.replaceAll("'", "''")}', hive_partitioning = false)`,
    query<Row>(sql: string, parameters: Parameters = {}) {
      const run = () => connections.use(connection => queryRows<Row>(connection, sql, parameters), timeoutMs)
      return table === null ? fromFile(model, build.sha256, run) : run()
    },
    sources: build.sources,
    origins: () => originsOf(model, build),
  })

  return {
    async read(model, release, asOf, work) {
      const build = await buildOf(model, release, asOf)
      if (!build) return null
      const held = asOf === null ? hold(model, build) : null
      if (held) held.using += 1
      try {
        const inMemory = held !== null && (await held.loaded)
        return await work(rowsOf(model, build, inMemory ? held.table : null))
      } catch (error) {
        if (!(error instanceof Damaged) || !(await isGone({ db, data, remote }, model, build, asOf))) throw error
        // The collector deleted a file that was not open: it is rebuilt for the request.
        builds.clear()
        return null
      } finally {
        if (held) {
          held.using -= 1
          if (newest.get(model.name) !== held) await letGo(held)
        }
      }
    },
  }
}

/** True if the build has no file any more. One that a bucket lacks although it is registered is damaged. */
async function isGone({ db, data, remote }: Pick<ModelReader, 'db' | 'data' | 'remote'>, model: ModelName, build: Build, asOf: string | null) {
  if (existsSync(modelPath(data, model.name, build.sha256))) return false
  return !remote || (await findBuild(db, model, build.release, asOf)) === null
}

/** Runs `work` on a model computed now, for answers from a lake alone: a reproduction, a test. */
export async function computeModel<T>(model: Model, context: ReleaseContext, asOf: string | null, work: (rows: ModelRows) => Promise<T>): Promise<T> {
  return await context.lake.scratch(async shop => {
    await model.build(shop, context, asOf)
    const origins = await shop.query<ModelOrigin>('select source, raw_sha256 from temp.origins order by raw_sha256')
    return await work({
      table: `temp."${model.name}"`,
      query: (sql, parameters = {}) => shop.query(sql, parameters),
      sources: await shop.query<ModelSource>('select source, max(known_from) as known_from from temp.origins group by source order by source'),
      origins: async () => origins,
    })
  })
}
