// The rows of a backup into a database that its migrations just made, in one transaction: it is complete or still empty.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { Client } from 'pg'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { migrate, readMigrations } from '../store/migrate.ts'
import { installQueue } from '../store/queue.ts'
import { connectForText } from './export-database.ts'
import type { Manifest, Part, TableEntry } from './manifest.ts'

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const nameOf = ({ schema, name }: Pick<TableEntry, 'schema' | 'name'>): string => `${quoted(schema)}.${quoted(name)}`

/** Throws `BadRequest` if the database holds tables already: nothing is overwritten. */
export async function refuseFilled(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'crossfile restore' })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and n.nspname in ('public', 'pgboss')`,
    )
    const { count = 0 } = rows[0] ?? {}
    if (count > 0)
      throw new BadRequest(`DATABASE_URL: the database holds ${count} tables already; a restore needs an empty one`, {
        hint: 'create another database and name it in DATABASE_URL, or unset DATABASE_URL',
      })
  } finally {
    await client.end()
  }
}

/** The migrations of the backup must be the same as this version's, in the same order. Throws `BadRequest` for a backup of a newer version. */
export function checkMigrations(manifest: Manifest): void {
  const ours = new Map(readMigrations().map(each => [each.name, each.sha256]))
  for (const { name, sha256 } of manifest.migrations) {
    if (ours.get(name) === sha256) continue
    throw new BadRequest(
      `this backup has migration ${name}${ours.has(name) ? ' with another text' : ''}, which this version of Crossfile does not have`,
      {
        hint: `restore it with Crossfile ${manifest.crossfile} or newer`,
      },
    )
  }
}

/** The structure of the backup: its migrations and no later ones, and the queue's tables. */
async function makeStructure(url: string, manifest: Manifest): Promise<void> {
  const held = new Set(manifest.migrations.map(each => each.name))
  const folder = await mkdtemp(join(tmpdir(), 'crossfile-restore-'))
  try {
    for (const { name, sql } of readMigrations()) if (held.has(name)) await writeFile(join(folder, name), sql)
    await migrate(url, { folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await installQueue(url)
}

/** Fills the database and brings it up to this version. `readPart` gives the checked bytes of a part. */
export async function importDatabase(url: string, manifest: Manifest, readPart: (part: Part) => Promise<Buffer>): Promise<void> {
  checkMigrations(manifest)
  await makeStructure(url, manifest)
  const client = await connectForText(url, 'crossfile restore')
  try {
    await client.query('begin')
    await checkQueue(client, manifest)
    const restoreChecks = await suspendChecks(client)
    for (const table of manifest.tables) await client.query(`delete from ${nameOf(table)}`)
    // The queue's foreign keys are inherited and stay in force: queues come before their jobs.
    const ordered = [...manifest.tables].sort((a, b) => Number(b.name === 'queue') - Number(a.name === 'queue'))
    for (const table of ordered) await importTable(client, table, readPart)
    for (const { schema, name, last_value } of manifest.sequences)
      await client.query('select setval($1::regclass, $2::bigint)', [nameOf({ schema, name }), last_value])
    await restoreChecks()
    await giveBack(client)
    await client.query('commit')
  } finally {
    await client.end()
  }
  await migrate(url)
}

async function checkQueue(client: Client, manifest: Manifest): Promise<void> {
  const { rows } = await client.query<{ version: number }>('select version from pgboss.version')
  const version = rows[0]?.version
  if (version === manifest.queue_version) return
  throw new BadRequest(`this backup has version ${manifest.queue_version} of the queue's tables, this Crossfile makes version ${version}`, {
    hint: `restore it with Crossfile ${manifest.crossfile}, then upgrade`,
  })
}

/** Drops foreign keys and disables triggers, so that rows can be loaded in any order; returns a function that restores them, which checks every row. */
async function suspendChecks(client: Client): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
    `select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and n.nspname in ('public', 'pgboss') and c.conparentid = 0 and c.coninhcount = 0 order by 1, 2`,
  )
  const { rows: triggered } = await client.query<{ table: string }>(
    `select distinct t.tgrelid::regclass::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where not t.tgisinternal and n.nspname = 'public' order by 1`,
  )
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${quoted(name)}`)
  for (const { table } of triggered) await client.query(`alter table ${table} disable trigger user`)
  return async () => {
    for (const { table, name, definition } of keys) await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
    for (const { table } of triggered) await client.query(`alter table ${table} enable trigger user`)
  }
}

async function importTable(client: Client, table: TableEntry, readPart: (part: Part) => Promise<Buffer>): Promise<void> {
  const { columns } = table
  const names = columns.map(each => quoted(each.name)).join(', ')
  // Each value is written as the text that was exported, through its type's input.
  const values = columns.map((each, at) => `v${at}::${each.type}`).join(', ')
  const lists = columns.map((_, at) => `$${at + 1}::text[]`).join(', ')
  const aliases = columns.map((_, at) => `v${at}`).join(', ')
  const insert = `insert into ${nameOf(table)} (${names}) overriding system value select ${values} from unnest(${lists}) as u(${aliases})`
  let rows = 0
  for (const part of table.parts) {
    const lines = zstdDecompressSync(await readPart(part))
      .toString('utf8')
      .trimEnd()
      .split('\n')
    const read = lines.map(line => JSON.parse(line) as (string | null)[])
    await client.query(
      insert,
      columns.map((_, at) => read.map(row => row[at] ?? null)),
    )
    rows += read.length
  }
  if (rows !== table.rows) throw new Broken(`backup: table ${table.schema}.${table.name} has ${rows} rows, expected ${table.rows} by its manifest`)
}

/**
 * Resets work in progress at the snapshot: running jobs wait again, their attempts count as lost. Models are built again from the lake.
 * Sessions and mailed links end, since some of them may have been ended after the snapshot.
 */
async function giveBack(client: Client): Promise<void> {
  await client.query(
    `update pgboss.job_common set state = 'created', started_on = null, heartbeat_on = null, start_after = now() where state = 'active'`,
  )
  await client.query(
    `update job_run set state = 'lost', finished_at = clock_timestamp(), error = 'it ran when the backup was taken' where state = 'running'`,
  )
  await client.query('delete from model_build')
  await client.query('delete from sorted_copy')
  await client.query('delete from user_session')
  await client.query('delete from one_time_token')
}
