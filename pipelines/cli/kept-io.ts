// An Io that keeps its output, for tests: a list of lines instead of a terminal, a fixed clock and a separate environment.
import { type Config, loadConfig } from '#schemas/config.ts'
import { type Io, wantsColour } from './io.ts'
import { main } from './main.ts'

export type KeptIo = Io & {
  readonly output: { readonly out: string[]; readonly err: string[]; readonly bars: string[] }
  /** The one document that `--json` printed. */
  json<T = Record<string, unknown>>(): T
  interrupt(): void
}

/** The environment of a command over a test's warehouse. */
export const envOf = ({ dataFolder, databaseUrl }: Config): Readonly<Record<string, string>> => ({
  CROSSFILE_DATA: dataFolder,
  DATABASE_URL: databaseUrl?.reveal() ?? '',
  CROSSFILE_DUCKDB_MEMORY: '512MB',
  CROSSFILE_DUCKDB_THREADS: '1',
})

export function keptIo(
  env: Readonly<Record<string, string>> = {},
  { at = '2026-11-20T20:00:00Z', terminal = false, width = null as number | null } = {},
): KeptIo {
  const output = { out: [] as string[], err: [] as string[], bars: [] as string[] }
  const controller = new AbortController()
  return {
    output,
    out: text => output.out.push(text),
    err: text => output.err.push(text),
    bar: line => {
      if (line !== null) output.bars.push(line)
    },
    terminal,
    width,
    colour: wantsColour(terminal, { NO_COLOR: '1' }),
    now: () => new Date(at),
    config: () => loadConfig(env),
    log: (level, message) => {
      if (level === 'warn' || level === 'error') output.err.push(`${level} ${message}`)
    },
    interrupted: () => controller.signal,
    json: <T>() => {
      if (output.out.length !== 1) throw new TypeError(`${output.out.length} documents were printed: ${output.err.join('; ')}`)
      return JSON.parse(output.out[0] ?? '') as T
    },
    interrupt: () => controller.abort(new Error('stopped by SIGINT')),
  }
}

/** Runs commands in an environment; `out` is what they printed. */
export const commandRunner =
  (env: Readonly<Record<string, string>>) =>
  async (...argv: string[]) => {
    const io = keptIo(env)
    const code = await main(argv, io, env)
    return { code, io, out: io.output.out.join('\n') }
  }
