// `crossfile admin`: the administrators of this installation. Creating one prints the second factor and the recovery codes, once.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { findAdmins, setAdmin } from '#warehouse/people/admin/people.ts'
import { enrolNow, factorOf } from '#warehouse/people/admin/second-factor.ts'
import { openSealKey, sealKeyName } from '#warehouse/people/admin/secret-key.ts'
import { audit, pseudonymOf } from '#warehouse/people/users/audit.ts'
import { emailKey } from '#warehouse/people/users/email.ts'
import { checkNewPassword } from '#warehouse/people/users/password-rules.ts'
import { openPasswords, pepperName } from '#warehouse/people/users/passwords.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { checkKeyFiles, replaceKeyFiles } from '#warehouse/store/key-fingerprints.ts'
import { type Db, transaction } from '#warehouse/store/postgres.ts'
import { sharedKeyName } from '#warehouse/store/shared-keys.ts'
import { readArguments } from './arguments.ts'
import { askSecret } from './ask-secret.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, printJson, printTable, relative } from './output.ts'

const who = { least: 1, most: 1, what: 'the address' } as const

export async function adminCreate(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('admin create', commands['admin create'].options, argv, who)
  const email = rest[0] ?? ''
  if (!z.email().max(254).safeParse(email).success)
    throw new BadRequest(`${email.slice(0, 64)} is not an e-mail address`, { hint: 'such as jane.roe@example.org' })
  const folder = keysFolderOf(io.config().dataFolder)
  const made = await withDatabase(io, { write: true }, async ({ db }) => {
    await checkKeyFiles(db, folder, [pepperName, sealKeyName], { makes: true })
    const known = await db.selectFrom('app_user').select('password_hash').where('email_key', '=', emailKey(email)).executeTakeFirst()
    let hash: string | null = null
    if (values.password || !known?.password_hash) {
      const password = await askSecret(`password of ${email} (12 characters or more): `)
      checkNewPassword(password, 'password', [email])
      hash = await openPasswords(folder).hash(password)
    }
    return await makeAdmin(db, folder, email, hash, io.now())
  })
  if (values.json) printJson(io, made)
  else {
    io.out(`${made.email} is an administrator (${made.user_id}${made.created ? ', a new account' : ''}).`)
    io.out('')
    io.out('Second factor, for an authenticator:')
    io.out(`  secret  ${made.secret.match(/.{4}/g)?.join(' ') ?? made.secret}`)
    io.out(`  ${made.otpauth_uri}`)
    io.out('')
    io.out('Recovery codes; each replaces one code, once:')
    for (let at = 0; at < made.recovery_codes.length; at += 2) io.out(`  ${made.recovery_codes.slice(at, at + 2).join('   ')}`)
    io.err('They are shown only now. Sign in: POST /api/v1/admin/login with email, password and totp_code.')
  }
  return 0
}

async function makeAdmin(db: Db, folder: string, email: string, hash: string | null, now: Date) {
  const key = openSealKey(folder)
  return await transaction(db, async trx => {
    const at = now.toISOString()
    const fresh = { user_id: `u_${randomBytes(9).toString('base64url')}`, email, email_key: emailKey(email), subject_key: randomBytes(32) }
    const row = await trx
      .insertInto('app_user')
      .values({ ...fresh, password_hash: hash, email_verified_at: at, created_at: at, tier_since: at })
      .onConflict(conflict => conflict.column('email_key').doNothing())
      .returning('user_id')
      .executeTakeFirst()
    const user = await trx
      .selectFrom('app_user')
      .select(['user_id', 'email', 'is_active', 'erasure_requested_at', 'subject_key'])
      .where('email_key', '=', fresh.email_key)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (!user.is_active || user.erasure_requested_at !== null)
      throw new BadRequest(`${user.email} is ${user.is_active ? 'being erased' : 'disabled'}`, { hint: 'crossfile users show has the details' })
    if (hash !== null && !row) await trx.updateTable('app_user').set({ password_hash: hash }).where('user_id', '=', user.user_id).execute()
    await setAdmin(trx, 'operator', user.user_id, true, now)
    const factor = await enrolNow(trx, key, user, now)
    // End every session that was opened with the previous factor or password.
    await trx
      .deleteFrom('user_session')
      .where('user_id', '=', user.user_id)
      .$if(hash === null, query => query.where('kind', '=', 'admin'))
      .execute()
    const details = { new_account: row !== undefined, new_password: hash !== null, recovery_codes: factor.recovery_codes.length }
    await audit(trx, { actor: 'operator', act: 'admin.second_factor', subject: pseudonymOf(user), details }, now)
    return { user_id: user.user_id, email: user.email, created: row !== undefined, ...factor }
  })
}

export async function adminList(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('admin list', commands['admin list'].options, argv)
  const admins = await withDatabase(io, { write: false }, async ({ db }) => {
    const found = await findAdmins(db)
    return await Promise.all(
      found.map(async ({ id, email, is_active, created_at, last_login_at }) => ({
        user_id: id,
        email,
        is_active,
        created_at,
        last_login_at,
        ...(await factorOf(db, id)),
      })),
    )
  })
  if (values.json) printJson(io, { admins })
  else if (admins.length === 0) io.out('there is no administrator; crossfile admin create EMAIL makes one')
  else {
    const columns = columnsOf('id', '*email', 'second factor', '>recovery codes', 'signed in')
    const rows = admins.map(each => [
      each.user_id,
      each.is_active ? each.email : `${each.email} (disabled)`,
      each.enrolled ? 'enrolled' : 'not yet',
      each.recovery_codes_left,
      each.last_login_at === null ? 'never' : relative(new Date(each.last_login_at), io.now()),
    ])
    printTable(io, columns, rows)
  }
  return 0
}

export async function adminRevoke(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('admin revoke', commands['admin revoke'].options, argv, { ...who, what: 'the address or id' })
  const requested = rest[0] ?? ''
  const user = await withDatabase(io, { write: true }, ({ db }) =>
    transaction(db, async trx => {
      const found = (await findAdmins(trx)).find(each => each.id === requested || emailKey(each.email) === emailKey(requested))
      if (!found) throw new NotFound(`no administrator ${requested.slice(0, 64)}`, { hint: 'crossfile admin list shows them' })
      return await setAdmin(trx, 'operator', found.id, false, io.now())
    }),
  )
  if (values.json) printJson(io, { user_id: user.id, email: user.email, is_admin: user.is_admin })
  else io.out(`${user.email} is no longer an administrator: admin sessions ended, second factor removed. The account is kept.`)
  return 0
}

/** Makes new keys for those that the folder lacks, and forgets what only the lost ones open. */
export async function adminReplaceKeys(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('admin replace-keys', commands['admin replace-keys'].options, argv)
  const folder = keysFolderOf(io.config().dataFolder)
  const replaced = await withDatabase(io, { write: true }, ({ db }) =>
    transaction(db, async trx => {
      const names = await replaceKeyFiles(trx, folder, [pepperName, sealKeyName, sharedKeyName])
      if (names.length === 0) throw new BadRequest(`${folder} has the keys of the database: none is replaced`)
      await audit(trx, { actor: 'operator', act: 'keys.replace', subject: 'keys', details: { keys: names.join(', ') } }, io.now())
      return names
    }),
  )
  if (values.json) printJson(io, { replaced, folder })
  else {
    io.out(`${folder} has new keys: ${replaced.join(', ')}.`)
    io.out('No password works until its user sets a new one by mail; second factors must be set up again:')
    io.out('crossfile admin create EMAIL --password for each administrator, crossfile users remove-factor EMAIL for a user who has one.')
  }
  return 0
}
