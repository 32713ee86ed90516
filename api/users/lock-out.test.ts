// Strangers who fail on purpose, and the owner of the account who signs in nevertheless: over HTTP, with cookies as browsers keep them.
import { expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openAccounts } from './test-accounts.ts'

const { confirmed, lastToken, newAddress, newEmail, password, pool, post, signIn } = openAccounts(await createTestDatabase())
const from = (address: string, cookie?: string): Record<string, string> => ({ 'x-forwarded-for': address, ...(cookie ? { cookie } : {}) })
const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map(each => each.split(';')[0])
    .join('; ')
const wrong = 'not the password'

/** What an attacker has done to an account by so many failures: twenty, and the pause that is then the longest. */
async function underAttack(email: string): Promise<void> {
  for (let n = 0; n < 3; n += 1) await post('login', { email, password: wrong })
  await pool.query(
    "update sign_in_failure set failures = 60, blocked_until = now() + interval '300 seconds' where bucket like 'account %' and failures >= 3",
  )
}

it('an owner whose account is attacked signs in from a known device, a known address, and after a reset', async () => {
  const email = await confirmed()
  const home = newAddress()
  const first = await post('login', { email, password }, from(home))
  const device = cookiesOf(first.headers)
  expect(device).toContain('service_device=')
  await underAttack(email)
  const elsewhere = newAddress()
  expect((await post('login', { email, password }, from(elsewhere))).status).toBe(429)
  expect((await post('login', { email, password }, from(home))).status).toBe(200)
  const known = device.split('; ').find(each => each.startsWith('service_device=')) as string
  const byDevice = await post('login', { email, password }, from(newAddress(), known))
  expect(byDevice.status).toBe(200)
  // A device that is known gets no other token, and failures on it are its own.
  expect(byDevice.headers.getSetCookie()).toHaveLength(1)
  expect((await post('login', { email, password: wrong }, from(newAddress(), known))).status).toBe(401)

  await post('password-reset', { email })
  const reset = await post('password-reset/confirm', { token: await lastToken(email), new_password: 'walnut harbour ninety' }, from(elsewhere))
  expect(reset.status).toBe(200)
  await underAttack(email)
  // The device from before the reset is a stranger now; the browser and the address that set the password are not.
  expect((await post('login', { email, password: 'walnut harbour ninety' }, from(newAddress(), known))).status).toBe(429)
  const renewed = cookiesOf(reset.headers)
  expect((await post('login', { email, password: 'walnut harbour ninety' }, from(newAddress(), renewed))).status).toBe(200)
  expect((await post('login', { email, password: 'walnut harbour ninety' }, from(elsewhere))).status).toBe(200)
})

it('an owner changes the password while strangers fail', async () => {
  const email = await confirmed()
  const token = await signIn(email)
  await underAttack(email)
  const change = { current_password: password, new_password: 'walnut harbour ninety' }
  expect((await post('change-password', change, { authorization: `Bearer ${token}` })).status).toBe(200)
})

it('a device cookie does not reveal whether an address has an account', async () => {
  const mine = await confirmed()
  const cookie = cookiesOf((await post('login', { email: mine, password })).headers)
  const [known, unknown] = [await confirmed(), newEmail()]
  const answers = []
  for (const email of [known, unknown]) {
    const one = await post('login', { email, password: wrong }, from(newAddress(), cookie))
    await underAttack(email)
    const two = await post('login', { email, password: wrong }, from(newAddress(), cookie))
    answers.push([one, two].map(({ status, body, headers }) => [status, body['detail'], body['code'], headers.getSetCookie()]))
  }
  expect(answers[1]).toEqual(answers[0])
  expect(answers[0]?.map(each => each[0])).toEqual([401, 429])
})
