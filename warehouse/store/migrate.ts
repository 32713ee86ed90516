// Migrates the structure of the database to the files of migrations/, forward only. Each file runs in a separate transaction together with
// its row in `schema_migrations`, so a crash leaves complete migrations; an advisory lock makes a second process wait. An applied file must
// not change: a changed text is an error, and the change belongs in a new file.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { Broken } from '#schemas/errors.ts'

export type Migration = { readonly name: string; readonly sha256: string; readonly sql: string }

export const migrationsFolder = join(import.meta.dirname, 'migrations')
const lockKey = 0x63726f75

/** The migrations of a folder in their order. Line ends count as LF, so that a checkout on Windows has the same hashes. */
export function readMigrations(folder: string = migrationsFolder): Migration[] {
  const names = readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
  const migrations = names.map(name => {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name)) throw new Broken(`migration ${name}: expected a name such as 0007-receipts.sql`)
    const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return { name, sha256: createHash('sha256').update(sql).digest('hex'), sql }
  })
  migrations.forEach(({ name }, index) => {
    const before = migrations[index - 1]?.name
    if (before?.slice(0, 4) === name.slice(0, 4)) throw new Broken(`migrations ${before} and ${name} have the same number`)
  })
  return migrations
}

type Applied = { name: string; sha256: string }

function checkHistory(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(migration => [migration.name, migration]))
  for (const { name, sha256 } of applied) {
    const file = known.get(name)
    if (file === undefined) {
      throw new Broken(`the database has migration ${name}, which this version of Crossfile does not have`, {
        hint: 'start the version that made this database, or a newer one',
      })
    }
    if (file.sha256 !== sha256) {
      throw new Broken(`migration ${name} was applied with SHA-256 ${sha256}, its file now has ${file.sha256}`, {
        hint: 'put the file back as it was, and write the change as a new migration',
      })
    }
  }
  const last = applied.at(-1)?.name ?? ''
  const late = migrations.find(({ name }) => name < last && !applied.some(each => each.name === name))
  if (late) throw new Broken(`migration ${late.name} comes before ${last}, which is applied already`, { hint: 'give it a number after the last one' })
}

async function apply(client: Client, { name, sha256, sql }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    const { message, position } = cause as Error & { position?: string }
    const line = position === undefined ? '' : `, line ${sql.slice(0, Number(position)).split('\n').length}`
    throw new Broken(`migration ${name}${line}: ${message}`, { cause })
  }
}

/**
 * Applies missing migrations and returns the names of their files: none the second time. Throws `Broken` that names
 * the file if history and files disagree, before anything is changed.
 */
export async function migrate(
  url: string,
  { folder = migrationsFolder, log = () => undefined }: { folder?: string; log?: (line: string) => void } = {},
): Promise<string[]> {
  const migrations = readMigrations(folder)
  const client = new Client({ connectionString: url, application_name: 'crossfile migrate' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const { rows: applied } = await client.query<Applied>('select name, sha256 from schema_migrations order by name')
    checkHistory(applied, migrations)
    const missing = migrations.filter(({ name }) => !applied.some(each => each.name === name))
    for (const migration of missing) {
      await apply(client, migration)
      log(`migration ${migration.name} applied`)
    }
    return missing.map(({ name }) => name)
  } finally {
    // The session's end releases the lock.
    await client.end()
  }
}
