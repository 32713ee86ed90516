// The worker is killed at each point of a round: whatever is left, the next one ends with each firing, mail and delivery there once.
import { describe, expect, it } from 'vitest'
import { unscheduled, workerEnv, writeJobs } from '#fixtures/jobs-file.ts'
import { signedInUser } from '#fixtures/users.ts'
import { addDocument, worldWarehouse } from '#fixtures/warehouse.ts'
import { startWorkerProcess } from '#fixtures/world/chaos/workers.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { insertAlert } from '#warehouse/people/alerts/alerts.ts'
import { findPictures, type Picture } from '#warehouse/people/alerts/pictures.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { freezeDataClock } from '#warehouse/store/data-clock.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { alertsJob, evaluateDue, evaluateOnce } from './evaluate-due.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
const { writer, contexts } = warehouse.runtime.tools
const jobsFile = writeJobs(warehouse.config.dataFolder, { alerts: unscheduled('Evaluate alerts', 'alerts') })
const env = workerEnv(warehouse.config, jobsFile)
const points = ['alerts-read', 'alerts-triggered', 'alerts-written', 'alerts-fired', 'alerts-evaluated'] as const
// Windows has no signal that a process sends to itself.
const describeKills = process.platform === 'win32' ? describe.skip : describe

describeKills('a worker that is killed in the middle of a round', () => {
  it('leaves each firing and what tells it there once, after a round that nobody disturbs', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => signedInUser(db)))
    // The bar that makes the alerts true is of a session that the universe does not have: its clock is set to that evening.
    const now = '2026-11-20T23:30:00Z'
    const day = '2026-11-20'
    await freezeDataClock(db, now)
    const { symbols, lake } = await contextOf(await warehouse.lake(), null)
    const listing = symbols.find('GLPR.TO')
    const [picture] = (
      await findPictures(
        { lake, symbols } as Parameters<typeof findPictures>[0],
        [{ symbol: 'GLPR.TO', history: false, since: null, stale: true }],
        now,
      )
    ).values()
    const before = { ...(picture as Picture), snapshot: { price: '100', closes: ['100'], intraday: false } }
    const terms = { condition: 'above', threshold: '900', baseline_price: null, condition2: null, threshold2: null, logic: null } as const
    const armed = now
    for (const { user_id } of users)
      for (let n = 1; n <= 50; n += 1) {
        const alert = {
          alert_id: `a_${user_id}_${n}`,
          ticker: 'GLPR.TO',
          instrument_id: listing?.instrument_id ?? null,
          scope: 'ticker' as const,
          terms,
          note: null,
          picture: before,
          release: 1,
        }
        await asUser(db, user_id, trx => insertAlert(trx, user_id, alert, armed))
      }
    const release = await addDocument(
      warehouse,
      'file:bars-kill.csv',
      `symbol,date,open,high,low,close,volume,currency\nGLPR.TO,${day},950,960,940,955.25,1000,CAD\n`,
      'csv',
      now,
    )
    const queue = await openQueue(db, false, () => {})
    await queue.define(alertsJob, { retryLimit: 3, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 60 })
    try {
      for (const point of points) {
        await queue.send(alertsJob, { partition: point, from: null, to: null, symbols: null, backfill_id: null })
        const worker = startWorkerProcess(env, { crash: `${point}:1` })
        const { signal } = await worker.exited
        expect([point, signal, worker.output()]).toEqual([point, 'SIGKILL', expect.stringContaining(`crash point ${point}`)])
        // Whole transactions alone are there: of 250 firings none, the first 200, or all.
        expect([0, 200, 250]).toContain((await db.selectFrom('alert_firing').select('firing_id').execute()).length)
      }
    } finally {
      await queue.close()
    }
    await evaluateOnce({ db, writer, contexts, baseUrl: '' }, now)
    const firings = await db.selectFrom('alert_firing').select(['alert_id', 'release', 'subject']).execute()
    expect(firings).toHaveLength(250)
    expect(new Set(firings.map(each => each.alert_id)).size).toBe(250)
    expect(firings.every(each => each.release === release && each.subject === 'GLPR.TO')).toBe(true)
    const reported = await db.selectFrom('alert_delivery').select(['firing_id', 'channel']).execute()
    const mails = await db.selectFrom('mail_outbox').select('dedupe_key').execute()
    expect([reported.length, mails.length, new Set(mails.map(each => each.dedupe_key)).size]).toEqual([750, 250, 250])
    expect(await db.selectFrom('alert').select('alert_id').where('status', '<>', 'triggered').execute()).toEqual([])
    expect(await db.selectFrom('alert_symbol').select('holds').where('holds', 'is not', true).execute()).toEqual([])
  })
})

describe('the job', () => {
  it('runs rounds until no release came meanwhile, and notes what it judged', async () => {
    await db.deleteFrom('alert_round').execute()
    const user = await signedInUser(db)
    await db
      .insertInto('ipo_alert')
      .values({
        ipo_alert_id: 'i_note',
        user_id: user.user_id,
        ticker: 'SLTK',
        event: 'priced',
        lead_days: 7,
        note: null,
        status: 'active',
        armed_at: '2026-11-01T00:00:00Z',
        seen: '[]',
        created_at: '2026-11-01T00:00:00Z',
      })
      .execute()
    const done = await evaluateDue({ db, writer, contexts, baseUrl: '' }, () => Date.parse('2026-11-20T22:00:00Z'), new AbortController().signal)
    expect(done).toMatchObject({ fired: 1, note: expect.stringMatching(/^ipo: 1 alert on release \d+, \d+ read, 1 fired; \d+ ms$/) })
    expect(
      (await evaluateDue({ db, writer, contexts, baseUrl: '' }, () => Date.parse('2026-11-20T22:00:00Z'), new AbortController().signal)).note,
    ).toBe('')
    const { release } = await loadCatalogue(db)
    const rounds = await db.selectFrom('alert_round').select(['kind', 'release']).orderBy('kind').execute()
    expect(rounds.map(each => each.kind)).toEqual(['ipo', 'price'])
    expect(rounds.every(each => each.release <= release)).toBe(true)
  })
})
