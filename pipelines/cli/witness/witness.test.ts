// A witness over HTTP: what it cosigns and refuses, as C2SP tlog-witness requires, and what its folder keeps.
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { testFolders } from '#fixtures/test-folder.ts'
import { type Signer, signerOf } from '#warehouse/store/receipts/signer.ts'
import { printAddCheckpoint } from '#warehouse/store/transparency/add-checkpoint.ts'
import { checkpointText } from '#warehouse/store/transparency/checkpoint.ts'
import { cosignedAt, cosignerKey } from '#warehouse/store/transparency/cosignature.ts'
import { consistencyProof, hashOfRange, leafHash, nodeHash, type ReadNode } from '#warehouse/store/transparency/merkle.ts'
import { parseSignatures, signNote, verifierKey } from '#warehouse/store/transparency/note.ts'
import { answerAddCheckpoint, type WitnessTools } from './answer.ts'
import { followLogList, parseLogList } from './logs-file.ts'
import { witnessServer } from './serve.ts'
import { openWitness, type WitnessStore } from './store.ts'

const origin = 'crossfile.example/receipts/2026'
const root = join(import.meta.dirname, '../../..')
const at = 1_795_000_000
const newFolder = testFolders('crossfile-witness')
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A log in memory: its entries are texts. */
function logOf(entries: readonly string[], signers: readonly Signer[], name = origin) {
  const leaves = entries.map(entry => leafHash(Buffer.from(entry)))
  const node: ReadNode = ({ level, index }) =>
    level === 0
      ? (leaves[index] as Buffer)
      : nodeHash(node({ level: level - 1, index: index * 2 }) as Buffer, node({ level: level - 1, index: index * 2 + 1 }) as Buffer)
  const note = async (size: number): Promise<string> =>
    signNote(
      checkpointText({ origin: name, size, root: await hashOfRange({ from: 0, to: size }, node) }),
      signers.map(({ x, sign }) => ({ name, x, sign })),
    )
  return {
    note,
    request: async (old: number, size: number): Promise<string> =>
      printAddCheckpoint({ old, proof: await consistencyProof(old, size, node), note: await note(size) }),
  }
}
const newSigner = (): Signer => signerOf(generateKeyPairSync('ed25519').privateKey)
const numbers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, each) => `entry ${from + each}`)

let folder: string
let store: WitnessStore
let signer: Signer
let lines: string[]
let tools: WitnessTools
beforeEach(() => {
  folder = newFolder()
  store = openWitness(folder, 'witness.example')
  signer = newSigner()
  lines = []
  const logs = parseLogList(`logs/v0\nvkey ${verifierKey(origin, signer.x)}\n`)
  tools = { store, logs: () => logs, log: (level, message) => lines.push(`${level} ${message}`) }
})
afterEach(() => store.close())
const ask = (body: string, seconds = at) => answerAddCheckpoint(tools, body, seconds)
/** When the witness cosigned the note, by its line. */
const timeOf = (note: string, line: string): number | null => {
  const [signature] = parseSignatures(line)
  return cosignedAt(note.slice(0, note.lastIndexOf('\n\n') + 1), signature as NonNullable<typeof signature>, cosignerKey(store.vkey))
}

it('cosigns each checkpoint that extends the last, with its time', async () => {
  const log = logOf(numbers(300), [signer])
  let old = 0
  for (const [step, size] of [1, 2, 7, 8, 256, 257, 300].entries()) {
    const answer = ask(await log.request(old, size), at + step)
    expect(answer.status).toBe(200)
    expect(timeOf(await log.note(size), answer.body)).toBe(at + step)
    old = size
  }
  expect(store.list()).toMatchObject([{ origin, size: 300, seconds: at + 6 }])
  // The same tree again: the same line within a minute, then a newer one.
  expect(ask(await log.request(300, 300), at + 7).body).toBe(store.list()[0]?.line)
  expect(timeOf(await log.note(300), ask(await log.request(300, 300), at + 500).body)).toBe(at + 500)
})

it('answers with the status that the specification gives to each fault', async () => {
  const log = logOf(numbers(20), [signer])
  const body = await log.request(0, 10)
  for (const bad of [
    '',
    'old',
    'old 01\n\n',
    `old -1${body.slice(5)}`,
    body.slice(0, -1),
    `old 0\nAAAA\n\n${body.split('\n\n').slice(1).join('\n\n')}`,
    body.replace(/\n10\n/, '\n010\n'),
  ])
    expect([bad, ask(bad).status]).toEqual([bad, 400])
  expect(ask(`old 0\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n${await log.note(10)}`).status).toBe(400)
  expect(ask(await logOf(numbers(3), [signer], 'other.example/log').request(0, 3)).status).toBe(404)
  expect(ask(await logOf(numbers(3), [newSigner()]).request(0, 3)).status).toBe(403)
  const flipped = body.replace(/(— \S+ ....)(.)/, (_, before: string, letter: string) => `${before}${letter === 'A' ? 'B' : 'A'}`)
  expect(ask(flipped).status).toBe(403)
  expect(ask(body.replace('old 0', 'old 11')).status).toBe(400)
  expect(ask(body.replace('old 0\n', `old 0\n${Buffer.alloc(32).toString('base64')}\n`)).status).toBe(422)
  expect(ask(await log.request(5, 10))).toEqual({ status: 409, type: 'text/x.tlog.size', body: '0\n' })
  expect(store.list()).toEqual([])
  expect(ask(body).status).toBe(200)
  expect(ask(await log.request(0, 20))).toMatchObject({ status: 409, body: '10\n' })
  expect(ask((await log.request(10, 20)).replace(/^old 10\n.*\n/, 'old 10\n')).status).toBe(422)
  expect(ask(await log.request(10, 20)).status).toBe(200)
  // An older tree of the same log is never cosigned again.
  expect(ask(await log.request(10, 15))).toMatchObject({ status: 409, body: '20\n' })
})

it('refuses a forked log, and keeps both signed checkpoints once', async () => {
  const log = logOf(numbers(10), [signer])
  const fork = logOf([...numbers(9), 'another', ...numbers(5, 10)], [signer])
  expect(ask(await log.request(0, 10)).status).toBe(200)
  expect(ask(await fork.request(0, 10))).toMatchObject({ status: 409, body: '10\n' })
  expect(ask(await fork.request(10, 10))).toMatchObject({ status: 409, body: '10\n' })
  expect(ask(await fork.request(10, 10))).toMatchObject({ status: 409 })
  expect(ask(await fork.request(10, 15)).status).toBe(422)
  const kept = readdirSync(join(folder, 'evidence')).map(file => readFileSync(join(folder, 'evidence', file), 'utf8'))
  expect(readdirSync(join(folder, 'evidence')).filter(file => file.startsWith('fork-10-'))).toHaveLength(2)
  expect(kept.some(text => text.includes(`\n10\n`) && text.includes('== submitted'))).toBe(true)
  for (const text of kept) expect(text).toContain(store.list()[0]?.line.trim())
  expect(lines.filter(line => line.startsWith('error refused a checkpoint'))).not.toEqual([])
  expect(ask(await log.request(10, 10)).status).toBe(200)
})

it('accepts a log whose key was rotated, by any of its keys, and extension lines', async () => {
  const next = newSigner()
  const both = logOf(numbers(10), [next, signer])
  expect(ask(await both.request(0, 4)).status).toBe(200)
  expect(ask(await logOf(numbers(10), [next]).request(4, 8)).status).toBe(403)
  const logs = parseLogList(
    `# ours\nlogs/v0\n\nvkey ${verifierKey(origin, signer.x)}\nqpd 86400\nvkey ${verifierKey(origin, next.x)}\nvkey ${verifierKey('a.example/other', next.x)}\norigin a log with spaces\n`,
  )
  expect([...logs].map(([name, keys]) => [name, keys.length])).toEqual([
    [origin, 2],
    ['a log with spaces', 1],
  ])
  tools = { ...tools, logs: () => logs }
  expect(ask(await logOf(numbers(10), [next]).request(4, 8)).status).toBe(200)
  const plainText = (await both.note(10)).split('\n\n')[0] as string
  const extended = signNote(`${plainText}\nextension\n`, [{ name: origin, x: signer.x, sign: signer.sign }])
  const answer = ask((await both.request(8, 10)).replace(/\n\n[\s\S]*$/, `\n\n${extended}`))
  expect(timeOf(extended, answer.body)).toBe(at)
})

it('does not cosign with a clock that was set back', async () => {
  const log = logOf(numbers(10), [signer])
  expect(ask(await log.request(0, 4)).status).toBe(200)
  // A correction of some seconds keeps the order of the times.
  expect(timeOf(await log.note(5), ask(await log.request(4, 5), at - 30).body)).toBe(at)
  expect(ask(await log.request(5, 6), at - 3_600)).toMatchObject({ status: 503 })
  expect(lines.at(-1)).toContain('the clock is 3600 s before the newest cosignature')
  expect(store.list()).toMatchObject([{ size: 5 }])
  tools = { ...tools, clockCorrected: true }
  expect(timeOf(await log.note(6), ask(await log.request(5, 6), at - 3_600).body)).toBe(at - 3_600)
})

it('lets one of two processes win a race, and gives the other the new size', async () => {
  const log = logOf(numbers(40), [signer])
  ask(await log.request(0, 10))
  const second = openWitness(folder, null)
  const requests = await Promise.all(numbers(30).map((_, each) => log.request(10, 11 + each)))
  const answers = requests.map((body, each) => answerAddCheckpoint({ ...tools, store: each % 2 === 0 ? store : second }, body, at))
  expect(answers.map(each => each.status).sort()).toEqual([200, ...Array(29).fill(409)])
  expect(new Set(answers.filter(each => each.status === 409).map(each => each.body))).toEqual(new Set(['11\n']))
  second.close()
})

it('keeps its key for its owner alone, and one name for ever', () => {
  expect(statSync(join(folder, 'witness-key.pem')).mode & 0o777).toBe(0o600)
  expect(() => openWitness(folder, 'other.example')).toThrow('this witness has the name witness.example')
  expect(() => openWitness(newFolder(), null)).toThrow('has no witness yet')
  expect(() => openWitness(newFolder(), 'a b')).toThrow('is not a name')
  chmodSync(join(folder, 'witness-key.pem'), 0o644)
  expect(() => openWitness(folder, null)).toThrow('has mode 0644')
  rmSync(join(folder, 'witness-key.pem'))
  expect(() => openWitness(folder, null)).toThrow('is missing')
  const other = newFolder()
  openWitness(other, 'other.example').close()
  writeFileSync(join(folder, 'witness-key.pem'), readFileSync(join(other, 'witness-key.pem')), { mode: 0o600 })
  expect(() => openWitness(folder, null)).toThrow('is not the key of the state')
})

it('reads its list of logs again when it changes, and keeps the last good one', () => {
  const file = join(folder, 'logs')
  const faults: string[] = []
  expect(() => followLogList(file, message => faults.push(message))).toThrow('cannot be read')
  writeFileSync(file, 'vkey x')
  expect(() => followLogList(file, message => faults.push(message))).toThrow('line 1: the first line is not logs/v0')
  writeFileSync(file, 'logs/v0\n')
  const logs = followLogList(file, message => faults.push(message))
  expect([...logs().keys()]).toEqual([])
  writeFileSync(file, `logs/v0\nvkey ${verifierKey(origin, signer.x)}\n`)
  expect([...logs().keys()]).toEqual([origin])
  writeFileSync(file, 'logs/v0\nvkey nothing\n')
  expect([...logs().keys(), ...logs().keys()]).toEqual([origin, origin])
  expect(faults).toEqual([expect.stringContaining('line 2: "nothing" is not the verifier key of a log')])
  expect(() => parseLogList(`logs/v0\nvkey ${store.vkey}`)).toThrow('is not the verifier key of a log')
})

it('limits requests over HTTP, and shows its key and trees', async () => {
  const log = logOf(numbers(10), [signer])
  const server = witnessServer(tools, () => at * 1000)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const http = (path: string, init?: RequestInit): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`, init)
  try {
    const good = await http('/add-checkpoint', { method: 'POST', body: await log.request(0, 10) })
    expect([good.status, timeOf(await log.note(10), await good.text())]).toEqual([200, at])
    const conflict = await http('/add-checkpoint', { method: 'POST', body: await log.request(0, 10) })
    expect([conflict.status, conflict.headers.get('content-type'), await conflict.text()]).toEqual([409, 'text/x.tlog.size', '10\n'])
    expect((await http('/add-checkpoint', { method: 'POST', body: 'x'.repeat(80_000) })).status).toBe(413)
    expect((await http('/add-checkpoint', { method: 'POST', body: Buffer.from([0xff, 0xfe]) })).status).toBe(400)
    expect((await http('/add-checkpoint')).status).toBe(405)
    expect((await http('/other')).status).toBe(404)
    const shown = await (await http('/')).text()
    expect(shown).toContain(store.vkey)
    expect(shown).toContain(`${origin}\n10\n`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

it('loses nothing that it cosigned when it is killed', async () => {
  const home = newFolder()
  const file = join(home, 'logs')
  writeFileSync(file, `logs/v0\nvkey ${verifierKey(origin, signer.x)}\n`)
  const start = async (): Promise<{ readonly child: ChildProcess; readonly address: string; readonly vkey: string }> => {
    const child = spawn(
      process.execPath,
      [
        join(root, 'pipelines/cli/main.ts'),
        'witness',
        '--folder',
        join(home, 'state'),
        '--name',
        'witness.example',
        '--logs',
        file,
        '--listen',
        '127.0.0.1:0',
        '--json',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    children.push(child)
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    return { child, ...(JSON.parse(line.toString()) as { address: string; vkey: string }) }
  }
  const log = logOf(numbers(200), [signer])
  let size = 0
  let vkey: string | null = null
  for (let round = 0; round < 5; round += 1) {
    const running = await start()
    expect(vkey ?? running.vkey).toBe(running.vkey)
    vkey = running.vkey
    const target = size + 10
    for (let next = size + 1; next <= target; next += 1) {
      const answer = await fetch(`${running.address}add-checkpoint`, { method: 'POST', body: await log.request(next - 1, next) })
      expect([next, answer.status]).toEqual([next, 200])
    }
    size = target
    running.child.kill('SIGKILL')
    await once(running.child, 'exit')
  }
  const reopened = openWitness(join(home, 'state'), null)
  expect(reopened.list()).toMatchObject([{ origin, size }])
  reopened.close()
})
