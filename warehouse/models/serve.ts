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

/** Builds whose rows stay in memory: the newest, and those that somebody pages through. */
const heldBuilds = 3

type Held = { readonly table: string; readonly loaded: Promise<void>; using: number }

/** Serves the models of a data folder; `timeoutMs` interrupts a question's statement. */
export function openModels({ db, connections, data }: { db: Db; connections: ConnectionPool; data: string }, timeoutMs?: number): Models {
  const held = new Map<string, Held>()
  const builds = new Map<string, Build>()

  async function buildOf(model: ModelName, release: number, asOf: string | null): Promise<Build | null> {
    const key = `${model.name} ${model.definition} ${release} ${asOf ?? ''}`
    const known = builds.get(key) ?? (await findBuild(db, model, release, asOf))
    // What a build is never changes; that there is one may.
    if (known && builds.size > 1_000) builds.clear()
    if (known) builds.set(key, known)
    return known
  }
  async function load(model: ModelName, build: Build, table: string): Promise<void> {
    const path = modelPath(data, model.name, build.sha256)
    const found = await sha256OfFile(path)
    if (found !== build.sha256) throw new Broken(`model file ${model.name}/${build.sha256}.parquet: its SHA-256 is ${found}; the file was damaged`)
    await connections.use(connection => runSql(connection, `create or replace table ${table} as select * from read_parquet($path)`, { path }))
  }
  async function take(model: ModelName, build: Build): Promise<Held> {
    const known = held.get(build.sha256)
    // Read last is dropped last.
    if (known) held.delete(build.sha256)
    const table = `"model_${model.name}_${build.sha256.slice(0, 16)}"`
    const own = known ?? { table, loaded: load(model, build, table), using: 0 }
    held.set(build.sha256, own)
    own.using += 1
    try {
      await own.loaded
    } catch (error) {
      own.using -= 1
      if (held.get(build.sha256) === own) held.delete(build.sha256)
      throw error
    }
    return own
  }
  async function shrink(): Promise<void> {
    for (const [sha256, each] of held) {
      if (held.size <= heldBuilds) return
      if (each.using > 0) continue
      held.delete(sha256)
      await connections.use(connection => connection.run(`drop table if exists ${each.table}`))
    }
  }
  const originsOf = async (model: ModelName, build: Build): Promise<readonly ModelOrigin[]> =>
    await connections.use(connection =>
      queryRows<ModelOrigin>(connection, 'select source, raw_sha256 from read_parquet($path) order by raw_sha256', {
        path: modelPath(data, model.name, build.origins_sha256),
      }),
    )

  return {
    async read(model, release, asOf, work) {
      const build = await buildOf(model, release, asOf)
      if (!build) return null
      const own = await take(model, build).catch(error => {
        if (!isMissing(error)) throw error
        // The collector deleted a file that nobody had opened: it is made again for who asks.
        builds.clear()
        return null
      })
      if (!own) return null
      try {
        return await work({
          table: own.table,
          query: (sql, parameters = {}) => connections.use(connection => queryRows(connection, sql, parameters), timeoutMs),
          sources: build.sources,
          origins: () => originsOf(model, build),
        })
      } finally {
        own.using -= 1
        await shrink()
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
