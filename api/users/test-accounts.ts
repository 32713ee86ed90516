// An API with accounts for the tests of this folder, and users who register, confirm and sign in by request and mail.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { loadConfig } from '#schemas/config.ts'
import { sealKeyName } from '#warehouse/people/admin/secret-key.ts'
import { pepperName } from '#warehouse/people/users/passwords.ts'
import { ensureKeyFiles, keysFolderOf } from '#warehouse/store/key-files.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { type Server, startServer } from '../server.ts'

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown>; readonly text: string }
type Mailed = { kind: string; subject: string; body: string; to_address: string }

/** Starts an API over a migrated database; it ends with the tests of the file. */
export function openAccounts(url: string) {
  const { db, pool, close } = connect(url)
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-accounts-'))
  // As the first worker does.
  for (const name of [pepperName, sealKeyName]) ensureKeyFiles(keysFolderOf(folder), name)
  const publicUrl = 'https://crossfile.example.org'
  let server: Server
  beforeAll(async () => {
    await installQueue(url)
    const env = {
      DATABASE_URL: url,
      CROSSFILE_DATA: folder,
      CROSSFILE_LOG: 'silent',
      PORT: '0',
      CROSSFILE_PUBLIC_URL: publicUrl,
      CROSSFILE_TRUSTED_PROXIES: '127.0.0.1',
    }
    server = await startServer(loadConfig(env))
  })
  afterAll(async () => {
    await server.close()
    await close()
    rmSync(folder, { recursive: true, force: true })
  })

  let addresses = 0
  /** A separate address for each test with intended failures, because failures are counted by address. */
  const newAddress = (): string => {
    addresses += 1
    return `2001:db8:${addresses.toString(16)}::1`
  }
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${server.address}/api/v1/auth/${path}`, {
      method,
      headers: { 'x-forwarded-for': newAddress(), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), text }
  }
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => ask('POST', path, body, headers)
  const me = (token: string): Promise<Answer> => ask('GET', 'me', undefined, { authorization: `Bearer ${token}` })

  let people = 0
  const newEmail = (): string => {
    people += 1
    return `person.${people}@example.org`
  }
  const password = 'tulip-kettle-brisk'
  async function mailsTo(email: string): Promise<Mailed[]> {
    return (await pool.query<Mailed>('select kind, subject, body, to_address from mail_outbox where to_address = $1 order by mail_id', [email])).rows
  }
  async function lastToken(email: string): Promise<string> {
    const token = /[?]token=([A-Za-z0-9_-]+)/.exec((await mailsTo(email)).at(-1)?.body ?? '')?.[1]
    if (token === undefined) throw new TypeError(`no link was mailed to ${email}`)
    return token
  }
  async function confirmed(email = newEmail(), full_name: string | null = null): Promise<string> {
    expect((await post('register', { email, password, full_name })).status).toBe(202)
    expect((await post('verify-email', { token: await lastToken(email) })).status).toBe(200)
    return email
  }
  async function signIn(email: string, secret = password, headers: Record<string, string> = {}): Promise<string> {
    const { status, body } = await post('login', { email, password: secret }, headers)
    expect(status).toBe(200)
    return String(body['access_token'])
  }
  /** Where the API listens. */
  const site = (): string => server.address
  return { folder, publicUrl, site, newAddress, ask, post, me, newEmail, password, mailsTo, lastToken, confirmed, signIn, db, pool }
}
