// Sign-ins at the parameters of the product, and what other requests feel of them meanwhile.
import { randomBytes } from 'node:crypto'
import { openPasswords } from '#warehouse/people/users/passwords.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { ReleaseContexts } from './contexts.ts'
import { ascending, figure, quantile, type Report } from './measure.ts'

const password = 'tulip-kettle-brisk'
const people = 24
/** Sign-ins under way at a time: above what is hashed at once, below what is refused. */
const atOnce = 8
const pauseMs = 5

/** People who can sign in, all with one password: hashing each would measure nothing more. */
async function register(db: Db, data: string): Promise<string[]> {
  const password_hash = await openPasswords(keysFolderOf(data)).hash(password)
  const users = Array.from({ length: people }, () => {
    const email = `${randomBytes(6).toString('hex')}@example.org`
    const user_id = `u_${randomBytes(9).toString('base64url')}`
    return { user_id, email, email_key: email, password_hash, email_verified_at: new Date().toISOString(), subject_key: randomBytes(32) }
  })
  await db.insertInto('app_user').values(users).execute()
  return users.map(user => user.email)
}

async function signIn(address: string, email: string): Promise<number> {
  const begun = performance.now()
  const body = JSON.stringify({ email, password })
  const response = await fetch(`${address}/api/v1/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`a sign-in was answered ${response.status}`)
  return performance.now() - begun
}

/** Milliseconds of a request that is asked again and again until `over`. */
async function others(address: string, path: string, over: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!over()) {
    const begun = performance.now()
    const response = await fetch(address + path)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`)
    times.push(performance.now() - begun)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  return times
}

export async function logins(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const address = String((await market.api()).ready['address'])
  const emails = await register(market.runtime.postgres.db, market.runtime.config.dataFolder)
  // A month of bars: what a page asks for. Of a whole history the client that measures would measure its own reading.
  const path = `/api/v1/market/eod/${market.universe.symbols[0]}?order=desc&limit=22`
  const [perSecond, each, quiet, busy]: [number[], number[], number[], number[]] = [[], [], [], []]
  await signIn(address, emails[0] ?? '')
  for (let round = 0; round < contexts.options.rounds; round += 1) {
    const until = performance.now() + contexts.options.seconds * 1000
    quiet.push(quantile(ascending(await others(address, path, () => performance.now() > until)), 0.99))
    const waiting = [...emails]
    let left = atOnce
    const begun = performance.now()
    const times: number[] = []
    const signing = Array.from({ length: atOnce }, async () => {
      for (let email = waiting.shift(); email !== undefined; email = waiting.shift()) times.push(await signIn(address, email))
      left -= 1
    })
    const [felt] = await Promise.all([others(address, path, () => left === 0), ...signing])
    perSecond.push((people / (performance.now() - begun)) * 1000)
    each.push(quantile(ascending(times), 0.5))
    busy.push(quantile(ascending(felt), 0.99))
  }
  return {
    figures: [
      figure('sign-ins a second', '/s', perSecond),
      figure(`one sign-in, ${atOnce} at a time (median)`, 'ms', each),
      figure('end-of-day answer meanwhile, p99', 'ms', busy, { of: 'value', most: 20 }),
      figure('end-of-day answer with nobody signing in, p99', 'ms', quiet),
    ],
    notes: [
      'Argon2id, 64 MiB, 3 passes, 1 lane; at most as many at once as processors, 4 at most, in threads that yield to the one that serves',
      'the client runs on the same processors; sign-ins and the other request go to one API process',
    ],
  }
}
