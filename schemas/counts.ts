// Counts and sizes in sentences for people.
import { madeOnce } from './once.ts'

const grouped = madeOnce(() => new Intl.NumberFormat('en-US'))
/** `1,234,567`. */
export const count = (number: number): string => grouped().format(number)
/** `1 file`, `2 files`. */
export const some = (number: number, one: string, many = `${one}s`): string => `${count(number)} ${number === 1 ? one : many}`

/** Bytes in units of 1000, as disks are sold: `512 B`, `1.5 MB`. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
