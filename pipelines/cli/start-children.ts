// Runs programs of Crossfile as children of `crossfile start`, and restarts each that ends too early.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BadRequest } from '#schemas/errors.ts'
import { heldArgument, type Release } from '#warehouse/store/held-start.ts'
import type { Log } from '#warehouse/store/log.ts'
import { programFile } from './compiled.mjs'

const root = join(import.meta.dirname, '..', '..')
const withParent = pathToFileURL(join(import.meta.dirname, 'with-parent.mjs')).href
const restartMs = [100, 1_000, 2_000, 5_000, 15_000]
const withoutDatabaseMs = 1_000
/** A program that ran for this time after it was ready is restarted immediately when it ends. */
const steadyMs = 10_000

/** What usually sends SIGKILL: the kernel, if a machine or a container has no memory left. */
const outOfMemory =
  '(unless an operator sent SIGKILL, the memory of the machine or container was used up: give it at least 1 GB, 4 GB for a whole market, or lower CROSSFILE_DUCKDB_MEMORY)'

export type Message = Readonly<Record<string, unknown>>
export type Child = {
  readonly name: string
  /** Sends a message to the program. */
  send(message: Message): void
  stop(): Promise<void>
  /** The first message of the program. */
  readonly ready: Promise<Message>
}
export type Program = {
  readonly name: string
  readonly file: string
  /** Called again for each start. */
  readonly args?: () => readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly onMessage?: (message: Message) => void
  /** The program loads its modules and waits until this gives the variables of the environment that it lacks (warehouse/store/held-start.ts). */
  readonly heldFor?: Promise<Release['environment']>
  /** For a program that ends after its work: exit code 0 is its regular end. */
  readonly ends?: boolean
}

/** Runs a program until `stop`; if it dies, it is restarted. */
export function supervise({ name, file, args = () => [], env, onMessage = () => {}, heldFor, ends = false }: Program, log: Log): Child {
  let child: ChildProcess | null = null
  let stopping = false
  let fails = 0
  let wasReady = false
  const { promise: ready, resolve: resolveReady, reject: rejectReady } = Promise.withResolvers<Message>()
  ready.catch(() => undefined)
  const start = (): void => {
    let readyAt: number | null = null
    const held = heldFor === undefined ? [] : [heldArgument]
    const own = spawn(process.execPath, ['--import', withParent, programFile(root, file), ...args(), ...held], {
      env: { ...env, CROSSFILE_PARENT_PIPE: '3' },
      // stdin, stdout, stderr, the pipe whose end reports that this process is gone, and messages.
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
    })
    child = own
    heldFor?.then(
      environment => {
        const release: Release = { release: true, environment }
        if (own.connected) own.send(release)
      },
      // What the program waits for does not come: its supervisor stops.
      () => undefined,
    )
    child.on('message', message => {
      wasReady = true
      readyAt ??= performance.now()
      resolveReady(message as Message)
      onMessage(message as Message)
    })
    child.on('error', error => {
      log('error', `${name}: ${error.message}`)
      // A process that was never created has no end.
      if (child?.pid === undefined) ended(1, null)
    })
    child.on('exit', ended)
    function ended(code: number | null, signal: NodeJS.Signals | null): void {
      if (stopping || (ends && code === 0)) return
      // Exit code 2 before the first ready: a setting is wrong (start-check.ts), and another start would fail in the same way.
      if (code === 2 && !wasReady) {
        rejectReady(new BadRequest(`${name} cannot start with these settings`, { hint: 'its message is in the lines above' }))
        return
      }
      if (readyAt !== null && performance.now() - readyAt > steadyMs) fails = 0
      // Exit code 3: the database could not be reached, which is not a fault of this program.
      const wait = code === 3 ? withoutDatabaseMs : (restartMs[Math.min(fails, restartMs.length - 1)] as number)
      if (code !== 3) fails += 1
      const cause = signal === 'SIGKILL' ? ` ${outOfMemory}` : ''
      log('warn', `${name} ended (${signal ?? `exit ${code}`}); starting it again${wait < 1000 ? '' : ` in ${wait / 1000} s`}${cause}`)
      if (fails > 3) rejectReady(new BadRequest(`${name} does not start: it ended ${fails} times`, { hint: 'the lines above say why' }))
      setTimeout(() => {
        if (!stopping) start()
      }, wait)
    }
  }
  start()
  return {
    name,
    ready,
    send: message => {
      if (child?.connected) child.send(message)
    },
    async stop() {
      stopping = true
      const own = child
      if (!own || own.exitCode !== null || own.signalCode !== null) return
      const ended = new Promise<void>(resolve_ => own.once('exit', () => resolve_()))
      own.kill('SIGTERM')
      const hard = setTimeout(() => own.kill('SIGKILL'), 30_000)
      await ended
      clearTimeout(hard)
    },
  }
}
