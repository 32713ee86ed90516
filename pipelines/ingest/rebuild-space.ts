// The folder, and the database of the same name, of a rebuild that is separate from the catalogue. Its process holds an
// advisory lock, so that the remains of a killed one are recognised and removed, even if it ran in another container.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Config } from '#schemas/config.ts'
import type { Log } from '#warehouse/store/log.ts'

const namePattern = /^crossfile_rebuild_[0-9a-f]{8}$/
const lockClass = 0x63726f75
const keptMark = 'kept'
const objectInUse = '55006'
const notPermitted = '42501'
const dropAttempts = 5

type Place = { readonly config: Pick<Config, 'dataFolder'>; readonly url: string }

export type RebuildSpace = {
  readonly name: string
  readonly folder: string
  /** The address of its database. */
  readonly url: string
  /** Leaves both in place; no sweep removes them. */
  keep(): Promise<void>
  remove(): Promise<void>
}

async function openSession(url: string): Promise<Client> {
  const session = new Client({ connectionString: url, application_name: 'crossfile rebuild' })
  // A lost connection fails the next statement; without a listener it would end the process.
  session.on('error', () => undefined)
  await session.connect()
  return session
}

async function tryLock(session: Client, name: string): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as locked', [lockClass, name])
  return rows[0]?.locked === true
}

/**
 * Drops the database with the connections of this rebuild that are still open. The owner of the database may not end a process of Postgres
 * itself that works in it, such as autovacuum: a drop without force makes that process stop, and waits for it for five seconds.
 */
async function dropDatabase(session: Client, name: string): Promise<void> {
  const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
  for (let attempt = 1; ; attempt += 1) {
    try {
      return void (await session.query(`drop database if exists ${name} with (force)`))
    } catch (error) {
      if (codeOf(error) !== notPermitted || attempt === dropAttempts) throw error
    }
    try {
      return void (await session.query(`drop database if exists ${name}`))
    } catch (error) {
      if (codeOf(error) !== objectInUse) throw error
    }
  }
}

/** Creates the folder, then the database, so that the folder always names what a killed process left. */
export async function makeRebuildSpace({ config, url }: Place): Promise<RebuildSpace> {
  const name = `crossfile_rebuild_${randomBytes(4).toString('hex')}`
  const folder = join(config.dataFolder, name)
  const own = new URL(url)
  own.pathname = `/${name}`
  const session = await openSession(url)
  const remove = async (): Promise<void> => {
    try {
      await dropDatabase(session, name)
      await rm(folder, { recursive: true, force: true })
    } finally {
      await session.end()
    }
  }
  try {
    await tryLock(session, name)
    await mkdir(folder)
    await session.query(`create database ${name}`)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    name,
    folder,
    url: own.href,
    async keep() {
      await writeFile(join(folder, keptMark), '')
      await session.end()
    },
    remove,
  }
}

/** Removes the databases and folders of rebuilds whose process ended before it could; logs each. */
export async function sweepRebuildSpaces({ config, url }: Place, log: Log): Promise<void> {
  const names = (await readdir(config.dataFolder)).filter(name => namePattern.test(name) && !existsSync(join(config.dataFolder, name, keptMark)))
  if (names.length === 0) return
  const session = await openSession(url)
  try {
    for (const name of names) {
      if (!(await tryLock(session, name))) continue
      try {
        // Without force: a rebuild that lost its lock with its connection may still be using the database.
        await session.query(`drop database if exists ${name}`)
      } catch (error) {
        if ((error as { code?: string }).code !== objectInUse) throw error
        log('info', `database ${name} of a rebuild is in use and stays`)
        continue
      }
      await rm(join(config.dataFolder, name), { recursive: true, force: true })
      log('info', `removed database and folder ${name}, which an interrupted rebuild left`)
    }
  } finally {
    await session.end()
  }
}
