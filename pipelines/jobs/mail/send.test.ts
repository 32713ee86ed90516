// The outbox through a mail server that takes, refuses, is busy, hangs up, and through a worker that is killed.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { type SmtpServer, startSmtp } from '#fixtures/smtp.ts'
import { Secret } from '#schemas/config.ts'
import { enqueueMail } from '#warehouse/people/mail/enqueue.ts'
import { findMail, listMail, mostAttempts, retryMail, sweepMail, takeMail, waitMs } from '#warehouse/people/mail/outbox.ts'
import { connect, type Db } from '#warehouse/store/postgres.ts'
import { failureOf, sendMail, smtpOptions } from './send.ts'

const now = new Date('2026-11-20T21:05:00Z')
const later = (ms: number): Date => new Date(now.getTime() + ms)
const mailFrom = 'Crossfile <no-reply@crossfile.example.org>'
const noSignal = new AbortController().signal
const servers: SmtpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function smtp(behaviour?: Parameters<typeof startSmtp>[0]): Promise<SmtpServer> {
  const server = await startSmtp(behaviour)
  servers.push(server)
  return server
}
const at = (server: Pick<SmtpServer, 'port'>, who = '', host = '127.0.0.1'): Secret => new Secret(`smtp://${who}${host}:${server.port}`)
const send = (db: Db, smtpUrl: Secret | null, when = now) => sendMail({ db, config: { smtpUrl, mailFrom }, now: () => when }, noSignal)
/** A mail of the outbox, written and due at `at`. */
async function written(db: Db, to: string, subject = 'A subject', at = now): Promise<void> {
  await enqueueMail(db, {
    dedupe_key: `${to} ${subject}`,
    user_id: null,
    to_address: to,
    kind: 'test',
    subject,
    body: 'First line.\n.\n.dots\nLast: ünï.\n',
  })
  await db.updateTable('mail_outbox').set({ created_at: at.toISOString(), next_try_at: at.toISOString() }).where('attempts', '=', 0).execute()
}
const only = async (db: Db) => (await listMail(db, { state: 'all', limit: 1 }))[0]

describe('mail', () => {
  it('arrives whole, in its order, with a name of its own, and its text is forgotten then', async () => {
    const { db } = await testDatabase()
    const server = await smtp({ auth: 'me:s3cret' })
    await written(db, 'a@example.org', 'Grüße')
    await written(db, 'b@example.org')
    expect(await send(db, at(server, 'me:s3cret@'))).toEqual({ sent: 2, failed: 0, given_up: 0 })
    expect(server.taken.map(each => [each.from, each.to])).toEqual([
      ['no-reply@crossfile.example.org', 'a@example.org'],
      ['no-reply@crossfile.example.org', 'b@example.org'],
    ])
    const [first] = server.taken
    expect(first?.header('Message-ID')).toMatch(/^<crossfile\.1\.[0-9a-f]{24}@crossfile\.example\.org>$/)
    expect(first?.header('Auto-Submitted')).toBe('auto-generated')
    expect(first?.header('Subject')).toBe('=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
    expect(first?.data).toContain('First line.\r\n.\r\n.dots\r\n')
    expect(await findMail(db, 1)).toMatchObject({ state: 'sent', body: '', attempts: 1, error: null })
    expect(await send(db, at(server, 'me:s3cret@'))).toEqual({ sent: 0, failed: 0, given_up: 0 })
  })
  it('stays in the outbox with its text where no server is named', async () => {
    const { db } = await testDatabase()
    await written(db, 'a@example.org')
    expect(await send(db, null)).toEqual({ sent: 0, failed: 0, given_up: 0 })
    expect(await findMail(db, 1)).toMatchObject({ state: 'waiting', attempts: 0, body: expect.stringContaining('First line.') })
  })
  it('that waited for a server until it was over is not sent any more, unless the operator says so', async () => {
    const { db } = await testDatabase()
    const server = await smtp()
    await written(db, 'a@example.org')
    const days = later(4 * 86_400_000)
    expect(await send(db, at(server), days)).toEqual({ sent: 0, failed: 1, given_up: 1 })
    expect(server.taken).toEqual([])
    await retryMail(db, 1, days)
    expect(await send(db, at(server), days)).toEqual({ sent: 1, failed: 0, given_up: 0 })
  })
  it('is put off longer and longer where the receiver is busy, and given up after ten attempts', async () => {
    const { db } = await testDatabase()
    const server = await smtp({ receiver: address => (address.startsWith('busy') ? '451 later' : undefined) })
    await written(db, 'busy@example.org')
    await written(db, 'b@example.org')
    expect(await send(db, at(server))).toEqual({ sent: 1, failed: 1, given_up: 0 })
    expect(await findMail(db, 1)).toMatchObject({ state: 'waiting', attempts: 1, error: expect.stringContaining('451') })
    expect(await send(db, at(server), later(59_000))).toEqual({ sent: 0, failed: 0, given_up: 0 })
    let when = now.getTime()
    for (let attempt = 2; attempt <= mostAttempts; attempt += 1) {
      when += waitMs(attempt - 1)
      expect(await send(db, at(server), new Date(when))).toMatchObject({ failed: 1, given_up: attempt === mostAttempts ? 1 : 0 })
    }
    expect(await findMail(db, 1)).toMatchObject({ state: 'given_up', attempts: mostAttempts })
    expect([waitMs(1), waitMs(2), waitMs(9), waitMs(50)]).toEqual([60_000, 120_000, 15_360_000, 21_600_000])
    expect(await retryMail(db, 1, now)).toBe(true)
    expect(await retryMail(db, 2, now)).toBe(false)
    expect(await findMail(db, 1)).toMatchObject({ state: 'waiting', given_up_at: null })
  })
  it('is given up at once where the receiver does not exist or the text is refused for good', async () => {
    const { db } = await testDatabase()
    const server = await smtp({
      receiver: address => (address.startsWith('nobody') ? '550 no such user' : undefined),
      message: ({ to }) => (to.startsWith('strict') ? '554 no' : undefined),
    })
    for (const to of ['nobody@example.org', 'strict@example.org', 'b@example.org']) await written(db, to)
    expect(await send(db, at(server))).toEqual({ sent: 1, failed: 2, given_up: 2 })
    expect(server.taken.map(each => each.to)).toEqual(['b@example.org'])
  })
  it('waits where the server is not there, hangs up or refuses our password: no mail is given up for it', async () => {
    const { db } = await testDatabase()
    await written(db, 'a@example.org')
    await written(db, 'b@example.org')
    const gone = await startSmtp()
    await gone.close()
    expect(await send(db, at(gone))).toEqual({ sent: 0, failed: 1, given_up: 0 })
    const strict = await smtp({ auth: 'me:s3cret' })
    expect(await send(db, at(strict, 'me:wr0ng@'), later(100))).toEqual({ sent: 0, failed: 1, given_up: 0 })
    const { error } = (await findMail(db, 2)) ?? {}
    expect(error).toContain('535')
    expect(JSON.stringify(await listMail(db, { state: 'all', limit: 10 }))).not.toContain('wr0ng')
    const answers: ('drop' | undefined)[] = ['drop']
    const shaky = await smtp({ message: () => answers.shift() })
    const when = later(3_600_000)
    const [first, second] = [await send(db, at(shaky), when), await send(db, at(shaky), when)]
    expect([first.failed, second.sent]).toEqual([1, 1])
    expect(await send(db, at(shaky), later(7_200_000))).toEqual({ sent: 1, failed: 0, given_up: 0 })
    expect(new Set(shaky.taken.map(each => each.to))).toEqual(new Set(['a@example.org', 'b@example.org']))
  })
  it('is one sender’s at a time, however many send', async () => {
    const { db } = await testDatabase()
    const server = await smtp()
    for (let n = 0; n < 30; n += 1) await written(db, `p${n}@example.org`)
    const done = await Promise.all([1, 2, 3, 4].map(() => send(db, at(server))))
    expect(done.reduce((sum, each) => sum + each.sent, 0)).toBe(30)
    expect(new Set(server.taken.map(each => each.to)).size).toBe(30)
    expect(server.taken).toHaveLength(30)
    expect(await takeMail(db, now)).toBeNull()
  })
  it('is forgotten 30 days after its end', async () => {
    const { db } = await testDatabase()
    await written(db, 'a@example.org')
    expect(await sweepMail(db, later(29 * 86_400_000))).toBe(0)
    expect(await sweepMail(db, later(31 * 86_400_000))).toBe(1)
    expect(await only(db)).toBeUndefined()
  })
})

describe('the password of the server', () => {
  it('is sent to another machine under TLS alone', async () => {
    expect(smtpOptions('smtps://a:b%40c@mail.example.org')).toMatchObject({ port: 465, secure: true, auth: { user: 'a', pass: 'b@c' } })
    expect(smtpOptions('smtp://a:b@mail.example.org')).toMatchObject({ port: 587, secure: false, requireTLS: true })
    expect(smtpOptions('smtp://127.0.0.1:25')).toMatchObject({ port: 25, requireTLS: false })
    expect(() => smtpOptions('http://mail.example.org')).toThrow('CROSSFILE_SMTP_URL')
    const { db } = await testDatabase()
    const server = await smtp({ auth: 'me:s3cret', host: '127.0.0.2' })
    await written(db, 'a@example.org')
    // 127.0.0.2 is another machine to us, and this one offers no STARTTLS.
    expect(await send(db, at(server, 'me:s3cret@', '127.0.0.2'))).toEqual({ sent: 0, failed: 1, given_up: 0 })
    expect(server.lines.some(line => line.startsWith('EHLO'))).toBe(true)
    expect(server.lines.some(line => line.startsWith('AUTH'))).toBe(false)
  })
  it('stands in no reason of a failure', () => {
    expect(failureOf({ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO', message: 'x\r\ny' })).toEqual({
      reason: 'EENVELOPE 550 x y',
      final: true,
      server: false,
    })
    expect(failureOf({ code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN', message: 'no' })).toMatchObject({ final: false, server: true })
  })
})

it('a worker that is killed between sending and marking sends that mail twice, with one name, and loses none', async () => {
  const url = await createTestDatabase()
  const { db, close } = connect(url)
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-mail-'))
  const server = await smtp()
  const repository = resolve(import.meta.dirname, '..', '..', '..')
  const jobs = `version: 1\njobs:\n  mail:\n    title: mail\n    source: crossfile\n    plan: mail\n    datasets: []\n    schedule: { cron: "* * * * *", time_zone: UTC, calendar: null }\n    backfill: none\n    freshness_minutes: null\n`
  writeFileSync(join(folder, 'jobs.yaml'), jobs)
  const worker = (crash: string) =>
    spawn(process.execPath, [join(repository, 'pipelines', 'jobs', 'worker', 'main.ts')], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: url,
        CROSSFILE_DATA: folder,
        CROSSFILE_JOBS: join(folder, 'jobs.yaml'),
        CROSSFILE_SMTP_URL: at(server).reveal(),
        CROSSFILE_TEST_CRASH: crash,
        CROSSFILE_LOG: 'error',
      },
      stdio: 'ignore',
    })
  try {
    // The worker process and its jobs have the clock of the database, whatever .ci/clocks does, and mail older than three days is not sent.
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
    const writtenAt = new Date(rows[0]?.now ?? Number.NaN)
    for (const to of ['a@example.org', 'b@example.org', 'c@example.org']) await written(db, to, 'A subject', writtenAt)
    const first = worker('mail-sent:2')
    await new Promise(done => first.once('exit', done))
    expect(server.taken).toHaveLength(2)
    // What a dead worker had taken is free again when its time is over; here that is now.
    await db.updateTable('mail_outbox').set({ next_try_at: writtenAt.toISOString() }).where('sent_at', 'is', null).execute()
    await db.deleteFrom('job_tick').execute()
    const second = worker('')
    while ((await listMail(db, { state: 'sent', limit: 10 })).length < 3) await new Promise(done => setTimeout(done, 200))
    second.kill('SIGTERM')
    await new Promise(done => second.once('exit', done))
    const names = server.taken.map(each => each.header('Message-ID'))
    expect(names).toHaveLength(4)
    expect(new Set(names).size).toBe(3)
  } finally {
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
})
