// Our log with a witness of another author, a log of another author with our witness, and our cosignatures in libraries of others.
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { buildGoClients, buildTesseraLog, buildTorchwoodWitness, runGoClients } from '#fixtures/receipt-log/clients.ts'
import { aStatementInput } from '#fixtures/receipts/vectors.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { newestCheckpoint } from '#warehouse/store/receipts/log/find-proof.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { type SequenceTools, sequence } from '#warehouse/store/receipts/log/sequence.ts'
import { readLogState } from '#warehouse/store/receipts/log/state.ts'
import { listWitnesses, registerWitnesses, settleWitness, type WitnessAddress, type WitnessRow } from '#warehouse/store/receipts/log/witnesses.ts'
import { issueReceipt } from '#warehouse/store/receipts/receipt.ts'
import { activeSigner, rotateKey } from '#warehouse/store/receipts/rotation.ts'
import { buildStatement } from '#warehouse/store/receipts/statement.ts'
import { insertReceipts } from '#warehouse/store/receipts/store.ts'
import { noteKeyId, verifierKey } from '#warehouse/store/transparency/note.ts'
import { submitCheckpoint, witnessClient } from '../../jobs/worker/send-checkpoints.ts'
import { parseLogList } from './logs-file.ts'
import { witnessServer } from './serve.ts'
import { openWitness } from './store.ts'

const home = mkdtempSync(join(tmpdir(), 'other-authors-'))
const opened: Postgres[] = []
const children: ChildProcess[] = []
const client = witnessClient()
afterAll(async () => {
  for (const child of children) child.kill()
  for (const each of opened) await each.close()
  await client.close()
  rmSync(home, { recursive: true, force: true })
})

async function newLog() {
  const data = mkdtempSync(join(home, 'log-'))
  const postgres = connect(await createTestDatabase())
  opened.push(postgres)
  const { db } = postgres
  const tools: SequenceTools = { db, folder: openLogFolder(data, null), keysFolder: join(data, 'keys'), host: 'crossfile.example' }
  let made = 0
  const grow = async (count: number): Promise<void> => {
    await db.transaction().execute(async trx => {
      const signer = await activeSigner(trx, tools.keysFolder)
      const receipts = Array.from({ length: count }, () => {
        made += 1
        return issueReceipt(buildStatement(aStatementInput({ payload: Buffer.from(`{"n":${made}}`) })), signer)
      })
      await insertReceipts(trx, receipts)
    })
    await sequence(tools)
  }
  const submit = async ({ vkey }: WitnessAddress) => {
    const row = (await listWitnesses(db)).find(each => each.vkey === vkey) as WitnessRow
    const attempt = await submitCheckpoint({ db, folder: tools.folder, send: client.send, now: () => new Date() }, row, AbortSignal.timeout(20_000))
    await settleWitness(db, row, attempt)
    return attempt
  }
  return { data, db, tools, grow, submit, state: () => readLogState(db, openLogFolder(data, null)) }
}

async function serveWitness(folder: string, name: string, list: () => string) {
  const store = openWitness(folder, name)
  const server = witnessServer({ store, logs: () => parseLogList(list()), log: () => {} }, () => Date.now())
  /** The status of each answer. */
  const statuses: number[] = []
  server.on('request', (_request, response) => response.on('finish', () => statuses.push(response.statusCode)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): void => {
    server.closeAllConnections()
    server.close()
    store.close()
  }
  return { vkey: store.vkey, name, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, store, statuses, close }
}

const check = buildGoClients()
const torchwood = buildTorchwoodWitness()
const tessera = buildTesseraLog()
const absent = (built: object): string => ('absent' in built ? ` (skipped: ${String(built.absent)})` : '')

it.skipIf('absent' in check)(
  `is opened by sumdb/note and the cosignature verifiers of transparency-dev, with both keys after a rotation${absent(check)}`,
  async () => {
    if ('absent' in check) return
    const log = await newLog()
    await log.grow(300)
    await rotateKey(log.db, log.tools.keysFolder, { fresh: true })
    await log.grow(5)
    const { keys, origin } = await log.state()
    const list = (): string => `logs/v0\n${keys.map(key => `vkey ${key}\n`).join('')}`
    const witnesses = [
      await serveWitness(join(home, 'one'), 'witness.example/one', list),
      await serveWitness(join(home, 'two'), 'witness.example/two', list),
    ]
    await registerWitnesses(log.db, witnesses)
    for (const witness of witnesses) expect(await log.submit(witness)).toMatchObject({ state: 'ok' })
    const cosigned = {
      checkpoint: await newestCheckpoint(log.db),
      keys,
      witnesses: witnesses.map(each => each.vkey),
      seconds: witnesses.map(each => each.store.newestSeconds()),
    }
    const run = (cases: typeof cosigned) =>
      runGoClients(check.program, join(log.data, 'receipt-log'), origin ?? '', keys[0] ?? '', { proofs: [], consistency: [], cosigned: [cases] })
    expect(run(cosigned)).toEqual({ code: 0, output: 'accepted 0 proofs and 0 consistency proofs\n' })
    expect(run({ ...cosigned, seconds: [1, 2] }).output).toContain('expected 1')
    // One letter of the last cosignature.
    const letters = cosigned.checkpoint.trimEnd()
    const last = letters.at(-9) === 'A' ? 'B' : 'A'
    expect(run({ ...cosigned, checkpoint: `${letters.slice(0, -9)}${last}${letters.slice(-8)}\n` })).toMatchObject({
      code: 1,
      output: expect.stringContaining('cosigned checkpoint 0'),
    })
    for (const each of witnesses) each.close()
  },
)

it.skipIf('absent' in torchwood)(`is cosigned by the witness of filippo.io/torchwood${absent(torchwood)}`, async () => {
  if ('absent' in torchwood) return
  const log = await newLog()
  await log.grow(7)
  const { keys, origin } = await log.state()
  const child = spawn(torchwood.program, [join(home, 'torchwood.db'), 'witness.example/torchwood', origin ?? '', ...keys], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  const [line] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')) as [string]
  const [vkey = '', url = ''] = line.split(' ')
  const witness = { vkey, url, name: 'witness.example/torchwood' }
  await registerWitnesses(log.db, [witness])
  for (const [more, size] of [
    [0, 7],
    [1, 8],
    [300, 308],
  ] as const) {
    if (more > 0) await log.grow(more)
    expect(await log.submit(witness)).toEqual({ state: 'ok', detail: null, size })
  }
  // As after a restored database: it answers 409 with its size, and the next request fits.
  await log.db.updateTable('log_witness').set({ size: 0 }).execute()
  await log.grow(10)
  expect(await log.submit(witness)).toEqual({ state: 'ok', detail: null, size: 318 })
  const other = await newLog()
  await other.grow(320)
  await registerWitnesses(other.db, [witness])
  expect(await other.submit(witness)).toMatchObject({ state: 'refused', detail: expect.stringContaining('status 403') })
})

it.skipIf('absent' in tessera)(`cosigns a log of tessera, which publishes nothing without${absent(tessera)}`, async () => {
  if ('absent' in tessera) return
  const name = 'tessera.example/log'
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  const id = noteKeyId(name, x).toString(16).padStart(8, '0')
  const secret = `PRIVATE+KEY+${name}+${id}+${Buffer.concat([Buffer.from([1]), Buffer.from(d, 'base64url')]).toString('base64')}`
  const witness = await serveWitness(join(home, 'for-tessera'), 'witness.example/ours', () => `logs/v0\nvkey ${verifierKey(name, x)}\n`)
  const run = async (folder: string): Promise<{ readonly code: number; readonly text: string }> => {
    mkdirSync(folder, { recursive: true })
    const child = spawn(tessera.program, [folder, secret, witness.vkey, witness.url, '5'], { stdio: ['ignore', 'pipe', 'ignore'] })
    children.push(child)
    const parts: Buffer[] = []
    child.stdout?.on('data', part => parts.push(part))
    const [code] = (await once(child, 'close')) as [number]
    return { code, text: Buffer.concat(parts).toString('utf8') }
  }
  const first = await run(join(home, 'tessera'))
  expect([first.code, first.text]).toEqual([0, expect.stringMatching(/^tessera\.example\/log\n5\n/)])
  expect(first.text).toContain('— witness.example/ours ')
  expect(witness.store.list()).toMatchObject([{ origin: name, size: 5 }])
  // It goes on where it was; another log with the same key is refused.
  expect((await run(join(home, 'tessera'))).text).toMatch(/^tessera\.example\/log\n10\n/)
  const forked = spawn(tessera.program, [join(home, 'forked'), secret, witness.vkey, witness.url, '1'], { stdio: 'ignore' })
  children.push(forked)
  const before = witness.statuses.length
  for (let tries = 0; tries < 300 && !witness.statuses.slice(before).includes(409); tries += 1) await sleep(100)
  expect(witness.statuses.slice(before)).toContain(409)
  forked.kill()
  expect(witness.store.list()).toMatchObject([{ origin: name, size: 10 }])
  witness.close()
})
