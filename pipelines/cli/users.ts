// `crossfile users`: accounts, for the operator. User content (portfolios, alerts) is not shown.
import { NotFound } from '#schemas/errors.ts'
import { removeUserFactor } from '#warehouse/people/admin/user-factor.ts'
import { setReviewer } from '#warehouse/people/expert-reviews/expert-reviews.ts'
import { disableUser } from '#warehouse/people/users/accounts.ts'
import { findAccount, listAccounts } from '#warehouse/people/users/operator.ts'
import { transaction } from '#warehouse/store/postgres.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, facts, moment, paintState, printJson, printTable, relative, some } from './output.ts'

const one = { least: 1, most: 1, what: 'the address or id of the account' } as const

export async function usersList(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('users list', commands['users list'].options, argv)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 100_000, otherwise: 50 })
  const users = await withDatabase(io, { write: false }, ({ db }) => listAccounts(db, { beginning: values.email ?? null, limit }))
  if (values.json) printJson(io, { users })
  else if (users.length === 0) io.out(values.email === undefined ? 'no accounts yet' : `no address begins with ${values.email.slice(0, 64)}`)
  else {
    const now = io.now()
    const columns = columnsOf('id', '*email', 'tier', { head: 'state', paint: paintState(io) }, 'made', 'signed in')
    const rows = users.map(user => [
      user.user_id,
      user.email,
      user.is_admin ? `${user.tier}, admin` : user.tier,
      user.state,
      moment(user.created_at).slice(0, 10),
      user.last_login_at === null ? 'never' : relative(new Date(user.last_login_at), now),
    ])
    printTable(io, columns, rows)
  }
  return 0
}

export async function usersShow(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('users show', commands['users show'].options, argv, one)
  const user = await withDatabase(io, { write: false }, ({ db }) => findAccount(db, rest[0] ?? ''))
  if (!user) throw unknown()
  if (values.json) printJson(io, user)
  else {
    const pairs = [
      ['id', user.user_id],
      ['email', user.email],
      ['name', user.full_name ?? '-'],
      ['tier', `${user.tier}${user.is_admin ? ', administrator' : ''}; billing ${user.billing_status}`],
      ['state', user.state],
      ['made', moment(user.created_at)],
      ['signed in', user.last_login_at === null ? 'never' : moment(user.last_login_at)],
      ['keys', some(user.live_keys, 'live key')],
      ['sessions', user.sessions.length === 0 ? 'none' : some(user.sessions.length, 'session')],
    ] as const
    for (const line of facts(io, pairs)) io.out(line)
    for (const each of user.sessions)
      io.out(`  ${each.kind}, ${each.agent} from ${each.address_prefix}, seen ${relative(new Date(each.seen_at), io.now())}`)
  }
  return 0
}

/** `users disable` and `users enable`. */
export async function usersSet(active: boolean, argv: readonly string[], io: Io): Promise<number> {
  const name = active ? 'users enable' : 'users disable'
  const { values, rest } = readArguments(name, commands[name].options, argv, one)
  const { user, changed } = await withDatabase(io, { write: true }, async ({ db }) => {
    const found = await findAccount(db, rest[0] ?? '')
    if (!found) throw unknown()
    return { user: found, changed: await disableUser(db, found.user_id, active, io.now()) }
  })
  const word = active ? 'enabled' : 'disabled'
  if (values.json) printJson(io, { user_id: user.user_id, email: user.email, is_active: active, changed })
  else if (!changed) io.out(`${user.email} was ${word} already`)
  else io.out(active ? `${user.email} is enabled` : `${user.email} is disabled: its sessions have ended, and it cannot sign in`)
  return 0
}

/** Removes the second factor of a user who lost it. */
export async function usersRemoveFactor(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('users remove-factor', commands['users remove-factor'].options, argv, one)
  const { publicUrl, port } = io.config()
  const baseUrl = publicUrl ?? `http://localhost:${port}`
  const { user, removed } = await withDatabase(io, { write: true }, async ({ db }) => {
    const found = await findAccount(db, rest[0] ?? '')
    if (!found) throw unknown()
    return { user: found, removed: await removeUserFactor({ db, baseUrl }, found.user_id, 'operator', io.now()) }
  })
  if (values.json) printJson(io, { user_id: user.user_id, email: user.email, removed })
  else if (!removed) io.out(`${user.email} has no second factor`)
  else io.out(`the second factor of ${user.email} is removed: the password alone is enough to sign in, and the holder gets a mail`)
  return 0
}

/** Allows an account to write expert reviews, or withdraws the permission. */
export async function usersReviewer(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('users reviewer', commands['users reviewer'].options, argv, one)
  const user = await withDatabase(io, { write: true }, async ({ db }) => {
    const found = await findAccount(db, rest[0] ?? '')
    if (!found) throw unknown()
    return await transaction(db, trx => setReviewer(trx, 'operator', found.user_id, values.off !== true, io.now()))
  })
  if (values.json) printJson(io, user)
  else io.out(user.is_reviewer ? `${user.email} writes expert reviews` : `${user.email} does not write expert reviews`)
  return 0
}

const unknown = (): NotFound => new NotFound('no account has this address or id', { hint: 'crossfile users list shows them' })
