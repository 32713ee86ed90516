// Input and output of a command: results go to stdout, everything else (progress, warnings, errors) to stderr. Tests pass
// their own; `processIo` is the real one.
import type { Config } from '#schemas/config.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'

export type Io = {
  /** One line, or a whole document, of the result. */
  out(text: string): void
  /** A line on stderr. */
  err(text: string): void
  /** Draws the line at the bottom of the terminal that the next one overwrites; null removes it. */
  bar(line: string | null): void
  /** True if `bar` is visible: stderr is a terminal. */
  readonly terminal: boolean
  /** Columns of stdout; null if it is not a terminal, and nothing is cut. */
  readonly width: number | null
  /** Whether stdout may carry colours. */
  readonly colour: boolean
  now(): Date
  /** The environment as validated by schemas/config.ts; throws `BadRequest` if it is invalid. */
  config(): Config
  /** Warnings and errors; everything with CROSSFILE_LOG=debug. */
  log: Log
  /** Aborted by Ctrl-C or SIGTERM; from the first call on, these no longer end the process immediately. */
  interrupted(): AbortSignal
}

/** The log of a command: quieter than a worker's, since the result is the command's output. */
export function commandLog(level: () => Config['logLevel'], write: (line: string) => void): Log {
  return (at, message) => {
    const least = level()
    if (least === 'silent') return
    createLog(least === 'info' ? 'warn' : least, line => write(line.trimEnd()))(at, message)
  }
}

type Env = Readonly<Record<string, string | undefined>>

/** Colours are for a terminal that supports them, unless NO_COLOR is set. */
export const wantsColour = (terminal: boolean, env: Env): boolean => terminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'

/** The io of this process. A closed reader (`| head`) is not an error: the rest is not written. Any other
 * fault of the output ends the process with exit code 1. */
export function processIo(env: Env, loadConfig: () => Config): Io {
  const { stdout, stderr } = process
  const gone = { stdout: false, stderr: false }
  const quietly = (name: 'stdout' | 'stderr') => (error: NodeJS.ErrnoException) => {
    gone[name] = true
    if (error.code === 'EPIPE') return
    // Such as a full disk: the result is incomplete, and a script must see it in the exit code.
    if (name === 'stdout') stderr.write(`crossfile: the output cannot be written: ${error.message}\n`)
    process.exit(1)
  }
  stdout.on('error', quietly('stdout'))
  stderr.on('error', quietly('stderr'))
  const terminal = stderr.isTTY === true && env['TERM'] !== 'dumb'
  let drawn: string | null = null
  let config: Config | null = null
  let controller: AbortController | null = null
  const draw = (line: string | null): void => {
    if (!terminal || gone.stderr) return
    if (line === null) {
      if (drawn !== null) stderr.write('\r\u001b[K')
    } else stderr.write(`\r${line.slice(0, Math.max(10, (stderr.columns || 80) - 1))}\u001b[K`)
    drawn = line
  }
  /** Writes above the bar. */
  const above = (name: 'stdout' | 'stderr', text: string): void => {
    if (gone[name]) return
    const bar = drawn
    draw(null)
    process[name].write(`${text}\n`)
    draw(bar)
  }
  const err = (text: string): void => above('stderr', text)
  const io: Io = {
    out: text => above('stdout', text),
    err,
    bar: draw,
    terminal,
    width: stdout.isTTY === true ? stdout.columns || 80 : null,
    colour: wantsColour(stdout.isTTY === true, env),
    now: () => new Date(),
    config: () => {
      config ??= loadConfig()
      return config
    },
    log: commandLog(() => io.config().logLevel, err),
    interrupted: () => {
      controller ??= listenForEnd()
      return controller.signal
    },
  }
  return io
}

/** The first Ctrl-C asks the command to stop cleanly; the second ends it. */
function listenForEnd(): AbortController {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130)
      controller.abort(new Error(`stopped by ${signal}`))
    })
  }
  return controller
}
