// The API's log in the same format as the worker's: one line with time, level and sentence.
import { type Level, type LogFormat, logLine } from '#warehouse/store/log.ts'

const levels: readonly (readonly [number, Level])[] = [
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [0, 'debug'],
]

/**
 * A stream for pino: each JSON line becomes one line of text, `time level api: message (field=value, …)`, or of JSON with the same members as the
 * worker's. Fields keep their names; the time is that of the entry. A line that is not JSON is written as it is.
 */
export function sharedLog(write: (line: string) => void, format: LogFormat = 'text'): { write(line: string): void } {
  return {
    write(line) {
      const entry = parsed(line)
      if (entry === null) return write(line)
      const { level, time, msg, ...fields } = entry
      const name = levels.find(([least]) => Number(level) >= least)?.[1] ?? 'info'
      write(logLine(format, name, `api: ${String(msg ?? '')}`, new Date(Number(time)), fields))
    },
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null // not an entry of the logger: written unchanged
  }
}
