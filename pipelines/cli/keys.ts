// `crossfile keys`: creates the operator's API keys, and lists and revokes those of all users. The text of a key is printed once and
// never stored.
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { scopes } from '#schemas/operations.ts'
import { Tier } from '#schemas/plans.ts'
import { type ApiKey, createKey, listKeys, revokeKey } from '#warehouse/people/accounts/keys.ts'
import { oneOf, readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, paintState, printJson, printTable, relative } from './output.ts'

const tiers = Tier.options.filter(tier => tier !== 'anonymous')

export async function keysCreate(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('keys create', commands['keys create'].options, argv)
  if (values.name === undefined) throw new BadRequest('keys create: --name is missing', { hint: 'what the key is for, such as --name spreadsheet' })
  const wanted = {
    name: values.name,
    tier: values.tier === undefined ? ('core' as const) : oneOf('--tier', values.tier, tiers),
    days: values['expires-days'] === 'never' ? null : wholeNumber('--expires-days', values['expires-days'], { from: 1, to: 36_500, otherwise: 365 }),
    ...(values.scopes === undefined ? {} : { scopes: values.scopes.split(',').map(scope => oneOf('--scopes', scope.trim(), scopes)) }),
  }
  const { text, key } = await withDatabase(io, { write: true }, ({ db }) => createKey(db, wanted, io.now()))
  if (values.json) printJson(io, { key: text, ...key })
  else {
    io.out(text)
    io.err(
      `key ${key.key_id} (${key.name}): tier ${key.tier}, scopes ${key.scopes.join(', ')}, ${key.expires_at ? `expires ${moment(key.expires_at)}` : 'never expires'}`,
    )
    io.err('It is shown only now; only its hash is stored.')
  }
  return 0
}

const stateOf = (key: ApiKey, now: Date): string =>
  key.revoked_at ? 'revoked' : key.expires_at && new Date(key.expires_at) <= now ? 'expired' : (key.halted ?? 'ok')

export async function keysList(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('keys list', commands['keys list'].options, argv)
  const keys = await withDatabase(io, { write: false }, ({ db }) => listKeys(db))
  if (values.json) printJson(io, { keys })
  else if (keys.length === 0) io.out('no keys; crossfile keys create --name NAME creates one')
  else {
    const now = io.now()
    const ago = (at: string | null, otherwise: string): string => (at === null ? otherwise : relative(new Date(at), now))
    const columns = columnsOf('id', 'ends in', '*name', 'tier', { head: 'state', paint: paintState(io) }, 'scopes', 'created', 'expires', 'last used')
    const rows = keys.map(key => [
      key.key_id,
      key.last4,
      key.name,
      key.tier,
      stateOf(key, now),
      key.scopes.join(','),
      ago(key.created_at, ''),
      ago(key.expires_at, 'never'),
      ago(key.last_used_at, 'never'),
    ])
    printTable(io, columns, rows)
  }
  return 0
}

export async function keysRevoke(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('keys revoke', commands['keys revoke'].options, argv, { least: 1, most: 1, what: 'the id of the key' })
  const key = await withDatabase(io, { write: true }, async ({ db }) => revokeKey(db, idOf(await listKeys(db), rest[0] ?? ''), io.now()))
  if (values.json) printJson(io, key)
  else io.out(`key ${key.key_id} (${key.name}, ends in ${key.last4}) is revoked since ${moment(key.revoked_at ?? io.now())}`)
  return 0
}

/** The given id, or that of the one live key whose text ends with it. */
function idOf(keys: readonly ApiKey[], requested: string): string {
  if (keys.some(key => key.key_id === requested)) return requested
  const ending = keys.filter(key => key.last4 === requested)
  const live = ending.filter(key => key.revoked_at === null)
  if (live.length > 1)
    throw new BadRequest(`${live.length} live keys end in ${requested}`, { hint: `give the id: ${live.map(key => key.key_id).join(', ')}` })
  const found = live[0] ?? ending[0]
  if (found) return found.key_id
  throw new NotFound(`no key ${requested}`, { hint: 'crossfile keys list shows ids and last characters' })
}
