// Every statement on a user's rows names that user. Row-level security is a second protection, which an installation may lack (the owner of
// its database may not be allowed to create roles), so each function runs without it here: a request of another user is refused, no row of
// the owner changes, and the text of each statement is bound to the acting user.
import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { type Canary, canaryUser } from '#fixtures/canary.ts'
import { listingsOf } from '#fixtures/listings.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { pictureAt } from '#fixtures/price-picture.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { PositionIn } from '#schemas/portfolio.ts'
import * as reports from '../../documents/reports.ts'
import type { Database } from '../../store/postgres.ts'
import * as keyUsage from '../accounts/key-usage.ts'
import * as ownKeys from '../accounts/own-keys.ts'
import * as factor from '../admin/second-factor.ts'
import { sealKeyOf } from '../admin/secret-key.ts'
import * as alerts from '../alerts/alerts.ts'
import * as ipoAlerts from '../alerts/ipo-alerts.ts'
import * as requests from '../billing/requests.ts'
import * as tier from '../billing/tier.ts'
import * as positions from '../portfolio/positions.ts'
import * as erasure from '../privacy/erasure.ts'
import * as send from '../push/send.ts'
import * as subscriptions from '../push/subscriptions.ts'
import * as referrals from '../referrals/referrals.ts'
import * as watchlist from '../watchlist/watchlist.ts'
import * as dailyCap from './daily-cap.ts'
import { inventory } from './inventory.ts'
import * as tokens from './one-time-tokens.ts'
import type { Trx } from './own-rows.ts'
import * as profile from './profile.ts'
import * as sessions from './sessions.ts'

const { pool } = await testDatabase()
type Statement = { readonly sql: string; readonly parameters: readonly unknown[] }
let statements: Statement[] = []
const db = new Kysely<Database>({
  dialect: new PostgresDialect({ pool }),
  log: event => void statements.push({ sql: event.query.sql, parameters: event.query.parameters }),
})

const now = new Date('2026-11-20T21:05:00Z')
const at = now.toISOString()
const index = listingsOf([{ symbol: 'AAA' }, { symbol: 'ZED' }])
const picture = pictureAt(at)
const page = { limit: 10, after: null }
const aPosition = PositionIn.parse({ ticker: 'AAA', quantity: 7, currency: 'CAD' })
/** The owner's second factor, created again before a case. */
const key = sealKeyOf(new Map([[1, Buffer.alloc(32, 7)]]))
let [secret, recovery] = ['', '']
const codeNow = (): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })
const [ownersCode, strangersCode] = ['AAAABBBB22', 'CCCCDDDD33']

let owner: Canary
let stranger: Canary
/** What a canary's rows need beyond the table's own checks, so that the functions can read them. */
async function prepare({ user_id, word }: Canary): Promise<void> {
  const set = (text: string, ...more: unknown[]) => pool.query(text, [user_id, ...more])
  await set(
    `update alert set ticker = 'ZED', scope = 'ticker', status = 'triggered', condition = 'above', condition2 = null, threshold2 = null, logic = null where user_id = $1`,
  )
  await set(`update alert_symbol set symbol = 'ZED', splits = '[]', priced_on = '2026-11-19' where user_id = $1`)
  await set(`update ipo_alert set status = 'triggered', seen = '[]' where user_id = $1`)
  const inputs = JSON.stringify({ conditions: [], splits: [], series: 'split_adjusted' })
  await set(`update alert_firing set alert_id = $2, ipo_alert_id = null, inputs = $3, bars = '[]' where user_id = $1`, word, inputs)
  await set('update device set token_sha256 = $2 where user_id = $1', createHash('sha256').update(word).digest())
  await set('update push_subscription set endpoint_sha256 = $2, tickers = null where user_id = $1', createHash('sha256').update(word).digest())
  await set('update one_time_token set used_at = null, expires_at = $2, purpose = $3 where user_id = $1', '2026-11-21T00:00:00Z', 'reset_password')
  await set('update user_session set expires_at = $2, idle_until = $2 where user_id = $1', '2026-11-21T00:00:00Z')
  await set('update api_key set revoked_at = null, expires_at = null where owner = $1')
  await set('update account_request set fulfilled_at = null, fulfilled_by = null, eligible_at = $2 where user_id = $1', at)
  await set('update referral set converted_at = null, converted_tier = null where user_id = $1')
}
beforeAll(async () => {
  owner = await canaryUser(pool, now)
  stranger = await canaryUser(pool, now)
  for (const canary of [owner, stranger]) await prepare(canary)
  await pool.query('update referral_code set code = case user_id when $1 then $2 else $3 end', [owner.user_id, ownersCode, strangersCode])
})

type Work = (trx: Trx, user: string) => Promise<unknown>
type Case = {
  /** What the owner's own call shows or changes: every case has a result. */
  readonly does: 'reads' | 'writes'
  readonly work: Work
  /** Makes the rows ready, before anything is compared. */
  readonly first: Work
}
const nothing: Work = async () => null
const reads = (work: Work, first = nothing): Case => ({ does: 'reads', work, first })
const writes = (work: Work, first = nothing): Case => ({ does: 'writes', work, first })
/** The owner's identifiers, which a stranger would have to guess. */
const theirs = () => owner.word

/** By module and exported function: a call that names the owner's row and acts as the user. */
const cases = {
  alerts: {
    serialise: null,
    insertAlert: writes((trx, user) =>
      alerts.insertAlert(
        trx,
        user,
        {
          ...{ alert_id: 'a_new', ticker: 'AAA', instrument_id: 'i_AAA', scope: 'ticker', note: null, picture: null, release: 7 },
          terms: { condition: 'above', threshold: '1', baseline_price: null, condition2: null, threshold2: null, logic: null },
        },
        at,
      ),
    ),
    findAlerts: reads((trx, user) => alerts.findAlerts(trx, user, page)),
    findAlert: reads((trx, user) => alerts.findAlert(trx, user, theirs())),
    getAlert: reads((trx, user) => alerts.getAlert(trx, user, theirs())),
    changeAlert: writes((trx, user) =>
      alerts.changeAlert(trx, user, theirs(), { status: 'active', note: 'changed', terms: null, picture, release: 8 }, at),
    ),
    deleteAlert: writes((trx, user) => alerts.deleteAlert(trx, user, theirs())),
    findFirings: reads((trx, user) => alerts.findFirings(trx, user, theirs(), page)),
    noAlert: null,
  },
  ipoAlerts: {
    findIpoAlerts: reads((trx, user) => ipoAlerts.findIpoAlerts(trx, user, page)),
    getIpoAlert: reads((trx, user) => ipoAlerts.getIpoAlert(trx, user, theirs())),
    insertIpoAlert: writes((trx, user) =>
      ipoAlerts.insertIpoAlert(trx, user, { ipo_alert_id: 'ia_new', ticker: 'ZED', event: 'priced', lead_days: 1, note: null }, [], at),
    ),
    changeIpoAlert: writes((trx, user) => ipoAlerts.changeIpoAlert(trx, user, theirs(), 'active', [], at)),
    deleteIpoAlert: writes((trx, user) => ipoAlerts.deleteIpoAlert(trx, user, theirs())),
    findCurrentDeals: null,
    evaluateIpoAlerts: null,
  },
  watchlist: {
    findItems: reads((trx, user) => watchlist.findItems(trx, user, index)),
    addItem: writes((trx, user) => watchlist.addItem(trx, user, { index, unlisted: null }, { ticker: 'AAA', tags: [], note: null }, 'w_new', now)),
    importItems: writes((trx, user) =>
      watchlist.importItems(trx, user, [{ item: { ticker: 'AAA', tags: [], note: null }, known: { index, unlisted: null }, id: 'w_import' }], now),
    ),
    changeItem: writes((trx, user) => watchlist.changeItem(trx, user, index, theirs(), { note: 'changed', position: 0 })),
    removeItem: writes((trx, user) => watchlist.removeItem(trx, user, theirs())),
  },
  positions: {
    findPositions: reads((trx, user) => positions.findPositions(trx, user, index)),
    addPosition: writes((trx, user) => positions.addPosition(trx, user, index, aPosition, 'pos_new', now)),
    replacePosition: writes((trx, user) => positions.replacePosition(trx, user, index, theirs(), aPosition, now)),
    removePosition: writes((trx, user) => positions.removePosition(trx, user, theirs())),
    refuseFaults: null,
    importPositions: writes((trx, user) =>
      positions.importPositions(trx, user, index, [{ loc: ['body', 0], name: 'one', position: aPosition }], ['pos_one'], now),
    ),
  },
  subscriptions: {
    saveSubscription: writes((trx, user) =>
      subscriptions.saveSubscription(
        trx,
        user,
        { endpoint: 'https://push.example.org/new', p256dh: 'p'.repeat(87), auth: 'a'.repeat(22), tickers: null },
        now,
      ),
    ),
    removeSubscription: writes((trx, user) => subscriptions.removeSubscription(trx, user, theirs())),
    findSubscriptions: reads((trx, user) => subscriptions.findSubscriptions(trx, user)),
    saveDevice: writes((trx, user) => subscriptions.saveDevice(trx, user, { platform: 'ios', token: 'new'.repeat(20) }, now)),
    removeDevice: writes((trx, user) => subscriptions.removeDevice(trx, user, theirs())),
    findDevices: reads((trx, user) => subscriptions.findDevices(trx, user)),
  },
  send: {
    enqueuePush: writes((trx, user) => send.enqueuePush(trx, { user_id: user, dedupe_key: 'new', title: 't', body: 'b' })),
    topicOf: null,
    ringPush: null,
  },
  ownKeys: {
    keyRecord: null,
    listOwnKeys: reads((trx, user) => ownKeys.listOwnKeys(trx, user, now)),
    makeOwnKey: writes((trx, user) =>
      ownKeys.makeOwnKey(trx, user, { name: 'new', scopes: ['market:read'], allowed_addresses: [], expires_in_days: null } as never, {
        now,
        page: 'p',
      }),
    ),
    changeOwnKey: writes((trx, user) => ownKeys.changeOwnKey(trx, user, theirs(), { name: 'changed' }, now)),
    revokeOwnKey: writes((trx, user) => ownKeys.revokeOwnKey(trx, user, theirs(), now)),
  },
  keyUsage: {
    listOwnUsage: reads(
      async (trx, user) => (await keyUsage.listOwnUsage(trx, user, now)).usage,
      trx => sql`update key_usage set day = ${at.slice(0, 10)}::date, class = 'reads'`.execute(trx),
    ),
    // Counts of every key, in the service's transaction.
    createUsageCounter: null,
    addUsage: null,
    sweepUsage: null,
  },
  referrals: {
    ownCode: reads((trx, user) => referrals.ownCode(trx, user)),
    // By a code that the stranger gave out; the referral that the owner has already shows it.
    attribute: reads(
      (trx, user) => referrals.attribute(trx, user, user === owner.user_id ? strangersCode : ownersCode, now),
      trx => sql`update referral set code = case user_id when ${owner.user_id} then ${strangersCode} else code end`.execute(trx),
    ),
    convertReferral: writes((trx, user) => referrals.convertReferral(trx, user, 'alpha', now)),
    conversionOf: writes((trx, user) => referrals.conversionOf(trx, user, 'alpha', now)),
  },
  'referrals, converted before': {
    conversionOf: reads(
      async (trx, user) => ({ code: (await referrals.conversionOf(trx, user, 'alpha', now))?.converted_tier }),
      trx => sql`update referral set converted_at = ${at}, converted_tier = 'apex' where user_id = ${owner.user_id}`.execute(trx),
    ),
  },
  requests: {
    askFor: writes((trx, user) => requests.askFor(trx, { user_id: user }, { kind: 'change_tier', target: 'alpha', note: 'new' } as never, now)),
    openRequests: reads((trx, user) => requests.openRequests(trx, user, now)),
    settleByStripe: writes(
      (trx, user) => requests.settleByStripe(trx, user, 'free', now),
      trx => sql`update account_request set kind = 'cancel', target_tier = null`.execute(trx),
    ),
    // For the administrator: of all users.
    findRequests: null,
    fulfil: null,
    eligibleAt: null,
  },
  reports: {
    addReport: writes((trx, user) => reports.addReport(trx, user, { task_id: 'rep_new', pdf_path: 'a.pdf', company_ticker: null }, now)),
    noteReportJob: writes((trx, user) => reports.noteReportJob(trx, user, owner.word, '00000000-0000-4000-8000-000000000002')),
    getReport: reads((trx, user) => reports.getReport(trx, user, owner.word)),
    // By the id that the queue carries, for the worker; of all users, for administrators and the sweep.
    getAnyReport: null,
    isAbandoned: null,
    findReport: null,
    noteProgress: null,
    endReport: null,
    sweepReports: null,
  },
  tier: { setTier: writes((trx, user) => tier.setTier(trx, user, 'alpha', now)) },
  tokens: {
    issueToken: writes((trx, user) => tokens.issueToken(trx, user, 'verify_email', now)),
    voidTokens: writes((trx, user) => tokens.voidTokens(trx, user, now)),
    // By the token itself, which only its owner has.
    ownerOfToken: null,
    useToken: null,
    sweepTokens: null,
  },
  sessions: {
    beginSession: writes((trx, user) => sessions.beginSession(trx, user, 'user', { address_prefix: '192.0.2.0/24', agent: 'Firefox' }, now)),
    endSessions: writes((trx, user) => sessions.endSessions(trx, user)),
    // By the text or the id of a session that was found by its text.
    findSession: null,
    isLive: null,
    endSession: null,
    sweepSessions: null,
  },
  profile: {
    getProfile: reads((trx, user) => profile.getProfile(trx, user, 0)),
    rectify: writes((trx, user) => profile.rectify(trx, user, { full_name: 'changed' })),
  },
  dailyCap: {
    takeDaily: writes((trx, user) => dailyCap.takeDaily(trx, user, 'assistant', 10, now)),
    giveBackDaily: writes(
      (trx, user) => dailyCap.giveBackDaily(trx, user, 'assistant', at.slice(0, 10)),
      trx => dailyCap.takeDaily(trx, owner.user_id, 'assistant', 10, now),
    ),
    queriesToday: null,
    assistantCap: null,
    sweepDailyUse: null,
  },
  factor: {
    factorOf: reads(async (trx, user) => ({ code: await factor.factorOf(trx, user) })),
    isEnrolling: reads(
      async (trx, user) => ((await factor.isEnrolling(trx, user, now)) ? { code: 'is awaited' } : null),
      trx => factor.beginEnrolment(trx, key, owner, now),
    ),
    beginEnrolment: writes((trx, user) => factor.beginEnrolment(trx, key, { user_id: user, email: 'a@example.org' }, now)),
    enrolNow: writes((trx, user) => factor.enrolNow(trx, key, { user_id: user, email: 'a@example.org' }, now)),
    confirmEnrolment: writes(
      (trx, user) => factor.confirmEnrolment(trx, key, user, codeNow(), now),
      async trx => {
        secret = (await factor.beginEnrolment(trx, key, owner, now)).secret
      },
    ),
    takeCode: writes(
      (trx, user) => factor.takeCode(trx, key, user, codeNow(), now),
      async trx => {
        secret = (await factor.enrolNow(trx, key, owner, now)).secret
      },
    ),
    removeFactor: writes((trx, user) => factor.removeFactor(trx, user)),
    chargeTry: writes((trx, user) => factor.chargeTry(trx, user, now)),
  },
  'factor, by a recovery code': {
    takeCode: writes(
      (trx, user) => factor.takeCode(trx, key, user, recovery, now),
      async trx => {
        recovery = (await factor.enrolNow(trx, key, owner, now)).recovery_codes[0] ?? ''
      },
    ),
  },
  erasure: {
    queueErasure: writes((trx, user) => erasure.queueErasure(trx, user, now, async () => {})),
    findErasure: reads(
      async (trx, user) => ((await erasure.findErasure(trx, user)) ? { code: 'is queued' } : null),
      trx => sql`update app_user set erasure_requested_at = ${at}`.execute(trx),
    ),
    cancelErasure: writes(
      (trx, user) => erasure.cancelErasure(trx, user, now),
      trx => sql`update app_user set erasure_requested_at = ${at}`.execute(trx),
    ),
    // Of every account that is due, or of a list of proofs.
    eraseDue: null,
    replayErasures: null,
    findErasures: null,
  },
} satisfies Record<string, Record<string, Case | null>>
const modules = {
  ...{
    alerts,
    ipoAlerts,
    watchlist,
    positions,
    subscriptions,
    send,
    ownKeys,
    keyUsage,
    referrals,
    requests,
    tier,
    tokens,
    sessions,
    profile,
    dailyCap,
  },
  ...{ factor, erasure, reports },
}
const each = Object.entries(cases).flatMap(([module, functions]) =>
  Object.entries(functions as Record<string, Case | null>).flatMap(([name, one]) => (one === null ? [] : [[`${module}.${name}`, one] as const])),
)

/** Every row of the user according to the inventory, each with its table. */
async function rowsOf(trx: Trx, { user_id }: Canary): Promise<string[]> {
  const rows: string[] = []
  for (const { table, user } of inventory) {
    const found = await sql<{
      row: string
    }>`select to_jsonb(t)::text as row from ${sql.table(table)} as t where ${sql.ref(user)} = ${user_id}`.execute(trx)
    rows.push(...found.rows.map(({ row }) => `${table} ${row}`))
  }
  return rows.sort()
}

const rollback = Symbol('rollback')
type Seen = {
  readonly result: string
  readonly error: CrossfileError | null
  readonly before: string[]
  readonly after: string[]
  readonly run: Statement[]
}
/** Runs a case as one of the two, without the role that row-level security is for; nothing of it is kept. */
async function runAs(user: Canary, { work, first }: Case): Promise<Seen> {
  let seen: Seen | undefined
  await db
    .transaction()
    .execute(async trx => {
      await first(trx, user.user_id)
      const before = await rowsOf(trx, owner)
      statements = []
      let [result, error] = ['', null as CrossfileError | null]
      try {
        result = JSON.stringify((await work(trx, user.user_id)) ?? null)
      } catch (cause) {
        if (!(cause instanceof CrossfileError)) throw cause
        error = cause
      }
      const run = [...statements]
      seen = { result, error, before, after: await rowsOf(trx, owner), run }
      throw rollback
    })
    .catch((cause: unknown) => {
      if (cause !== rollback) throw cause
    })
  return seen as Seen
}
const userTables = inventory.map(each => each.table).join('|')

/** Reads, changes and deletions of users' tables that are not bound to the user. */
function unbound({ sql: text, parameters }: Statement, user: string): boolean {
  const places = [
    ...text.matchAll(new RegExp(`(?<!delete )(?:from|update) "?(?:${userTables})"?(?![\\w"])|delete from "?(?:${userTables})"?(?![\\w"])`, 'g')),
  ]
  if (places.length === 0 || /^insert/.test(text)) return false
  const bound = [...text.matchAll(/(?:"?\w+"?\.)?"?(?:user_id|owner|referrer_id)"? = \$(\d+)/g)].filter(
    ([, at]) => parameters[Number(at) - 1] === user,
  )
  return bound.length < places.length
}
/** Statements that are about rows of others by their purpose, with the reason. */
const others: readonly (readonly [RegExp, string])[] = [
  [/"user_id" <> \$/, 'a browser or device that changes hands leaves the account that had it'],
  [/ "c"."user_id" = "t"."user_id" .+ where "t"."user_id" = \$\d+$/, 'recovery codes of the row that is bound to the user'],
  [/from "referral_code" where "code" = /, 'whose code it is that was given'],
  [/^select "k".+ where "k"."key_id" = \$1$/, 'the key that the same call made, by its new id'],
]

describe('another user, without row-level security', () => {
  it.each(each)('%s: is refused or finds nothing, and no row of the owner changes', async (_name, one) => {
    const { result, before, after } = await runAs(stranger, one)
    expect(result.toLowerCase()).not.toContain(owner.word)
    expect(after).toEqual(before)
  })
  it.each(each)('%s: does to the owner what it is for', async (_name, one) => {
    const { result, error, before, after } = await runAs(owner, one)
    expect(error).toBeNull()
    if (one.does === 'reads') expect(result.toLowerCase()).toMatch(new RegExp(`${owner.word}|${owner.user_id}|"code"`))
    else expect(after).not.toEqual(before)
  })
  it.each(each)('%s: binds every statement on users’ tables to the user who acts', async (_name, one) => {
    for (const user of [owner, stranger]) {
      const { run } = await runAs(user, one)
      expect(run.length).toBeGreaterThan(0)
      const loose = run.filter(statement => unbound(statement, user.user_id) && !others.some(([pattern]) => pattern.test(statement.sql)))
      expect(loose.map(statement => statement.sql)).toEqual([])
    }
  })
  test('every function of these modules has a case, or is null here with the reason', () => {
    const missing = Object.entries(modules).flatMap(([name, module]) => {
      const listed: object = cases[name as keyof typeof cases]
      return Object.entries(module).flatMap(([key, value]) => (typeof value === 'function' && !Object.hasOwn(listed, key) ? [`${name}.${key}`] : []))
    })
    expect(missing, 'add a case to `cases` for each of these functions').toEqual([])
  })
})
