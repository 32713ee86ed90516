// Counts in sentences for people.
import { madeOnce } from './once.ts'

const grouped = madeOnce(() => new Intl.NumberFormat('en-US'))
/** `1,234,567`. */
export const count = (number: number): string => grouped().format(number)
/** `1 file`, `2 files`. */
export const some = (number: number, one: string, many = `${one}s`): string => `${count(number)} ${number === 1 ? one : many}`
