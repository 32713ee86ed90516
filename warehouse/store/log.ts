// Log lines for a terminal or a file: time, level, one sentence. No secrets, no control characters.

export type Level = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: Level, message: string) => void

const order: readonly Level[] = ['debug', 'info', 'warn', 'error']

/** Characters that could forge another line or move a terminal's cursor. */
const isControl = (code: number): boolean => code < 32 || (code >= 127 && code < 160)
export const oneLine = (message: string): string => [...message].map(each => (isControl(each.codePointAt(0) ?? 0) ? ' ' : each)).join('')

/** Writes lines of `least` and above; `silent` writes none. */
export function createLog(least: Level | 'silent', write: (line: string) => void, now: () => Date = () => new Date()): Log {
  return (level, message) => {
    if (least === 'silent' || order.indexOf(level) < order.indexOf(least)) return
    write(`${now().toISOString().slice(0, 19).replace('T', ' ')} ${level.padEnd(5)} ${oneLine(message)}\n`)
  }
}
