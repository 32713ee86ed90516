// A log and its witnesses together: the sequencer signs, the worker sends, a witness of this repository cosigns; and witnesses that are slow,
// dead or lie, forked and restored logs.
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { storeReceipts } from '#fixtures/receipts/store-receipts.ts'
import { aStatementInput } from '#fixtures/receipts/vectors.ts'
import { COSIGNER_KEY, printVerifierKey } from '#schemas/verifier-key.ts'
import { connect, type Db, type Postgres } from '#warehouse/store/postgres.ts'
import { findBundle, findVerification } from '#warehouse/store/receipts/find-bundle.ts'
import { findProof, newestCheckpoint } from '#warehouse/store/receipts/log/find-proof.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { type SequenceTools, sequence } from '#warehouse/store/receipts/log/sequence.ts'
import { readLogState } from '#warehouse/store/receipts/log/state.ts'
import { claimWitnesses, listWitnesses, registerWitnesses, settleWitness, type WitnessRow } from '#warehouse/store/receipts/log/witnesses.ts'
import { issueReceipt, type Receipt } from '#warehouse/store/receipts/receipt.ts'
import { activeSigner, revokeKey, rotateKey } from '#warehouse/store/receipts/rotation.ts'
import { inspectKeyFiles, signerOf } from '#warehouse/store/receipts/signer.ts'
import { buildStatement } from '#warehouse/store/receipts/statement.ts'
import { insertReceipts } from '#warehouse/store/receipts/store.ts'
import { verifyBundle } from '#warehouse/store/receipts/verify-offline.mjs'
import { readCheckpointHead } from '#warehouse/store/transparency/checkpoint.ts'
import { cosign, cosignerKey } from '#warehouse/store/transparency/cosignature.ts'
import { parseNote } from '#warehouse/store/transparency/note.ts'
import { type SendToWitness, sendCheckpoints, submitCheckpoint, witnessClient } from '../../jobs/worker/send-checkpoints.ts'
import { parseLogList } from './logs-file.ts'
import { witnessServer } from './serve.ts'
import { openWitness, type WitnessStore } from './store.ts'

const opened: Postgres[] = []
const folders: string[] = []
const servers: Server[] = []
const stores: WitnessStore[] = []
afterAll(async () => {
  for (const each of opened) await each.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  for (const store of stores.splice(0)) store.close()
})
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'witnessing-'))
  folders.push(folder)
  return folder
}

type Log = { readonly postgres: Postgres; readonly db: Db; readonly data: string; readonly tools: SequenceTools }
async function newLog(data = newFolder()): Promise<Log> {
  const postgres = connect(await createTestDatabase())
  opened.push(postgres)
  const { db } = postgres
  return { postgres, db, data, tools: { db, folder: openLogFolder(data, null), keysFolder: join(data, 'keys'), host: 'crossfile.example' } }
}
/** Adds receipts, each with a different answer, and sequences them. */
async function grow({ db, tools }: Log, count: number): Promise<Receipt[]> {
  const receipts = await storeReceipts(db, tools.keysFolder, count)
  expect((await sequence(tools)).fault).toBeNull()
  return receipts
}

type Running = {
  readonly vkey: string
  readonly name: string
  readonly url: string
  readonly store: WitnessStore
  readonly folder: string
  readonly lines: string[]
}
async function serve(server: Server): Promise<string> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
/** A witness of this repository that follows the log with its present keys. */
async function aWitnessOf(log: Log, name = 'witness.example/one', now = () => Date.now()): Promise<Running> {
  const folder = newFolder()
  const store = openWitness(join(folder, 'state'), name)
  stores.push(store)
  const lines: string[] = []
  const logs = async () =>
    parseLogList(`logs/v0\n${(await readLogState(log.db, openLogFolder(log.data, null))).keys.map(key => `vkey ${key}\n`).join('')}`)
  const known = await logs()
  const url = await serve(witnessServer({ store, logs: () => known, log: (level, message) => lines.push(`${level} ${message}`) }, now))
  return { vkey: store.vkey, name, url, store, folder, lines }
}
const now = (): Date => new Date()
const client = witnessClient()
afterAll(() => client.close())
async function submit(log: Log, witness: { readonly vkey: string }, send: SendToWitness = client.send) {
  const row = (await listWitnesses(log.db)).find(each => each.vkey === witness.vkey) as WitnessRow
  const attempt = await submitCheckpoint({ db: log.db, folder: log.tools.folder, send, now }, row, AbortSignal.timeout(20_000))
  await settleWitness(log.db, row, attempt)
  return attempt
}
/** A witness whose answers the test writes. */
async function aLiar(answer: (body: string, response: ServerResponse) => void, name = 'witness.example/liar') {
  const signer = signerOf(generateKeyPairSync('ed25519').privateKey)
  const vkey = printVerifierKey({ name, algorithm: COSIGNER_KEY, x: signer.x })
  const url = await serve(
    createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      answer(Buffer.concat(parts).toString('utf8'), response)
    }),
  )
  const line = (body: string, seconds: number, key = signer): string =>
    cosign(readCheckpointHead(body.slice(body.indexOf('\n\n') + 2)).text, seconds, { name, x: key.x, sign: key.sign })
  return { vkey, name, url, line }
}

let log: Log
beforeEach(async () => {
  log = await newLog()
})

it('gets a cosignature for each checkpoint, which bundles and the newest checkpoint carry and the proof does not', async () => {
  const [first] = (await grow(log, 5)) as [Receipt]
  const before = await findProof(log.db, log.tools.folder, first.receipt_id)
  const witness = await aWitnessOf(log)
  await registerWitnesses(log.db, [witness])
  expect(await submit(log, witness)).toEqual({ state: 'ok', detail: null, size: 5 })
  await grow(log, 300)
  const second = await aWitnessOf(log, 'witness.example/two')
  await registerWitnesses(log.db, [witness, second])
  expect(await submit(log, witness)).toMatchObject({ state: 'ok', size: 305 })
  expect(await submit(log, second)).toMatchObject({ state: 'ok', size: 305 })
  expect(await findProof(log.db, log.tools.folder, first.receipt_id)).toEqual(before)
  // The bundle has the checkpoint that both cosigned, not the first one.
  const bundle = await findBundle(log.db, log.tools.folder, first.receipt_id)
  expect(bundle.verification).toMatchObject({ valid: true, checks: { cosignatures: true }, log: { index: expect.any(Number), size: 305 } })
  const keys = [witness.vkey, second.vkey]
  expect(verifyBundle(bundle.bytes, { witnesses: { keys } })).toMatchObject({
    valid: true,
    checks: { cosignatures: true, inclusion: true, checkpoint: true },
  })
  expect(verifyBundle(bundle.bytes)).toMatchObject({ valid: true, checks: { cosignatures: 'not_checked' } })
  const { verification, proof } = await findVerification(log.db, log.tools.folder, first.receipt_id)
  expect([proof, verification.valid, verification.cosignatures.map(each => each.witness).sort()]).toEqual([before?.text, true, [...keys].sort()])
  const { signatures } = parseNote(await newestCheckpoint(log.db))
  expect(signatures.map(each => each.name)).toEqual([
    expect.stringContaining('crossfile.example'),
    ...[witness, second].sort((a, b) => (a.vkey < b.vkey ? -1 : 1)).map(each => each.name),
  ])
  expect((await readLogState(log.db, openLogFolder(log.data, null))).witnesses).toMatchObject([
    { name: 'witness.example/one', state: 'ok', size: 305, failures: 0 },
    { name: 'witness.example/two', state: 'ok', size: 305 },
  ])
})

it('learns the size that a witness knows from its answer, and sends to one from one worker at a time', async () => {
  await grow(log, 10)
  const witness = await aWitnessOf(log)
  await registerWitnesses(log.db, [witness])
  expect((await submit(log, witness)).size).toBe(10)
  await grow(log, 10)
  // As after a restored database: the row does not know what the witness cosigned.
  await log.db.updateTable('log_witness').set({ size: 0 }).execute()
  expect(await submit(log, witness)).toMatchObject({ state: 'ok', size: 20 })
  await log.db.updateTable('log_witness').set({ next_at: '-infinity' }).execute()
  expect(await claimWitnesses(log.db)).toEqual([])
  await grow(log, 1)
  const claims = await Promise.all([claimWitnesses(log.db), claimWitnesses(log.db), claimWitnesses(log.db)])
  expect(claims.flat()).toHaveLength(1)
})

it('takes no cosignature that is not one of the witness over this checkpoint', async () => {
  await grow(log, 3)
  const seconds = Math.floor(Date.now() / 1000)
  const stranger = signerOf(generateKeyPairSync('ed25519').privateKey)
  type Answer = (body: string, response: ServerResponse) => void
  let answer: Answer = () => {}
  const liar = await aLiar((body, response) => answer(body, response))
  await registerWitnesses(log.db, [liar])
  const end =
    (status: number, text: (body: string) => string, headers: Record<string, string> = {}): Answer =>
    (body, response) =>
      void response.writeHead(status, headers).end(text(body))
  const answers: readonly (readonly [string, Answer, string])[] = [
    ['wrong', end(200, () => ''), 'has 0 signatures'],
    ['wrong', end(200, () => 'nothing\n'), 'malformed'],
    ['wrong', end(200, body => liar.line(body, seconds).slice(0, -1)), 'line end'],
    ['wrong', end(200, body => liar.line(body, seconds, stranger)), 'has none of the key'],
    ['wrong', end(200, body => liar.line(body.replace('\n3\n', '\n4\n'), seconds)), 'does not verify'],
    ['wrong', end(200, body => liar.line(body, seconds + 3_600)), 'in the future'],
    ['unreachable', end(200, () => 'x'.repeat(100_000)), 'more than 16384 bytes'],
    ['unreachable', end(302, () => '', { location: 'http://127.0.0.1:1/' }), 'redirects are not followed'],
    ['unreachable', end(500, () => ''), 'status 500'],
    ['unreachable', (_body, response) => void response.destroy(), 'did not answer'],
    ['refused', end(403, () => ''), 'must add the verifier key'],
    ['refused', end(404, () => ''), 'does not follow this log'],
    ['refused', end(422, () => ''), 'restored or forked'],
    ['refused', end(409, () => '3\n', { 'content-type': 'text/plain' }), 'does not state its size'],
    ['refused', end(409, () => '4\n', { 'content-type': 'text/x.tlog.size' }), 'larger than the log'],
    ['wrong', end(409, () => '0\n', { 'content-type': 'text/x.tlog.size' }), 'that was sent'],
    ['refused', end(409, () => '3\n', { 'content-type': 'text/x.tlog.size' }), 'another root'],
  ]
  for (const [at, [state, next, detail]] of answers.entries()) {
    answer = next
    expect([at, await submit(log, liar)]).toMatchObject([at, { state, detail: expect.stringContaining(detail) }])
    await log.db.updateTable('log_witness').set({ size: 0 }).execute()
  }
  expect(await log.db.selectFrom('log_cosignature').selectAll().execute()).toEqual([])
  expect((await listWitnesses(log.db))[0]?.failures).toBe(answers.length)
  const key = cosignerKey(liar.vkey)
  answer = end(200, body => `${liar.line(body, seconds, stranger)}${liar.line(body, seconds)}`)
  expect(await submit(log, liar)).toMatchObject({ state: 'ok', size: 3 })
  expect((await log.db.selectFrom('log_cosignature').select('line').execute()).map(each => each.line.split(' ')[1])).toEqual([key.name])
})

it('keeps a slow, a dead and a lying witness from delaying anything, and logs each state once', async () => {
  await grow(log, 4)
  const good = await aWitnessOf(log, 'witness.example/good')
  const slow = await aLiar(() => {}, 'witness.example/slow')
  const wrong = await aLiar((_body, response) => void response.end('nothing\n'), 'witness.example/wrong')
  const dead = { ...(await aLiar(() => {}, 'witness.example/dead')), url: 'http://127.0.0.1:1' }
  const stop = new AbortController()
  const lines: string[] = []
  const config = { dataFolder: log.data, witnesses: [good, slow, wrong, dead].map(({ vkey, name, url }) => ({ vkey, name, url })) }
  const sending = sendCheckpoints(
    { postgres: log.postgres, config, log: (level, message) => lines.push(`${level} ${message}`), folder: log.tools.folder },
    stop.signal,
    now,
    // The slow one is given up after the test only, however slow the machine is.
    witnessClient(600_000),
  )
  const stateOf = async (name: string) => (await listWitnesses(log.db)).find(each => each.name.endsWith(name))?.state
  for (let tries = 0; tries < 200 && (await stateOf('dead')) !== 'unreachable'; tries += 1) await sleep(100)
  for (let tries = 0; tries < 200 && (await stateOf('wrong')) !== 'wrong'; tries += 1) await sleep(100)
  // The slow one has not answered yet, and the others and the sequencer went on.
  expect(await stateOf('slow')).toBe('waiting')
  expect(await stateOf('good')).toBe('ok')
  await grow(log, 2)
  await log.db.updateTable('log_witness').set({ next_at: '-infinity' }).where('name', '!=', slow.name).execute()
  for (let tries = 0; tries < 200 && (await listWitnesses(log.db)).find(each => each.name === good.name)?.size !== 6; tries += 1) await sleep(100)
  for (let tries = 0; tries < 200 && ((await listWitnesses(log.db)).find(each => each.name === wrong.name)?.failures ?? 0) < 2; tries += 1)
    await sleep(100)
  stop.abort()
  await sending
  expect(lines.filter(line => line.includes(good.name))).toEqual([`info the witness ${good.name} cosigns the receipt log`])
  expect(lines.filter(line => line.includes(wrong.name))).toEqual([expect.stringMatching(/^warn the witness \S+ does not cosign the receipt log: /)])
  expect(lines.filter(line => line.includes(dead.name))).toEqual([expect.stringContaining('ECONNREFUSED')])
  expect(lines.filter(line => line.includes(slow.name))).toEqual([])
  // Without witnesses, the list is emptied and nothing runs.
  await sendCheckpoints(
    { postgres: log.postgres, config: { ...config, witnesses: [] }, log: () => {}, folder: log.tools.folder },
    AbortSignal.timeout(60_000),
  )
  expect(await listWitnesses(log.db)).toEqual([])
})

it('shows a log that was restored with its folder, and continued to another tree: no witness cosigns it', async () => {
  await grow(log, 6)
  const witness = await aWitnessOf(log)
  await registerWitnesses(log.db, [witness])
  expect(await submit(log, witness)).toMatchObject({ state: 'ok', size: 6 })
  // A second installation with the same key and name, as one that was restored from before the first receipt: it cannot notice it itself.
  const data = newFolder()
  cpSync(join(log.data, 'keys'), join(data, 'keys'), { recursive: true })
  const restored = await newLog(data)
  await grow(restored, 4)
  await registerWitnesses(restored.db, [witness])
  expect(await submit(restored, witness)).toEqual({
    state: 'refused',
    detail: expect.stringContaining('larger than the log: the log was restored or forked'),
    size: 6,
  })
  await grow(restored, 2)
  expect(await submit(restored, witness)).toMatchObject({
    state: 'refused',
    detail: expect.stringContaining('another root for 6 entries: the log was forked'),
  })
  await grow(restored, 3)
  expect(await submit(restored, witness)).toMatchObject({ state: 'refused', detail: expect.stringContaining('does not extend the tree') })
  expect(readdirSync(join(witness.folder, 'state', 'evidence')).map(file => file.split('-').slice(0, 2).join('-'))).toEqual([
    'fork-6',
    'inconsistent-6',
  ])
  expect(witness.lines.some(line => line.startsWith('error refused a checkpoint'))).toBe(true)
  // The first log continues.
  await grow(log, 1)
  expect(await submit(log, witness)).toMatchObject({ state: 'ok', size: 7 })
  expect((await listWitnesses(restored.db))[0]).toMatchObject({ state: 'refused', succeeded_at: null })
})

it('does not take a cosignature of a witness whose clock jumped ahead, nor does a witness sign with one that jumped back', async () => {
  await grow(log, 2)
  let offset = 400_000_000
  const witness = await aWitnessOf(log, 'witness.example/one', () => Date.now() + offset)
  await registerWitnesses(log.db, [witness])
  expect(await submit(log, witness)).toMatchObject({ state: 'wrong', detail: expect.stringContaining('in the future') })
  offset = 0
  expect(await submit(log, witness)).toMatchObject({ state: 'unreachable', detail: expect.stringContaining('status 503') })
  expect(await log.db.selectFrom('log_cosignature').selectAll().execute()).toEqual([])
})

it('is followed from the old key to the new one, because both sign for a day; a revoked key signs nothing', async () => {
  await grow(log, 2)
  const { db, tools } = log
  const knowsOldKey = await aWitnessOf(log)
  const old = await db.selectFrom('signing_key').select(['kid', 'x']).executeTakeFirstOrThrow()
  await rotateKey(db, tools.keysFolder, { fresh: true })
  await grow(log, 2)
  await registerWitnesses(db, [knowsOldKey])
  expect(await submit(log, knowsOldKey)).toMatchObject({ state: 'ok' })
  const signersOf = async (): Promise<number> =>
    parseNote((await db.selectFrom('log_checkpoint').select('note').orderBy('size', 'desc').limit(1).executeTakeFirstOrThrow()).note).signatures
      .length
  expect(await signersOf()).toBe(2)
  // The change of the keys is an entry below a checkpoint that both keys signed.
  const change = await db.selectFrom('log_entry').select('index').where('kind', '=', 'keys').executeTakeFirstOrThrow()
  const covering = await db
    .selectFrom('log_checkpoint')
    .select('note')
    .where('size', '>', change.index)
    .orderBy('size')
    .limit(1)
    .executeTakeFirstOrThrow()
  expect(parseNote(covering.note).signatures).toHaveLength(2)
  const day = 24 * 60 * 60 * 1000
  const later = async (ms: number): Promise<void> => {
    const retired = await db.selectFrom('signing_key').select('retired_at').where('kid', '=', old.kid).executeTakeFirstOrThrow()
    await db.transaction().execute(async trx => {
      await insertReceipts(trx, [
        issueReceipt(buildStatement(aStatementInput({ payload: Buffer.from(`{"late":${ms}}`) })), await activeSigner(trx, tools.keysFolder)),
      ])
    })
    expect((await sequence({ ...tools, now: new Date(Date.parse(retired.retired_at ?? '') + ms) })).added).toBeGreaterThan(0)
  }
  await later(day - 1_000)
  expect(await signersOf()).toBe(2)
  await later(day + 1_000)
  expect(await signersOf()).toBe(1)
  expect(await submit(log, knowsOldKey)).toMatchObject({ state: 'refused', detail: expect.stringContaining('must add the verifier key') })
  await revokeKey(db, old.kid, 'now')
  await grow(log, 1)
  expect(await signersOf()).toBe(1)
  await rotateKey(db, tools.keysFolder, { fresh: true })
  await grow(log, 1)
  expect(await signersOf()).toBe(2)
  await revokeKey(db, (await db.selectFrom('signing_key').select('kid').where('status', '=', 'retired').executeTakeFirstOrThrow()).kid, 'now')
  await grow(log, 1)
  expect(await signersOf()).toBe(1)
  // A key whose file is gone does not keep the other from signing.
  await rotateKey(db, tools.keysFolder, { fresh: true })
  const file = inspectKeyFiles(tools.keysFolder).at(-2)?.path ?? ''
  rmSync(file)
  await grow(log, 1)
  expect(await signersOf()).toBe(1)
})
