// Models as answers read them: a build's rows are a table in this process's DuckDB, loaded once for all who ask.
import { Broken } from '#schemas/errors.ts'
import type { Ground } from '../answers/answer.ts'
import { queryRows, runSql } from '../duckdb.ts'
import type { ConnectionPool } from '../lake/lake.ts'
import { sha256OfFile } from '../lake/open.ts'
import type { Db } from '../postgres.ts'
import type { Model } from './model.ts'
import type { ModelName, ModelOrigin, ModelRows, ModelSource, Models } from './rows.ts'
import { type Build, findBuild, modelPath } from './store.ts'

/** Names the tables apart; they live in one process's memory. */
let loads = 0

type Held = { readonly table: string; readonly release: number; readonly sha256: string; readonly loaded: Promise<boolean>; using: number }

/**
 * Serves the models of a data folder. The newest build of each is a table in memory (51,000 listings are 100 MB); a build of an
 * older release or of a day is read from its file, which takes some times as long. `timeoutMs` interrupts a question's statement.
 */
export function openModels({ db, connections, data }: { db: Db; connections: ConnectionPool; data: string }, timeoutMs?: number): Models {
  const newest = new Map<string, Held>()
  const builds = new Map<string, Build>()
  const verified = new Map<string, Promise<string>>()

  async function buildOf(model: ModelName, release: number, asOf: string | null): Promise<Build | null> {
    const key = `${model.name} ${model.definition} ${release} ${asOf ?? ''}`
    const known = builds.get(key) ?? (await findBuild(db, model, release, asOf))
    // What a build is never changes; that there is one may.
    if (known && builds.size > 1_000) builds.clear()
    if (known) builds.set(key, known)
    return known
  }
  /** The path of a file whose bytes were found to be those that its name says. */
  function fileOf(model: ModelName, sha256: string): Promise<string> {
    const path = modelPath(data, model.name, sha256)
    let check = verified.get(sha256)
    if (!check) {
      check = sha256OfFile(path).then(found => {
        if (found !== sha256) throw new Broken(`model file ${model.name}/${sha256}.parquet: its SHA-256 is ${found}; the file was damaged`)
        return path
      })
      if (verified.size > 1_000) verified.clear()
      verified.set(sha256, check)
      check.catch(() => verified.delete(sha256))
    }
    return check
  }
  /** The table of the newest build; null where this one is not of the newest. */
  function hold(model: ModelName, build: Build): Held | null {
    const known = newest.get(model.name)
    if (known?.sha256 === build.sha256) return known
    if (known && known.release > build.release) return null
    loads += 1
    // A name of its own each time: a table that is being dropped is never the one that is being read.
    const table = `"model_${model.name}_${loads}"`
    // The one before goes first, unless somebody reads it: memory has room for one.
    const loaded = (known ? letGo(known) : Promise.resolve()).then(() => load(model, build, table))
    const own = { table, release: build.release, sha256: build.sha256, loaded, using: 0 }
    newest.set(model.name, own)
    loaded.catch(() => {
      if (newest.get(model.name) === own) newest.delete(model.name)
    })
    return own
  }
  /** Loads a build's rows; false where memory has no room for them, and they are read from their file. */
  async function load(model: ModelName, build: Build, table: string): Promise<boolean> {
    const path = await fileOf(model, build.sha256)
    try {
      await connections.use(connection => runSql(connection, `create table ${table} as select * from read_parquet($path)`, { path }))
      return true
    } catch (error) {
      if (error instanceof Error && /out of memory/i.test(error.message)) return false
      throw error
    }
  }
  /** Drops a table that a newer one took the place of, once nobody reads it. */
  async function letGo(held: Held): Promise<void> {
    if (held.using > 0) return
    await connections.use(connection => connection.run(`drop table if exists ${held.table}`))
  }
  const originsOf = async (model: ModelName, build: Build): Promise<readonly ModelOrigin[]> => {
    const path = await fileOf(model, build.origins_sha256)
    return await connections.use(connection =>
      queryRows<ModelOrigin>(connection, 'select source, raw_sha256 from read_parquet($path) order by raw_sha256', { path }),
    )
  }
  const rowsOf = (model: ModelName, build: Build, table: string): ModelRows => ({
    table,
    query: (sql, parameters = {}) => connections.use(connection => queryRows(connection, sql, parameters), timeoutMs),
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
        const table = inMemory ? held.table : `read_parquet('${(await fileOf(model, build.sha256)).replaceAll("'", "''")}')`
        return await work(rowsOf(model, build, table))
      } catch (error) {
        if (!isMissing(error)) throw error
        // The collector deleted a file that nobody had opened: it is made again for who asks.
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

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Runs `work` on a model that is computed now, for answers made from a lake alone: a reproduction, a test. */
export async function computeModel<T>(model: Model, ground: Ground, asOf: string | null, work: (rows: ModelRows) => Promise<T>): Promise<T> {
  return await ground.lake.workshop(async shop => {
    await model.build(shop, ground, asOf)
    const origins = await shop.query<ModelOrigin>('select source, raw_sha256 from temp.origins order by raw_sha256')
    return await work({
      table: `temp."${model.name}"`,
      query: (sql, parameters = {}) => shop.query(sql, parameters),
      sources: await shop.query<ModelSource>('select source, max(known_from) as known_from from temp.origins group by source order by source'),
      origins: async () => origins,
    })
  })
}
