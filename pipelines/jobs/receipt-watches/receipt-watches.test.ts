// The worker is killed at each point of a round: whatever is left, the next one ends with each change, its mail and its push there once.
import { rename } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { answersOf } from '#fixtures/answers.ts'
import { unscheduled, workerEnv, writeJobs } from '#fixtures/jobs-file.ts'
import { signedInUser } from '#fixtures/users.ts'
import { addDocument, worldWarehouse } from '#fixtures/warehouse.ts'
import { startWorkerProcess } from '#fixtures/world/chaos/workers.ts'
import { findDue } from '#warehouse/people/receipt-watches/due.ts'
import { watchesJob } from '#warehouse/people/receipt-watches/ring.ts'
import { insertWatch } from '#warehouse/people/receipt-watches/watches.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { buildDueModels } from '../models/models.ts'
import { evaluateWatches } from './evaluate.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
const jobsFile = writeJobs(warehouse.config.dataFolder, { 'receipt-watches': unscheduled('Answer watched questions again', 'receipt-watches') })
const env = workerEnv(warehouse.config, jobsFile)
const points = ['watches-answered', 'watches-taken', 'watches-written', 'watches-changed'] as const
const evaluate = (signal = new AbortController().signal) =>
  evaluateWatches({ ...warehouse.runtime.tools, baseUrl: 'https://example.org' }, () => Date.parse('2026-11-20T22:00:00Z'), signal)
const { sign } = answersOf(warehouse)
const watch = async (userId: string, receipt_id: string, question: string, n: number): Promise<void> => {
  const given = { watch_id: `w_${userId}_${n}`, question, receipt_id, release: 1, channels: ['mail', 'changes'] as const }
  await asUser(db, userId, trx => insertWatch(trx, userId, 'free', given, '2026-11-20T20:00:00Z'))
}
const addDividend = (symbol: string, day: string): Promise<number> =>
  addDocument(warehouse, `file:watch-${symbol}-${day}.csv`, `symbol,ex_date,kind,amount,currency\n${symbol},${day},dividend,0.11,CAD\n`)
const nameOf = async (id: string): Promise<string> => {
  const row = await db.selectFrom('receipt').select(['operation', 'parameters']).where('receipt_id', '=', id).executeTakeFirstOrThrow()
  return `${row.operation}?${row.parameters}`
}

// Windows has no signal that a process sends to itself.
const describeKills = process.platform === 'win32' ? describe.skip : describe

describeKills('a worker that is killed in the middle of a round', () => {
  it('leaves each change and what reports it there once, after a round that nobody disturbs', async () => {
    const users = await Promise.all(Array.from({ length: 250 }, () => signedInUser(db)))
    const questions = await Promise.all(['2026-11-12', '2026-11-13'].map(from => sign('get_eod', { symbol: 'QT.TO', from, to: '2026-11-17' })))
    for (const [n, id] of questions.entries()) for (const { user_id } of users) await watch(user_id, id, await nameOf(id), n)
    const release = await addDividend('QT.TO', '2026-11-18')
    const queue = await openQueue(db, false, () => {})
    await queue.define(watchesJob, { retryLimit: 3, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 60 })
    try {
      for (const point of points) {
        await queue.send(watchesJob, { partition: point, from: null, to: null, symbols: null, backfill_id: null })
        const worker = startWorkerProcess(env, { crash: `${point}:1` })
        const { signal } = await worker.exited
        expect([point, signal, worker.output()]).toEqual([point, 'SIGKILL', expect.stringContaining(`crash point ${point}`)])
        // Whole transactions alone are there, each with its mails.
        const changes = (await db.selectFrom('receipt_change').select('change_id').execute()).length
        expect([0, 200, 250, 450]).toContain(changes)
        expect(await db.selectFrom('mail_outbox').select('mail_id').execute()).toHaveLength(changes)
      }
    } finally {
      await queue.close()
    }
    await evaluate()
    const changes = await db.selectFrom('receipt_change').select(['watch_id', 'before_receipt_id', 'after_receipt_id', 'after_release']).execute()
    expect([changes.length, new Set(changes.map(each => each.watch_id)).size]).toEqual([500, 500])
    expect(changes.every(each => each.after_release === release && questions.includes(each.before_receipt_id))).toBe(true)
    const mails = await db.selectFrom('mail_outbox').select('dedupe_key').execute()
    expect([mails.length, new Set(mails.map(each => each.dedupe_key)).size]).toEqual([500, 500])
    const watches = await db.selectFrom('receipt_watch').select(['changes', 'receipt_id', 'first_receipt_id']).execute()
    expect(watches.every(each => each.changes === 1 && each.receipt_id !== each.first_receipt_id)).toBe(true)
    expect(await evaluate()).toMatchObject({ questions: 0, changes: 0, waiting: 0 })
  })
})

describe('a round', () => {
  it('takes the longest waiting watch of each user before the second one of any', async () => {
    await db.deleteFrom('receipt_watch').execute()
    const [many, one] = [await signedInUser(db), await signedInUser(db)]
    const days = Array.from({ length: 10 }, (_, n) => `2026-10-${String(n + 1).padStart(2, '0')}`)
    for (const [n, from] of days.entries()) {
      const id = await sign('get_eod', { symbol: 'QT.TO', from, to: '2026-11-17' })
      await watch(many.user_id, id, await nameOf(id), n)
    }
    const id = await sign('get_eod', { symbol: 'QT.TO', from: '2026-10-20', to: '2026-11-17' })
    await watch(one.user_id, id, await nameOf(id), 0)
    const { release } = await warehouse.lake()
    const due = await findDue(db, release, 3)
    expect(
      due
        .flatMap(each => each.watch_ids)
        .slice(0, 2)
        .sort(),
    ).toEqual([`w_${many.user_id}_0`, `w_${one.user_id}_0`].sort())
  })

  it('of a question that a model answers waits for the build of the newest release', async () => {
    await db.deleteFrom('receipt_watch').execute()
    const user = await signedInUser(db)
    const id = await sign('run_screener', { filter: 'close > 10', sort: 'volume.desc', limit: '10' })
    await watch(user.user_id, id, await nameOf(id), 0)
    const { models } = warehouse.runtime.tools
    expect(models).not.toBeNull()
    const csv = 'symbol,date,open,high,low,close,volume,currency\nGLPR.TO,2026-11-20,110,111,109,110.5,10,CAD\n'
    await addDocument(warehouse, 'file:watch-model.csv', csv, 'csv', '2026-11-20T22:30:00Z')
    expect(await evaluate()).toMatchObject({ left: 1, waiting: 1 })
    const problem = await db.selectFrom('receipt_watch').select('problem').executeTakeFirst()
    expect(problem).toEqual({ problem: null })
    await buildDueModels({ db, writer: warehouse.runtime.tools.writer }, Date.now(), true)
    const last = await evaluate()
    expect([last, await db.selectFrom('receipt_watch').select(['problem', 'checked_release']).executeTakeFirst()]).toMatchObject([
      { left: 0, waiting: 0 },
      { problem: null },
    ])
  })

  it('leaves everything due while no answer can be signed, and reports a question that has no answer', async () => {
    await db.updateTable('receipt_watch').set({ checked_release: 1, datasets: null }).execute()
    const count = (await db.selectFrom('receipt_watch').select('watch_id').execute()).length
    const { keysFolder } = warehouse.runtime.tools
    await rename(keysFolder, `${keysFolder}.away`)
    expect(await evaluate()).toMatchObject({ questions: 0, waiting: count })
    await rename(`${keysFolder}.away`, keysFolder)
    const aborted = AbortSignal.abort()
    expect(await evaluate(aborted)).toMatchObject({ questions: 0 })
    const unknown = await sign('get_eod', { symbol: 'QT.TO', from: '2026-10-21' })
    const user = await signedInUser(db)
    await watch(user.user_id, unknown, 'GET /api/v1/market/eod/QT.TO?from=2026-10-21', 0)
    await db
      .updateTable('receipt')
      .set({ statement: Buffer.from('{"damaged":1}') })
      .where('receipt_id', '=', unknown)
      .execute()
    await evaluate()
    const rows = await db.selectFrom('receipt_watch').select(['problem']).where('user_id', '=', user.user_id).execute()
    expect(rows).toEqual([{ problem: expect.stringContaining('statement') }])
  })
})
