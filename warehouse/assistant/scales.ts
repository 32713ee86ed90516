// Numbers with a word for their size: "1 billion", "250k".
import { shiftDecimal } from '#schemas/decimals.ts'

const zeros: Readonly<Record<string, number>> = { k: 3, thousand: 3, m: 6, mn: 6, million: 6, b: 9, bn: 9, billion: 9, trillion: 12 }
const words = Object.keys(zeros).sort((a, b) => b.length - a.length)

/** The number that digits with a word for their size mean, exactly: `1.5` and `billion` are `1500000000`. Other words change nothing. */
export const scaled = (digits: string, scale: string | undefined): string => shiftDecimal(digits.replaceAll(',', ''), zeros[scale ?? ''] ?? 0)

/** The numbers that these digits, with the word after them, mean in a text. */
export function scaledIn(text: string, digits: string): string[] {
  const escaped = digits.replaceAll(/[.+*?^${}()|[\]\\]/g, '\\$&')
  return [...text.toLowerCase().matchAll(new RegExp(`(?<![\\d.,])${escaped}\\s*(${words.join('|')})\\b`, 'g'))].map(match => scaled(digits, match[1]))
}

/** A unit with the size that it begins with: `thousands of persons` is persons, in thousands (power 3). Other units have the power 0. */
export function knownScale(unit: string): { readonly unit: string; readonly power: number } {
  const match = /^(thousand|million|billion|trillion)s?(?: of)? (.+)$/i.exec(unit)
  return match === null ? { unit, power: 0 } : { unit: match[2] ?? unit, power: zeros[(match[1] ?? '').toLowerCase()] ?? 0 }
}
