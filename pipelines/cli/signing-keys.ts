// `crossfile signing-keys`: the keys that sign receipts. Each command reports what happened, what it means for existing receipts,
// and what to do next, because an operator may read it for the first time in an emergency.
import { midnight } from '#schemas/days.ts'
import { BadRequest, CrossfileError, NotFound } from '#schemas/errors.ts'
import { Instant } from '#schemas/values.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import { audit } from '#warehouse/people/users/audit.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { countersign, countWaiting } from '#warehouse/store/receipts/countersign.ts'
import { placeKey, readPrivateKey } from '#warehouse/store/receipts/import-key.ts'
import { publicPem } from '#warehouse/store/receipts/keys.ts'
import {
  type Along,
  announceKey,
  checkSigning,
  type Revocation,
  type Rotation,
  revokeKey,
  rotateKey,
  type SigningFault,
} from '#warehouse/store/receipts/rotation.ts'
import { storeSigningKey } from '#warehouse/store/receipts/share-signing-keys.ts'
import { inspectKeyFiles, type KeyFile, signerOf } from '#warehouse/store/receipts/signer.ts'
import { findKeyRows, type KeyRow, listKeys } from '#warehouse/store/receipts/store.ts'
import { dayOf } from '../jobs/backfill/arguments.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, paintState, paragraph, printJson, printTable, some } from './output.ts'
import { writeNewFile } from './write-new-file.ts'

const folderOf = (io: Io): string => keysFolderOf(io.config().dataFolder)

/** Records the change in the audit chain, in its own transaction. */
const audited =
  <T>(io: Io, act: string, subject: (done: T) => string, details: (done: T) => Readonly<Record<string, string | number | null>>): Along<T> =>
  (transaction, done) =>
    audit(transaction, { actor: 'operator', act: `signing_key.${act}`, subject: subject(done), details: details(done) }, io.now())

/** Wrapped lines after a heading word. */
function say(io: Io, first: string, lines: readonly string[], next: readonly string[] = []): void {
  for (const line of paragraph(io, first)) io.out(line)
  for (const each of lines) for (const line of paragraph(io, each, '  - ', '    ')) io.out(line)
  if (next.length === 0) return
  io.out('next:')
  next.forEach((each, at) => {
    for (const line of paragraph(io, each, `  ${at + 1}. `, '     ')) io.out(line)
  })
}

const running = 'Running workers and APIs apply it immediately; no restart is needed.'
const copies = (path: string): string[] => [
  `Back the keys folder up: crossfile backup DIR --keys, or a copy of ${path} in a safe place.`,
  `If workers run on other machines, copy ${path} to each of them (crossfile signing-keys import): until then they cannot sign.`,
]
const publish = 'Publish the public keys again where your readers look for them: crossfile signing-keys export-public.'
const tellWitnesses =
  'Within 24 hours, give the operators of your witnesses the new verifier key (crossfile receipt-log prints it): until then the old key signs checkpoints too.'

/** The row for an id or its beginning; without one, the active key's. */
function keyOf(rows: readonly KeyRow[], requested: string | undefined): KeyRow {
  const hint = 'crossfile signing-keys list shows the ids'
  if (requested === undefined) {
    const active = rows.find(row => row.status === 'active')
    if (active) return active
    throw new BadRequest('no signing key is active', { hint: `name the key: ${hint}` })
  }
  const found = rows.filter(row => row.kid === requested || (requested.length >= 6 && row.kid.startsWith(requested)))
  if (found.length === 1 && found[0]) return found[0]
  if (found.length > 1) throw new BadRequest(`${found.length} signing keys begin with ${requested}`, { hint: 'give more of the id' })
  throw new NotFound(`signing key ${requested.slice(0, 64)} is unknown`, { hint: `give at least six characters of its id; ${hint}` })
}

type Listed = Omit<KeyRow, 'x'> & { readonly file: string | null }

export async function signingKeysList(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('signing-keys list', commands['signing-keys list'].options, argv)
  const folder = folderOf(io)
  const { files, folderFault } = lookAtFiles(folder)
  const found = await withDatabase(io, { write: false }, async ({ db }) => ({
    rows: await findKeyRows(db),
    signing: await checkSigning(db, folder),
    waiting: await countWaiting(db),
  }))
  const keys: Listed[] = found.rows.map(({ x: _x, ...row }) => ({ ...row, file: fileOf(files, row.kid)?.path ?? null }))
  const strangers = files.filter(file => file.fault !== null || !found.rows.some(row => row.kid === file.signer?.kid))
  const { fault } = found.signing
  if (values.json)
    printJson(io, {
      signing: fault === null,
      reason: fault?.message ?? null,
      hint: fault?.hint ?? null,
      waiting_for_second_signature: found.waiting,
      folder,
      keys,
      other_files: strangers.map(file => ({ path: file.path, kid: file.signer?.kid ?? null, fault: file.fault?.message ?? null })),
    })
  else {
    if (keys.length === 0) io.out('no key yet: the first signed answer creates one')
    else {
      const columns = columnsOf(
        'key',
        { head: 'state', paint: paintState(io) },
        '>from release',
        '>to release',
        'revoked from',
        '>receipts',
        'private half',
      )
      const rows = keys.map(key => [
        key.kid,
        key.status,
        key.valid_from,
        key.valid_to,
        key.compromised_from === null ? '-' : exactly(key.compromised_from),
        key.receipts,
        key.file ?? 'not in this folder',
      ])
      printTable(io, columns, rows)
      io.out('')
    }
    if (fault) say(io, `NOT SIGNING: ${fault.message}`, ['Ingestion continues. Answers carry unsigned_reason and no receipt.'], [fault.hint])
    else if (found.signing.kid !== null) io.out('answers are signed')
    if (found.waiting > 0) io.out(`${some(found.waiting, 'receipt')} of revoked keys still need a second signature: a running worker signs them`)
    if (folderFault) io.out(folderFault)
    for (const file of strangers) io.out(`${file.path}: ${file.fault?.message ?? `holds the key ${file.signer?.kid}, which was never used here`}`)
  }
  return fault === null && found.waiting === 0 ? 0 : 1
}

/** To the second, which distinguishes receipts. */
const exactly = (at: string): string => (at === '-infinity' ? 'always' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`)
const fileOf = (files: readonly KeyFile[], kid: string): KeyFile | undefined => files.find(file => file.signer?.kid === kid)

function lookAtFiles(folder: string): { readonly files: readonly KeyFile[]; readonly folderFault: string | null } {
  try {
    return { files: inspectKeyFiles(folder), folderFault: null }
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    return { files: [], folderFault: error.message }
  }
}

export async function signingKeysRotate(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('signing-keys rotate', commands['signing-keys rotate'].options, argv)
  const folder = folderOf(io)
  const { rotation, receipts } = await withDatabase(io, { write: true }, async ({ db }) => {
    const done = await rotateKey(db, folder, { along: rotated(io) })
    await requestRound(db)
    return { rotation: done, receipts: (await findKeyRows(db)).find(row => row.kid === done.retired)?.receipts ?? 0 }
  })
  const path = fileOf(inspectKeyFiles(folder), rotation.signer.kid)?.path ?? folder
  if (values.json) {
    printJson(io, { kid: rotation.signer.kid, path, origin: rotation.origin, release: rotation.release, retired: rotation.retired, receipts })
    return 0
  }
  const origins = { new: 'a new key', pending: 'the key that was pending', unused: 'a key of the folder that had not signed yet' }
  say(
    io,
    `answers are signed by ${rotation.signer.kid} from now on: ${origins[rotation.origin]}, in ${path}`,
    [
      rotation.retired === null
        ? 'No key was active before.'
        : `The key ${rotation.retired} is retired at release ${rotation.release}. Its ${some(receipts, 'receipt stays', 'receipts stay')} valid, online and offline.`,
      'Answers that were left unsigned while no key could be used are signed when they are next requested.',
      running,
    ],
    [...copies(path), publish, ...(io.config().witnesses.length === 0 ? [] : [tellWitnesses])],
  )
  return 0
}

const rotated = (io: Io): Along<Rotation> =>
  audited(
    io,
    'rotate',
    done => done.signer.kid,
    ({ retired, origin, release }) => ({ retired, origin, release }),
  )

export async function signingKeysRevoke(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('signing-keys revoke', commands['signing-keys revoke'].options, argv, { most: 1, areKeyIds: true })
  if (values.from === undefined)
    throw new BadRequest('signing-keys revoke: --from is missing', {
      hint: 'the earliest time at which another person may have had the key, such as --from 2026-11-20T14:00:00Z; if you do not know, choose an early time',
    })
  const from = readTime(values.from)
  const folder = folderOf(io)
  const signal = io.interrupted()
  const done = await withDatabase(io, { write: true }, async ({ db }) => {
    const row = keyOf(await findKeyRows(db), rest[0])
    const along = audited<Revocation>(
      io,
      'revoke',
      ({ kid }) => kid,
      ({ was, from: at, standing, failing }) => ({ was, from: at, valid_before: standing, failing }),
    )
    const revocation = await revokeKey(db, row.kid, from, along)
    // From here on the stolen key is useless, even if a later step fails.
    const next = await takeOver(db, folder, io)
    const second = await countersign(db, folder, signal, signed => io.bar(`${count(signed)} of ${some(revocation.standing, 'receipt')} signed again`))
    io.bar(null)
    await requestRound(db)
    return { revocation, next, second, waiting: await countWaiting(db) }
  })
  return reportRevocation(io, folder, done, values.json)
}

type Next = { readonly rotation: Rotation | null; readonly fault: Pick<SigningFault, 'message' | 'hint'> | null }

/** A new key if none is active; or why none could be created. */
async function takeOver(db: Db, folder: string, io: Io): Promise<Next> {
  if ((await findKeyRows(db)).some(row => row.status === 'active')) return { rotation: null, fault: (await checkSigning(db, folder)).fault }
  try {
    return { rotation: await rotateKey(db, folder, { fresh: true, along: rotated(io) }), fault: null }
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    return { rotation: null, fault: { message: error.message, hint: error.hint ?? 'crossfile signing-keys rotate tries again' } }
  }
}

type Revoked = {
  readonly revocation: Revocation
  readonly next: Next
  readonly second: { readonly signed: number; readonly refused: number }
  readonly waiting: number
}

function reportRevocation(io: Io, folder: string, { revocation, next, second, waiting }: Revoked, json: boolean): number {
  const { kid, was, from, standing, failing, pages } = revocation
  const code = next.fault === null && waiting === 0 ? 0 : 1
  const path = next.rotation === null ? null : (fileOf(inspectKeyFiles(folder), next.rotation.signer.kid)?.path ?? folder)
  if (json) {
    const signing = { new_key: next.rotation?.signer.kid ?? null, path, reason: next.fault?.message ?? null, hint: next.fault?.hint ?? null }
    printJson(io, {
      kid,
      was,
      from,
      valid_before: standing,
      signed_again: second.signed,
      waiting,
      failing,
      answers_to_be_made_again: pages,
      ...signing,
    })
    return code
  }
  const lines = [
    `${some(standing, 'receipt')} that this database stored before ${exactly(from)} ${standing === 1 ? 'stays' : 'stay'} valid under the same id: ${some(second.signed, 'was', 'were')} signed again by the active key.`,
    `Bundles that readers saved earlier carry the stolen key's signature and fail with key_compromised against the new key set. Readers fetch the bundle again.`,
    `${some(failing, 'receipt')} stored since then ${failing === 1 ? 'verifies' : 'verify'} as key_compromised. ${some(pages, 'answer')} of them ${pages === 1 ? 'is' : 'are'} made from the lake and signed again, under the same id, when they are next requested.`,
    ...(next.rotation === null ? [] : [`Answers are signed by the new key ${next.rotation.signer.kid}, in ${path}.`]),
    running,
  ]
  const todo = [
    ...(next.fault === null ? [] : [`NOT SIGNING: ${next.fault.message}. ${next.fault.hint}.`]),
    ...(waiting === 0 ? [] : [`${some(waiting, 'receipt')} still need the second signature: a running worker signs them.`]),
    ...(second.refused === 0
      ? []
      : [`${some(second.refused, 'receipt')} do not match their statement and were not signed: the database was changed.`]),
    `Find out how the key leaked. If the keys folder or a backup of it was read, the other keys in it are exposed too: docs/signing-keys.md.`,
    ...(path === null ? [] : copies(path)),
    `Tell your readers: the key ${kid} is void from ${exactly(from)} on. ${publish}`,
  ]
  say(io, `the key ${kid} is revoked from ${exactly(from)} on`, lines, todo)
  return code
}

/** An instant, a day (its first moment in UTC) or `now`. */
function readTime(text: string): string {
  if (text === 'now') return text
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return midnight(dayOf('--from', text))
  const offset = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d:\d\d)$/.exec(text)
  const at = offset ? new Date(text) : null
  if (at === null || Number.isNaN(at.getTime()) || !Instant.safeParse(at.toISOString()).success)
    throw new BadRequest(`--from ${text}: expected a time with its zone`, {
      hint: 'such as 2026-11-20T14:00:00Z, 2026-11-20T09:00:00-05:00, 2026-11-20 (in UTC) or now',
    })
  dayOf('--from', text.slice(0, 10))
  return at.toISOString()
}

export async function signingKeysImport(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 1, most: 1, what: 'the file of the private key' }
  const { values, rest } = readArguments('signing-keys import', commands['signing-keys import'].options, argv, about)
  const file = rest[0] ?? ''
  const key = readPrivateKey(file)
  const folder = folderOf(io)
  const kid = signerOf(key).kid
  const { status, placed } = await withDatabase(io, { write: true }, async ({ db }) => {
    const state = await announceKey(
      db,
      signerOf(key),
      audited<string>(
        io,
        'import',
        done => done,
        () => ({}),
      ),
    )
    const copied = placeKey(folder, key)
    await storeSigningKey(db, folder, kid)
    await requestRound(db)
    return { status: state, placed: copied }
  })
  if (values.json) {
    printJson(io, { kid, status, path: placed.path, added: placed.added })
    return 0
  }
  const where = placed.added ? `is in ${placed.path}` : `was in ${placed.path} already`
  if (status === 'active')
    say(
      io,
      `the key ${kid} ${where}; it is the key that signs`,
      ['This machine signs with it from now on.', 'Answers that were left unsigned are signed when they are next requested.', running],
      [`Remove ${file} if nothing else needs it.`, 'crossfile signing-keys list shows that answers are signed.'],
    )
  else
    say(
      io,
      `the key ${kid} ${where}; it is published as pending and signs nothing yet`,
      ['No receipt changes. The active key continues to sign.'],
      [
        'When your readers have the new public key: crossfile signing-keys rotate begins to sign with it.',
        `Remove ${file} if nothing else needs it.`,
      ],
    )
  return 0
}

export async function signingKeysExportPublic(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('signing-keys export-public', commands['signing-keys export-public'].options, argv, {
    most: 1,
    areKeyIds: true,
  })
  const { rows, keySet } = await withDatabase(io, { write: false }, async ({ db }) => ({ rows: await findKeyRows(db), keySet: await listKeys(db) }))
  const one = values.pem || rest[0] !== undefined ? keyOf(rows, rest[0]) : null
  const text =
    values.pem && one
      ? publicPem(one.x).trimEnd()
      : JSON.stringify({ keys: one ? keySet.keys.filter(key => key.kid === one.kid) : keySet.keys }, null, 2)
  if (values.out === undefined) io.out(text)
  else {
    writeNewFile(values.out, `${text}\n`)
    io.err(`${values.out}: ${values.pem ? `the public key ${one?.kid}` : some(one ? 1 : keySet.keys.length, 'public key')}`)
  }
  return 0
}
