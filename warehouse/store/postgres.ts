// Access to Postgres: one pool and kysely over it. Values are returned as in records: int8 as a number if it is exact, dates and instants
// as text (`2024-06-30`, `2024-06-30T20:00:00.123456Z`), numeric with its digits as text, json parsed.
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { Broken } from '#schemas/errors.ts'
import type { Database } from './database.ts'

export type { Database } from './database.ts'
export type Db = Kysely<Database>

export type ConnectOptions = {
  /** Maximum number of connections of this pool. */
  readonly max?: number
  /** Connections that stay open while nothing uses them; others close after ten seconds. For programs that run on, which close the pool. */
  readonly kept?: number
  /** The name in pg_stat_activity. */
  readonly applicationName?: string
  /** Milliseconds after which a statement is cancelled; without it, never. */
  readonly statementTimeout?: number
  /**
   * Milliseconds after which a connection is closed whose statement got no answer; its statement fails with `ETIMEDOUT`. The default is ten
   * seconds more than `statementTimeout`, after which every server has answered; without that, never.
   */
  readonly answerTimeout?: number
  /** Without `answerTimeout`: milliseconds after which the server is asked whether it still has the session of a statement; default 30 seconds. */
  readonly sessionCheck?: number
  /** Milliseconds after which a session that idles inside a transaction is ended; the default is one minute, 0 is never. */
  readonly idleInTransactionTimeout?: number
  /** Milliseconds for which a statement waits for a connection of the pool; the default is ten seconds, 0 is no limit. */
  readonly connectionTimeout?: number
  /** Called when an idle connection of the pool is lost; the next statement opens another. */
  readonly onLost?: (error: Error) => void
}

export type Postgres = { readonly pool: pg.Pool; readonly db: Db; close(): Promise<void> }

const oid = {
  int8: 20,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  int8Array: 1016,
  dateArray: 1182,
  timestampArray: 1115,
  timestamptzArray: 1185,
}

/** An int8 as a number. Throws `Broken` beyond 2^53, which a number cannot represent exactly: select such a column as text. */
export function exactInteger(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new Broken(`int8 ${text} is beyond what a number holds exactly; select it as text`)
  return number
}

/**
 * `2024-06-30 20:00:00.123456+00`, as a session in UTC prints it, as an instant with the same digits; `infinity` stays itself.
 * Throws `Broken` for any other zone or a year beyond 9999.
 */
export function instantText(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/.exec(text)
  if (match) return `${match[1]}T${match[2]}Z`
  if (text === 'infinity' || text === '-infinity') return text
  throw new Broken(`timestamptz ${text} is no instant in UTC`, { hint: 'DATABASE_URL must not set a time zone or a date style' })
}

const textArray: number = 1009

const listOf = (read: (text: string) => unknown) => {
  const texts = pg.types.getTypeParser(textArray) as (text: string) => unknown[]
  const each = (value: unknown): unknown => (Array.isArray(value) ? value.map(each) : value === null ? null : read(String(value)))
  return (text: string) => texts(text).map(each)
}
const asPrinted = (text: string) => text

const readers = new Map<number, (text: string) => unknown>([
  [oid.int8, exactInteger],
  [oid.date, asPrinted],
  [oid.timestamp, asPrinted],
  [oid.timestamptz, instantText],
  [oid.int8Array, listOf(exactInteger)],
  [oid.dateArray, listOf(asPrinted)],
  [oid.timestampArray, listOf(asPrinted)],
  [oid.timestamptzArray, listOf(instantText)],
])

/** The type parsers of these pools; other users of `pg` in the same process (pg-boss) keep the library's. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : readers.get(id)) ?? pg.types.getTypeParser(id, format ?? 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

/** The URL of the database; a function if that can change, as when the embedded server restarts on another port. */
export type Address = string | (() => string)

/**
 * The server ends a session whose machine does not answer for 30 seconds, and its locks with it. Its own default is two hours, for which a
 * worker's host that loses its power in a commit would hold up the commits of all others. Ignored on a Unix socket.
 */
const endIfLost = '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=30000'

/** What a server that reached its own limit needs to answer. */
const answerMarginMs = 10_000
const sessionCheckMs = 30_000
/** An answer that arrived while this process was suspended is read before its connection is closed. */
const readMs = 500

/** The client of a pool, and the socket below it. */
type Connection = { readonly client: pg.Client; readonly socket: Socket }

/** Calls `begin` when a client sends a statement and nothing else is under way, and `end` when everything is answered or the connection ended. */
function watchStatements({ client }: Connection, begin: () => void, end: () => void): void {
  const send = client.query.bind(client) as (...args: readonly unknown[]) => unknown
  let isWaiting = false
  client.query = ((...args: readonly unknown[]) => {
    if (!isWaiting) begin()
    isWaiting = true
    return send(...args)
  }) as typeof client.query
  for (const event of ['drain', 'end'] as const)
    client.on(event as 'end', () => {
      isWaiting = false
      end()
    })
}

/** Fails the statements of a connection as those of a lost one. */
const closeAsLost = ({ socket }: Connection, reason: string): void => void socket.destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' }))

/**
 * Closes a connection whose statement gets no answer for `ms`. A machine that is lost without closing its connections would keep them, with
 * the statements on them, until the operating system gives up after a quarter of an hour; new ones reach its successor immediately.
 */
function closeUnanswered(connection: Connection, ms: number): void {
  let timer: NodeJS.Timeout | undefined
  const close = (): void => closeAsLost(connection, `the database did not answer within ${ms / 1000} s, and its connection was closed`)
  watchStatements(
    connection,
    () => {
      timer = setTimeout(() => {
        timer = setTimeout(close, readMs).unref()
      }, ms).unref()
    },
    () => clearTimeout(timer),
  )
}

/** A session as the server names it: its process, and when it began, in seconds since 1970. */
type Session = { readonly pid: number; readonly began: string }

/** The session of a connection. Behind a pooler, the client knows another number. */
async function sessionOf(client: Pick<pg.ClientBase, 'query'>): Promise<Session | null> {
  const { rows } = await client.query<Session>(
    'select pid, extract(epoch from backend_start)::text as began from pg_stat_activity where pid = pg_backend_pid()',
  )
  return rows[0] ?? null
}

/** False if the server that the address names now does not have the session; null if it does not answer. */
async function hasSession(url: Address, { pid, began }: Session): Promise<boolean | null> {
  // A server that does not answer must not keep the process alive, nor the connection.
  const socket = new Socket().unref()
  try {
    const client = new pg.Client({
      connectionString: typeof url === 'string' ? url : url(),
      application_name: 'crossfile session check',
      connectionTimeoutMillis: 10_000,
      query_timeout: 10_000,
      stream: () => socket,
    })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query('select from pg_stat_activity where pid = $1 and extract(epoch from backend_start)::text = $2', [pid, began])
    await client.end()
    return rows.length > 0
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}

/** The sessions of the clients of a pool; null if the server does not show it. */
type Sessions = WeakMap<pg.ClientBase, Session | null>

/**
 * The same for statements that may last: after each `ms` without an answer, a new connection asks whether the server still has the session,
 * and only a connection whose session is gone is closed. The first statement of a connection asks for its session and does not last.
 */
function closeWithoutSession(connection: Connection, url: Address, sessions: Sessions, ms: number): void {
  let timer: NodeJS.Timeout | undefined
  let waits = 0
  const isLost = async (): Promise<boolean> => {
    const session = sessions.get(connection.client)
    if (session !== undefined) return session !== null && (await hasSession(url, session)) === false
    await sleep(readMs)
    return true
  }
  const look = async (wait: number): Promise<void> => {
    const lost = await isLost()
    if (wait !== waits) return
    if (lost) closeAsLost(connection, 'the database no longer has the session of this connection, which was closed')
    else timer = setTimeout(() => void look(wait), ms).unref()
  }
  watchStatements(
    connection,
    () => {
      waits += 1
      const wait = waits
      timer = setTimeout(() => void look(wait), ms).unref()
    },
    () => {
      waits += 1
      clearTimeout(timer)
    },
  )
}

/** Opens a pool on `url`, which is evaluated for each connection; none is made before the first statement. */
export function connect(url: Address, options: ConnectOptions = {}): Postgres {
  const { statementTimeout } = options
  const answerTimeout = options.answerTimeout ?? (statementTimeout === undefined ? null : statementTimeout + answerMarginMs)
  const sessions: Sessions = new WeakMap()
  class ClientAtAddress extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const socket = new Socket()
      super({ ...config, connectionString: typeof url === 'string' ? url : url(), stream: () => socket })
      if (answerTimeout !== null) closeUnanswered({ client: this, socket }, answerTimeout)
      else closeWithoutSession({ client: this, socket }, url, sessions, options.sessionCheck ?? sessionCheckMs)
    }
  }
  const pool = new pg.Pool({
    Client: ClientAtAddress,
    max: options.max ?? 10,
    min: options.kept ?? 0,
    application_name: options.applicationName ?? 'crossfile',
    types: typeParsers,
    options: `-c timezone=UTC -c datestyle=ISO,YMD -c intervalstyle=iso_8601 -c extra_float_digits=1 ${endIfLost}`,
    connectionTimeoutMillis: options.connectionTimeout ?? 10_000,
    ...(answerTimeout === null && {
      onConnect: async (client: pg.ClientBase) => {
        sessions.set(client, await sessionOf(client))
      },
    }),
    // A connection that stays open is otherwise forgotten by a firewall between, and the next statement on it hangs.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeout ?? 60_000,
    ...(statementTimeout === undefined ? {} : { statement_timeout: statementTimeout }),
  })
  // A server that restarts ends idle connections too; without a listener that would end the process.
  let closing = false
  pool.on('error', error => {
    if (!closing) options.onLost?.(error)
  })
  // The pool does not listen while a connection is in use: a connection that is lost between two statements of a transaction would end the
  // process too. The next statement fails and reports it.
  pool.on('connect', client => void client.on('error', () => undefined))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return {
    pool,
    db,
    close: async () => {
      closing = true
      await db.destroy()
      // Kysely closes a pool only if it has used it.
      if (!pool.ended) await pool.end()
    },
  }
}

/** The server aborted this transaction (serialization failure, deadlock): run it again. */
const mustRetry = (error: unknown): boolean => error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01')

/**
 * Runs `work` in one transaction and returns its result; an error rolls back and is rethrown. On 40001 or 40P01, the whole `work` runs
 * again, at most `tries` times, so it must not have effects outside the transaction.
 */
export async function transaction<T>(
  db: Db,
  work: (trx: Transaction<Database>) => Promise<T>,
  { isolation = 'read committed', tries = 5 }: { isolation?: 'read committed' | 'repeatable read' | 'serializable'; tries?: number } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(work)
    } catch (error) {
      if (attempt >= tries || !mustRetry(error)) throw error
    }
  }
}
