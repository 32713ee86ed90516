// The API's log in the same format as the worker's: one line of text with time, level and sentence.
import { createLog, type Level } from '#warehouse/store/log.ts'

const levels: readonly (readonly [number, Level])[] = [
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [0, 'debug'],
]

/**
 * A stream for pino: each JSON line becomes one line of text, `time level api: message (field=value, …)`. Fields keep their names; the time is
 * that of the entry. A line that is not JSON is written as it is.
 */
export function textLog(write: (line: string) => void): { write(line: string): void } {
  return {
    write(line) {
      const entry = parsed(line)
      if (entry === null) return write(line)
      const { level, time, msg, ...fields } = entry
      const name = levels.find(([least]) => Number(level) >= least)?.[1] ?? 'info'
      const rest = Object.entries(fields)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      createLog('debug', write, () => new Date(Number(time)))(name, `api: ${String(msg ?? '')}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}`)
    },
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null // not an entry of the logger: shown as it is
  }
}
