// The programs under measurement, each as the process that it is in service, and what they hold of memory.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

export type Program = {
  readonly pid: number
  readonly ready: Record<string, unknown>
  /** Sends a message and resolves with the next one that comes back. */
  ask<T>(message: object): Promise<T>
  stop(): Promise<void>
}

/** True where a command is installed. */
export const installed = (command: string): boolean => spawnSync(process.platform === 'win32' ? 'where' : 'which', [command]).status === 0

const canPin = process.platform === 'linux' && availableParallelism() >= 2 && installed('taskset')
/** A command on one core: servers on the first, whoever loads them on the second, so that neither takes the other's time. */
export const pinned = (core: 0 | 1 | null, command: string, args: readonly string[]): [string, string[]] =>
  core !== null && canPin ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]]

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts one of our TypeScript programs; resolves with its first message (`{ ready: true, … }`). Throws where it ends before. */
export async function startProgram(file: string, env: NodeJS.ProcessEnv, core: 0 | 1 | null = null, args: readonly string[] = []): Promise<Program> {
  const [command, rest] = pinned(core, process.execPath, [join(root, file), ...args])
  const child = spawn(command, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  running.add(child)
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors = (errors + String(chunk)).slice(-4000)
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const ready = await Promise.race([
    new Promise<Record<string, unknown>>(resolve => child.once('message', message => resolve(message as Record<string, unknown>))),
    ended.then(() => {
      throw new Error(`${file} ended before it was ready:\n${errors}`)
    }),
  ])
  return {
    pid: child.pid as number,
    ready,
    ask: async <T>(message: object) => {
      const answer = new Promise<T>(resolve => child.once('message', each => resolve(each as T)))
      child.send(message)
      return await Promise.race([
        answer,
        ended.then(() => {
          throw new Error(`${file} ended:\n${errors}`)
        }),
      ])
    },
    async stop() {
      child.kill('SIGTERM')
      const hard = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await ended
      clearTimeout(hard)
      running.delete(child)
    },
  }
}

/** Resident memory in megabytes (10^6 bytes): now, and the most that the process ever held (null where the system does not tell). */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number | null } {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1])
    return { now: (kilobytes('VmRSS') * 1024) / 1e6, peak: (kilobytes('VmHWM') * 1024) / 1e6 }
  }
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return { now: (Number(stdout.trim()) * 1024) / 1e6, peak: null }
}

export type ProcessTree = { readonly processes: number; readonly megabytes: number; readonly cpuSeconds: number }
/**
 * The Node processes of a service, Postgres apart: their number, their memory in 10^6 bytes, and their processor time so far. Memory is the
 * proportional set size: pages that several processes share, as those of Node itself, count once. Linux only.
 */
export function nodeProcesses(pid: number): ProcessTree {
  const own = processesBelow(pid).filter(each => readProcess(String(each), 'comm').startsWith('node'))
  const kilobytes = own.map(each => Number(/^Pss:\s+(\d+) kB/m.exec(readProcess(String(each), 'smaps_rollup'))?.[1] ?? 0))
  return {
    processes: own.length,
    megabytes: (kilobytes.reduce((sum, each) => sum + each, 0) * 1024) / 1e6,
    cpuSeconds: own.reduce((sum, each) => sum + cpuSeconds(each), 0),
  }
}
/** Processor time so far of a process and all below it, Postgres and ended ones included, in seconds. Linux only. */
export const cpuSecondsBelow = (pid: number): number => processesBelow(pid).reduce((sum, each) => sum + ticksOf(each, 4) / tick, 0)

/** A process and all below it. */
function processesBelow(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter(each => /^\d+$/.test(each))) {
    const parent = readProcess(name, 'stat').split(') ').at(-1)?.split(' ')[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const isBelow = (each: number | undefined): boolean => each === pid || (each !== undefined && each > 1 && isBelow(parents.get(each)))
  return [...parents.keys()].filter(isBelow)
}
/** A file of /proc; empty if the process has ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return ''
    throw error
  }
}

const tick = 100 // clock ticks a second, as every Linux of our platforms has it
/** The sum of the first `count` of utime, stime, cutime and cstime (proc(5)); 0 if the process has ended. */
function ticksOf(pid: number, count: 2 | 4): number {
  const fields = readProcess(String(pid), 'stat').split(') ').at(-1)?.split(' ') ?? []
  return fields.slice(11, 11 + count).reduce((sum, each) => sum + Number(each), 0)
}
export const cpuSeconds = (pid: number): number => ticksOf(pid, 2) / tick

/** Resolves when a process has come to rest (less than a tenth of a core for a second), after a minute at the latest. */
export async function atRest(pid: number): Promise<void> {
  const second = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 1000))
  if (process.platform !== 'linux') {
    await second()
    return
  }
  for (let waited = 0; waited < 60; waited += 1) {
    const before = cpuSeconds(pid)
    await second()
    if (cpuSeconds(pid) - before < 0.1) return
  }
}
