// When two facts are equal (FACTS.md, "When a fact is equal").
import { decimalsOf, difference, digitsOf, isSameNumber } from '#schemas/decimals.ts'

/** A plain or JSON number; `-0-` is a printed nil. Null for anything else. */
function numberOf(value: unknown): string | null {
  if (typeof value === 'number') return /^-?\d+(\.\d+)?$/.test(String(value)) ? String(value) : null
  if (typeof value !== 'string') return null
  const text = value.trim().replaceAll(',', '')
  if (text === '-0-') return '0'
  return /^-?\d+(\.\d+)?$/.test(text) && text.length < 60 ? text : null
}

/** Compares numbers as numbers, trimmed texts, and lists in their order; null equals only null. */
export function isEqual(expected: unknown, got: unknown): boolean {
  if (expected === null || got === null || expected === undefined || got === undefined) return expected === got
  if (Array.isArray(expected) || Array.isArray(got)) {
    return (
      Array.isArray(expected) && Array.isArray(got) && expected.length === got.length && expected.every((item, index) => isEqual(item, got[index]))
    )
  }
  if (typeof expected === 'object' || typeof got === 'object') {
    if (typeof expected !== 'object' || typeof got !== 'object') return false
    const [wanted, read] = [new Map(Object.entries(expected)), new Map(Object.entries(got))]
    return wanted.size === read.size && [...wanted].every(([key, value]) => read.has(key) && isEqual(value, read.get(key)))
  }
  const [left, right] = [numberOf(expected), numberOf(got)]
  if (left !== null && right !== null) return isSameNumber(left, right)
  return typeof expected === 'string' && typeof got === 'string' ? expected.trim() === got.trim() : expected === got
}

/** An amount that is a sum of decimals is equal within half a unit of the last digit in the fact. */
export function isEqualAmount(expected: unknown, got: unknown): boolean {
  const [left, right] = [numberOf(expected), numberOf(got)]
  if (left === null || right === null) return isEqual(expected, got)
  const apart = difference(left, right)
  const digits = digitsOf(apart, decimalsOf(apart))
  const twice = (digits < 0n ? -digits : digits) * 2n
  return twice * 10n ** BigInt(decimalsOf(left)) <= 10n ** BigInt(decimalsOf(apart))
}
