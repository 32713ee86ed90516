// The database as lines: every table of one snapshot, each value as PostgreSQL prints it, which its types read back exactly. The
// packaged PostgreSQL has no pg_dump, so the rows come through the driver and a cursor.
import { zstdCompressSync } from 'node:zlib'
import { Client } from 'pg'
import type { Part, TableEntry } from './manifest.ts'

/**
 * Not exported: history that a restore makes itself, leases and records of processes, the place of the lake (a restore has its files), private keys, which
 * are in the folder of keys, the fingerprints of those (a restore may go on without them), and unlogged counters.
 */
const leftOut = new Set([
  'public.schema_migrations',
  'public.reader_lease',
  'public.running_worker',
  'public.lake_place',
  'public.shared_key',
  'public.key_fingerprint',
  'pgboss.version',
  'pgboss.bam',
  'pgboss.warning',
])
/** Bytes of text of a part before it is compressed, and of one fetch. */
const textBytes = 4 * 1024 * 1024

/** Logged tables of both schemas; of the queue's partitioned ones only the jobs, not the statistics. */
const tableList = `
  select n.nspname as schema, c.relname as name,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as types,
    (select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary) as key
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'pgboss') and c.relname not like 'queue\\_stats%'
  order by 1, 2`

type TableRow = {
  readonly schema: TableEntry['schema']
  readonly name: string
  readonly columns: string[]
  readonly types: string[]
  readonly key: string[] | null
}

export type Snapshot = {
  readonly client: Client
  /** Ends the transaction and the connection. */
  close(): Promise<void>
}

/** A connection that prints and reads every value as the same text, whatever the server's settings are. `options`: further settings. */
export async function connectForText(url: string, application_name: string, options = ''): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name,
    options: `-c timezone=UTC -c datestyle=ISO,YMD -c intervalstyle=iso_8601 ${options}`.trimEnd(),
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** A connection inside one read-only transaction with one snapshot; a row that its user may not see causes an error. */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connectForText(url, 'crossfile backup', '-c extra_float_digits=1 -c bytea_output=hex')
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query('set local statement_timeout = 0')
    await client.query('set local idle_in_transaction_session_timeout = 0')
    await client.query('set local row_security = off')
  } catch (error) {
    await client.end()
    throw error
  }
  return { client, close: () => client.end() }
}

/** Every value as its text. */
const asText = { getTypeParser: () => (value: unknown) => value }

/** Exports every table through `put`. */
export async function exportTables(client: Client, put: (bytes: Buffer) => Promise<Part>): Promise<TableEntry[]> {
  const { rows: tables } = await client.query<TableRow>(tableList)
  const entries: TableEntry[] = []
  for (const table of tables) if (!leftOut.has(`${table.schema}.${table.name}`)) entries.push(await exportTable(client, table, put))
  return entries
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

async function exportTable(client: Client, table: TableRow, put: (bytes: Buffer) => Promise<Part>): Promise<TableEntry> {
  const order = table.key === null ? '' : ` order by ${table.key.map(quoted).join(', ')}`
  await client.query(
    `declare backup_rows no scroll cursor for select ${table.columns.map(quoted).join(', ')} from ${quoted(table.schema)}.${quoted(table.name)}${order}`,
  )
  const parts: Part[] = []
  let rows = 0
  let lines: string[] = []
  let size = 0
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return
    parts.push(await put(zstdCompressSync(Buffer.from(lines.join('')))))
    lines = []
    size = 0
  }
  for (let fetch = 100; ; ) {
    const found = await client.query<(string | null)[]>({ text: `fetch ${fetch} from backup_rows`, rowMode: 'array', types: asText })
    if (found.rows.length === 0) break
    let fetched = 0
    for (const row of found.rows) {
      const line = `${JSON.stringify(row)}\n`
      lines.push(line)
      size += line.length
      fetched += line.length
      rows += 1
      if (size >= textBytes) await flush()
    }
    fetch = Math.max(1, Math.min(5_000, Math.floor((textBytes * found.rows.length) / fetched)))
  }
  await flush()
  await client.query('close backup_rows')
  const columns = table.columns.map((name, at) => ({ name, type: table.types[at] as string }))
  return { schema: table.schema, name: table.name, columns, rows, parts }
}
