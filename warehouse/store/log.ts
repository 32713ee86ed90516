// Log lines for a terminal or a file: time, level, one sentence; as text or as one JSON object a line. No secrets, no control characters.

export type Level = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: Level, message: string) => void

const order: readonly Level[] = ['debug', 'info', 'warn', 'error']

/** Characters that could forge another line or move a terminal's cursor. */
const isControl = (code: number): boolean => code < 32 || (code >= 127 && code < 160)
export const oneLine = (message: string): string => [...message].map(each => (isControl(each.codePointAt(0) ?? 0) ? ' ' : each)).join('')

const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]
/** Values of an entry in addition to its sentence. */
export type LogFields = Readonly<Record<string, unknown>>

/** Writes lines of `least` and above; `silent` writes none. */
export function createLog(
  least: Level | 'silent',
  write: (line: string) => void,
  now: () => Date = () => new Date(),
  format: LogFormat = 'text',
): Log {
  return (level, message) => {
    if (least === 'silent' || order.indexOf(level) < order.indexOf(least)) return
    write(logLine(format, level, message, now()))
  }
}

/** One entry as a line. JSON: `time`, `level`, `message`, then the fields; text: the fields in brackets after the sentence. */
export function logLine(format: LogFormat, level: Level, message: string, at: Date, fields: LogFields = {}): string {
  const held = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  if (format === 'json') return `${JSON.stringify({ time: at.toISOString(), level, message: oneLine(message), ...Object.fromEntries(held) })}\n`
  const more = held.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const sentence = `${message}${more.length === 0 ? '' : ` (${more.join(', ')})`}`
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} ${level.padEnd(5)} ${oneLine(sentence)}\n`
}
