// An Io that keeps its output, for tests: a list of lines instead of a terminal, a fixed clock and a separate environment.
import { loadConfig } from '#schemas/config.ts'
import { type Io, wantsColour } from './io.ts'

export type KeptIo = Io & {
  readonly said: { readonly out: string[]; readonly err: string[]; readonly bars: string[] }
  /** The one document that `--json` printed. */
  json<T = Record<string, unknown>>(): T
  interrupt(): void
}

export function keptIo(
  env: Readonly<Record<string, string>> = {},
  { at = '2026-11-20T20:00:00Z', terminal = false, width = null as number | null } = {},
): KeptIo {
  const said = { out: [] as string[], err: [] as string[], bars: [] as string[] }
  const controller = new AbortController()
  return {
    said,
    out: text => said.out.push(text),
    err: text => said.err.push(text),
    bar: line => {
      if (line !== null) said.bars.push(line)
    },
    terminal,
    width,
    colour: wantsColour(terminal, { NO_COLOR: '1' }),
    now: () => new Date(at),
    config: () => loadConfig(env),
    log: (level, message) => {
      if (level === 'warn' || level === 'error') said.err.push(`${level} ${message}`)
    },
    interrupted: () => controller.signal,
    json: <T>() => {
      if (said.out.length !== 1) throw new TypeError(`${said.out.length} documents were printed: ${said.err.join('; ')}`)
      return JSON.parse(said.out[0] ?? '') as T
    },
    interrupt: () => controller.abort(new Error('stopped by SIGINT')),
  }
}
