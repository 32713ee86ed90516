// Mail and accounts on the command line.
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { enrolNow, factorOf } from '#warehouse/people/admin/second-factor.ts'
import { sealKeyOf } from '#warehouse/people/admin/secret-key.ts'
import { enqueueMail } from '#warehouse/people/mail/enqueue.ts'
import { markFailed, markSent, takeMail } from '#warehouse/people/mail/outbox.ts'
import { verifyText } from '#warehouse/people/mail/texts.ts'
import { brokenAudit } from '#warehouse/people/users/audit.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const url = await createTestDatabase()
const env = { DATABASE_URL: url }
async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = keptIo(env)
  return { code: await main(argv, io, env), out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}
let postgres: Postgres
let jane: TestUser
let roe: TestUser
beforeAll(async () => {
  postgres = connect(url)
  jane = await signedInUser(postgres.db, { tier: 'trader' })
  roe = await signedInUser(postgres.db, { verified: false })
  return () => postgres.close()
})

describe('crossfile outbox', () => {
  it('says what waits, shows its link, and sends again what was given up', async () => {
    const { db } = postgres
    expect(await run('outbox')).toMatchObject({ code: 0, out: 'no mail was written yet' })
    for (const to of ['a@example.org', 'b@example.org', 'c@example.org'])
      await enqueueMail(db, { dedupe_key: to, user_id: null, to_address: to, ...verifyText('https://crossfile.example.org', 't0ken') })
    const now = new Date(Date.now() + 1000)
    const [first, second] = [await takeMail(db, now), await takeMail(db, now)]
    await markSent(db, first?.mail_id ?? 0, now)
    if (second) await markFailed(db, second, 'EENVELOPE 550 no such user', true, now)
    const listed = await run('outbox')
    expect(listed.out).toMatch(/1 {2}sent .*a@example\.org/)
    expect(listed.out).toMatch(/2 {2}given up .*b@example\.org/)
    expect(listed.err).toContain('CROSSFILE_SMTP_URL')
    expect(listed.out).not.toContain('t0ken')
    expect((await run('outbox', 'show', '3')).out).toContain('https://crossfile.example.org/account/verify-email?token=t0ken')
    expect((await run('outbox', 'show', '1')).out).toContain('deleted after it was sent')
    expect((await run('outbox', 'show', '2')).out).toContain('550 no such user')
    expect(await run('outbox', 'retry', '2')).toMatchObject({ code: 0, out: expect.stringContaining('is queued again') })
    expect(await run('outbox', 'retry', '1')).toMatchObject({ code: 1, err: expect.stringContaining('is not waiting') })
    expect(await run('outbox', 'show', '99')).toMatchObject({ code: 1, err: expect.stringContaining('no mail 99') })
    const { mails, sends } = JSON.parse((await run('outbox', '--state', 'waiting', '--json')).out) as { mails: { mail_id: number }[]; sends: boolean }
    expect([sends, mails.map(mail => mail.mail_id)]).toEqual([false, [3, 2]])
  })
})

describe('crossfile users', () => {
  it('lists accounts and shows one, with nothing that is secret', async () => {
    const { out } = await run('users', 'list')
    expect(out).toContain(jane.email)
    expect(out).toMatch(new RegExp(`${roe.email} .*unconfirmed`))
    expect((await run('users', 'list', '--email', jane.email.slice(0, 8))).out).not.toContain(roe.email)
    expect((await run('users', 'list', '--email', '%')).out).toContain('no address begins')
    const shown = await run('users', 'show', jane.email.toUpperCase(), '--json')
    expect(JSON.parse(shown.out)).toMatchObject({ user_id: jane.user_id, tier: 'trader', state: 'active', live_keys: 0 })
    for (const word of ['sha256', 'password_hash', 'subject_key', jane.token]) expect(shown.out).not.toContain(word)
    expect((await run('users', 'show', jane.user_id)).out).toContain('Firefox from 192.0.2.0/24')
    expect(await run('users', 'show', 'nobody@example.org')).toMatchObject({ code: 1 })
  })
  it('removes the second factor of somebody who lost it, mails it, and never an administrator’s', async () => {
    const { db } = postgres
    const key = sealKeyOf(new Map([[1, randomBytes(32)]]))
    const [holder, admin] = [await signedInUser(db), await signedInUser(db, { kind: 'admin', is_admin: true })]
    for (const each of [holder, admin]) await enrolNow(db, key, each, new Date())
    expect((await run('users', 'remove-factor', holder.email)).out).toContain('is removed')
    expect(await factorOf(db, holder.user_id)).toEqual({ enrolled: false, recovery_codes_left: 0 })
    const mails = await db.selectFrom('mail_outbox').select('kind').where('user_id', '=', holder.user_id).execute()
    expect(mails).toEqual([{ kind: 'second_factor_off' }])
    expect((await run('users', 'remove-factor', holder.email)).out).toContain('has no second factor')
    expect(await run('users', 'remove-factor', admin.email)).toMatchObject({ code: 1, err: expect.stringContaining('crossfile admin create') })
    expect((await factorOf(db, admin.user_id)).enrolled).toBe(true)
    const act = await db.selectFrom('audit_entry').select(['act', 'actor']).orderBy('seq', 'desc').executeTakeFirst()
    expect(act).toEqual({ act: 'account.second_factor_removed', actor: 'operator' })
  })
  it('closes an account, ends its sessions, and writes both down', async () => {
    const { db } = postgres
    const live = async (id: string) => (await db.selectFrom('user_session').select('session_id').where('user_id', '=', id).execute()).length
    expect(await run('users', 'disable', jane.email)).toMatchObject({ code: 0, out: expect.stringContaining('is disabled') })
    expect([await live(jane.user_id), await live(roe.user_id)]).toEqual([0, 1])
    expect((await run('users', 'disable', jane.email)).out).toContain('already')
    expect((await run('users', 'list')).out).toMatch(new RegExp(`${jane.email} .*disabled`))
    expect((await run('users', 'enable', jane.user_id)).out).toContain('is enabled')
    const acts = await db
      .selectFrom('audit_entry')
      .select(['act', 'actor', 'subject'])
      .where('act', 'in', ['user.disable', 'user.enable'])
      .orderBy('seq')
      .execute()
    expect(acts.map(each => `${each.actor} ${each.act}`)).toEqual(['operator user.disable', 'operator user.enable'])
    expect(acts.every(each => each.subject.startsWith('p_'))).toBe(true)
    expect(await brokenAudit(db)).toBeNull()
  })
})
