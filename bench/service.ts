// The service as a whole: how long `npm start` takes, and what its programs hold of memory.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { ReleaseContexts } from './contexts.ts'
import { shuffled } from './eod.ts'
import { compilePrograms, startInstallation } from './installation.ts'
import { eachMs, requestsPerSecond } from './load.ts'
import { compared, figure, type Report } from './measure.ts'
import { nodeProcesses, type ProcessTree, residentMemory } from './processes.ts'

type Outcome = Pick<Report, 'figures' | 'notes'>

export async function startUp(contexts: ReleaseContexts): Promise<Outcome> {
  const rounds = Math.min(contexts.options.rounds, 3)
  compilePrograms()
  const first: number[] = []
  const second: number[] = []
  const processor: { readonly first: number[]; readonly second: number[] } = { first: [], second: [] }
  const healthy: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const data = join(await contexts.folder('start'), 'data')
    const fresh = await startInstallation(data)
    first.push(fresh.seconds)
    if (fresh.cpuSeconds !== null) processor.first.push(fresh.cpuSeconds)
    await fresh.stop()
    const again = await startInstallation(data)
    second.push(again.seconds)
    if (again.cpuSeconds !== null) processor.second.push(again.cpuSeconds)
    const requested = performance.now()
    const { status } = await fetch(`${again.api}/api/v1/market/eod/GLPR.TO`)
    if (status !== 200) throw new Error(`the first answer has status ${status}`)
    healthy.push(performance.now() - requested)
    await again.stop()
  }
  return {
    figures: [
      figure('first start to ready, bundled universe loaded', 's', first, { of: 'value', most: 8 }),
      figure('second start to ready', 's', second, { of: 'value', most: 2 }),
      ...(processor.first.length === 0 ? [] : [figure('first start, processor time of all processes', 's', processor.first)]),
      ...(processor.second.length === 0 ? [] : [figure('second start, processor time of all processes', 's', processor.second)]),
      figure('first end-of-day answer after it', 'ms', healthy),
    ],
    notes: ['npm start -- --json on a new data folder, then on the same one; packages are installed and programs compiled already'],
  }
}

const settledMs = 90_000
const minuteMs = 60_000
const plainMs = 1_000
const plainSettledMs = 5_000
/** Most jobs that run all day do so at every fifth minute (`models`, `drop-in`, `transcripts` in jobs.yaml). */
const roundMinutes = 5

/** Waits for a minute in which these jobs do not run. */
async function betweenRounds(wait: (ms: number) => Promise<void>): Promise<void> {
  const past = Date.now() % (roundMinutes * minuteMs)
  if (past < minuteMs) await wait(minuteMs - past)
  else if (past > (roundMinutes - 2) * minuteMs) await wait((roundMinutes + 1) * minuteMs - past)
}

/** What an installation of the bundled universe holds and does while no client uses it. */
export async function idle(contexts: ReleaseContexts): Promise<Outcome> {
  if (process.platform !== 'linux') throw new Error('the processes of a service can be measured on Linux only')
  const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
  const data = join(await contexts.folder('idle'), 'data')
  const first = await startInstallation(data)
  await wait(settledMs)
  const loaded = nodeProcesses(first.pid)
  await first.stop()
  const second = await startInstallation(data)
  await wait(settledMs)
  await betweenRounds(wait)
  const plain = spawn(process.execPath, ['-e', `setInterval(() => {}, ${plainMs})`], { stdio: 'ignore' })
  await wait(plainSettledMs)
  const look = (): readonly [ProcessTree, ProcessTree] => [nodeProcesses(second.pid), nodeProcesses(plain.pid as number)]
  const begun = look()
  await wait(minuteMs)
  const minute = look()
  await wait((roundMinutes - 1) * minuteMs)
  const round = look()
  plain.kill()
  await second.stop()
  const share = (from: ProcessTree, to: ProcessTree, minutes: number): number => ((to.cpuSeconds - from.cpuSeconds) / (60 * minutes)) * 100
  const used = (name: string, to: readonly [ProcessTree, ProcessTree], minutes: number): Outcome['figures'][number] =>
    compared(
      name,
      '% of a core',
      [share(begun[0], to[0], minutes)],
      'an empty program of Node that wakes up once a second',
      [share(begun[1], to[1], minutes)],
      { of: 'value', most: 0.5 },
    )
  return {
    figures: [
      figure('90 s after the first start, all processes', 'MB', [loaded.megabytes]),
      figure('150 s after the second start, all processes', 'MB', [minute[0].megabytes], { of: 'value', most: 450 }),
      used('processor time over the last 60 s', minute, 1),
      used('processor time over five minutes, with every job', round, roundMinutes),
    ],
    notes: [
      `${minute[0].processes} processes of Node, without Postgres; proportional set size, so that what they share counts once`,
      'the 60 s are a minute without the jobs of every fifth minute; the five minutes have every job',
    ],
  }
}

export async function memory(contexts: ReleaseContexts): Promise<Outcome> {
  const market = await contexts.market()
  const api = await market.api({ fresh: true })
  const worker = await market.worker()
  const address = String(api.ready['address'])
  const next = shuffled(market.universe.symbols)
  const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 3000))
  await settle()
  const idle = { api: residentMemory(api.pid).now, worker: residentMemory(worker.pid).now }
  const [symbol = ''] = next(1)
  await eachMs(address, [`/api/v1/market/eod/${symbol}`])
  const first = residentMemory(api.pid).now
  await eachMs(
    address,
    next(Math.min(2000, market.universe.symbols.length - 1)).map(each => `/api/v1/market/eod/${each}`),
  )
  await requestsPerSecond(address, `/api/v1/market/eod/${symbol}`, [], 3, 200)
  const busy = residentMemory(api.pid)
  await settle()
  const after = residentMemory(api.pid).now
  const loaded = residentMemory(worker.pid)
  return {
    figures: [
      figure('API, started', 'MB', [idle.api]),
      figure('API, listings loaded and one answer given', 'MB', [first]),
      figure('API, after 2,000 cold answers and 3 s of hot ones', 'MB', [busy.now], { of: 'value', most: 300 }),
      figure('API, 3 s later', 'MB', [after]),
      ...(busy.peak === null ? [] : [figure('API, most it ever held', 'MB', [busy.peak])]),
      figure('worker, idle', 'MB', [idle.worker]),
      ...(loaded.peak === null ? [] : [figure('worker, most it ever held in this run', 'MB', [loaded.peak])]),
    ],
    notes: [`${market.universe.symbols.length} symbols listed; resident set of the process as the system counts it, in 10^6 bytes`],
  }
}
