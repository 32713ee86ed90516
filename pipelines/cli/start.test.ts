// The promise of the README: one command sets everything up, and a second one goes on from what is there.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { inherited } from '#fixtures/inherited.ts'

type Ready = { readonly ready: true; readonly api: string; readonly key: string; readonly data: string }

const root = join(import.meta.dirname, '..', '..')
const folders: string[] = []
const children = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfile-start-'))
  folders.push(folder)
  return folder
}

/** Starts `npm start` as a person would, and waits for what it prints when it is ready. */
async function startForPeople(data: string): Promise<{ child: ChildProcess; printed: string }> {
  const env = { ...inherited, PORT: '0', CROSSFILE_DATA: data, CROSSFILE_LOG: 'warn' }
  const child = spawn(process.execPath, [join(root, 'pipelines', 'cli', 'crossfile.mjs'), 'start'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  children.add(child)
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      printed += chunk
      if (printed.includes('Stop with Ctrl-C')) resolve()
    })
    child.once('exit', code => reject(new Error(`ended with ${code} before it was ready: ${printed}`)))
  })
  return { child, printed }
}

/** Starts `npm start -- --json` as a script would, and waits for its line. */
async function start(data: string): Promise<{ child: ChildProcess; ready: Ready; lines: string[] }> {
  const env = { ...inherited, PORT: '0', CROSSFILE_DATA: data, CROSSFILE_LOG: 'warn' }
  const child = spawn(process.execPath, [join(root, 'pipelines', 'cli', 'crossfile.mjs'), 'start', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let out = ''
  let err = ''
  child.stderr?.on('data', chunk => {
    err += chunk
  })
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      out += chunk
      if (out.includes('\n')) resolve(JSON.parse(out) as Ready)
    })
    child.once('exit', code => reject(new Error(`ended with ${code} before it was ready: ${err.slice(-2000)}`)))
  })
  return { child, ready, lines: out.split('\n').filter(line => line !== '') }
}

async function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
  child.kill('SIGINT')
  const code = await ended
  children.delete(child)
  return code
}

/** The first JSON block of the README, which leaves out the release. */
async function firstAnswerOfReadme(): Promise<unknown> {
  const [, printed] = (await readFile(join(root, 'README.md'), 'utf8')).match(/```json\n([\s\S]*?)```/) ?? []
  return JSON.parse((printed ?? '').replace('"release":…', '"release":null'))
}

/** What a command prints about the data folder, whatever its exit code. */
async function runCommand(data: string, argv: readonly string[]): Promise<string> {
  const env = { ...inherited, CROSSFILE_DATA: data, CROSSFILE_LOG: 'silent' }
  return await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [join(root, 'pipelines', 'cli', 'crossfile.mjs'), ...argv], { env }, (error, out, err) => {
      if (out === '') reject(error ?? new Error(`${argv.join(' ')} printed nothing: ${err}`))
      else resolve(out)
    })
  })
}

type Status = {
  readonly state: string
  readonly problems: readonly unknown[]
  readonly queue: { readonly waiting: number; readonly running: number }
}
/** What `crossfile status --json` prints once every job of the start has ended. */
async function statusAtRest(data: string): Promise<Status> {
  for (;;) {
    // The command exits with 1 if something is degraded: what it prints counts here.
    const printed = await runCommand(data, ['status', '--json'])
    const status = JSON.parse(printed) as Status
    if (status.queue.waiting === 0 && status.queue.running === 0) return status
  }
}

const ask = async ({ api, key }: Ready, path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe.skipIf(process.platform === 'win32')('npm start', () => {
  test('prints one line when it is ready, answers, keeps its key, and goes on after kill -9', async () => {
    const data = await aFolder()
    const first = await start(data)
    expect(first.lines).toHaveLength(1)
    expect(first.ready).toMatchObject({ ready: true, data })
    expect((await stat(join(data, 'api-key'))).mode & 0o777).toBe(0o600)
    expect((await readFile(join(data, 'api-key'), 'utf8')).trim()).toBe(first.ready.key)
    const eod = await ask(first.ready, '/api/v1/market/eod/GLPR.TO?from=2026-05-15&to=2026-05-19')
    expect(eod.status).toBe(200)
    // A split restates the close of the session before it.
    expect(eod.body['bars']).toMatchObject([
      { date: '2026-05-15', close: 223.97, adjusted_close: 111.130372428 },
      { date: '2026-05-19', close: 111.38 },
    ])
    expect({ ...eod.body, release: null }).toEqual(await firstAnswerOfReadme())
    const form4 = await ask(first.ready, '/api/v1/data/form4?ticker=BRLX')
    expect(form4.body['count']).toBeGreaterThan(0)
    const release = eod.body['release']

    // Every process of it, killed at once: the supervisor's children end with it.
    first.child.kill('SIGKILL')
    await new Promise(resolve => first.child.once('exit', resolve))
    const second = await start(data)
    expect(second.ready.key).toBe(first.ready.key)
    // The worker may have added releases meanwhile; the release that answered before the kill gives the same answer.
    const again = await ask(second.ready, `/api/v1/market/eod/GLPR.TO?from=2026-05-15&to=2026-05-19&release=${release}`)
    expect(again.body).toEqual(eod.body)
    const newest = await ask(second.ready, '/api/v1/market/eod/GLPR.TO?from=2026-05-15&to=2026-05-19')
    expect(newest.body['bars']).toEqual(eod.body['bars'])
    expect(newest.body['release']).toBeGreaterThanOrEqual(release as number)
    expect(await stop(second.child)).toBe(0)
  })
  test('the commands that it prints are answered with data on any day, and it reports its clock', async () => {
    const data = await aFolder()
    const { child, printed } = await startForPeople(data)
    const key = (await readFile(join(data, 'api-key'), 'utf8')).trim()
    const addresses = [...printed.matchAll(/curl .*"(http[^"]+)"/g)].map(match => match[1] as string)
    expect(addresses).toHaveLength(3)
    for (const address of addresses) {
      const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
      const body = (await response.json()) as { count?: number; symbol?: string }
      expect([address, response.status, (body.count ?? 0) > 0 || body.symbol === 'GLPR.TO']).toEqual([address, 200, true])
      expect(response.headers.get('x-data-clock')).toBe('2026-11-20T09:30:00.000Z')
    }
    expect(printed).toContain('its clock is set to 2026-11-20 09:30 UTC')
    // The jobs that run at the first start leave nothing to repair: no source refuses the worker, nothing is stale or unread.
    expect(await statusAtRest(data)).toMatchObject({ state: 'ok', problems: [] })
    // The first question of the README in words, and its answer.
    const [, question, answer] = (await readFile(join(root, 'README.md'), 'utf8')).match(/crossfile -- ask "([^"]+)"\n```\n```text\n(.*)\n/) ?? []
    expect((await runCommand(data, ['ask', question ?? ''])).split('\n')[0]).toBe(answer)
    const page = await (await fetch(new URL('/api/v1/public/docs', addresses[0]))).text()
    expect(page).toContain('its clock is set to 2026-11-20 09:30 UTC')
    expect(await stop(child)).toBe(0)
  })
  test('refuses to mix the bundled universe with live data, and says what to change', async () => {
    const data = await aFolder()
    await writeFile(join(data, 'mode'), 'bundled\n')
    const env = {
      ...inherited,
      PORT: '0',
      CROSSFILE_DATA: data,
      CROSSFILE_CONTACT: 'A Tester tester@crossfile.invalid',
    }
    const child = spawn(process.execPath, [join(root, 'pipelines', 'cli', 'crossfile.mjs'), 'start'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    children.add(child)
    let err = ''
    child.stderr?.on('data', chunk => {
      err += chunk
    })
    const code = await new Promise(resolve => child.once('exit', resolve))
    expect(code).toBe(2)
    expect(err).toContain('bundled fictional universe')
    expect(err).toContain('CROSSFILE_DATA')
  })
})
