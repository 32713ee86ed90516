// When two facts are equal (FACTS.md, "When a fact is equal"), and exact sums of printed decimals to compare amounts with.

type Scaled = { readonly digits: bigint; readonly scale: number }

const scaled = (decimal: string): Scaled => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}
const printed = ({ digits, scale }: Scaled): string => {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  const sign = digits < 0n ? '-' : ''
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** The exact product of two decimals. */
export function multiply(left: string, right: string): string {
  const [a, b] = [scaled(left), scaled(right)]
  return printed({ digits: a.digits * b.digits, scale: a.scale + b.scale })
}

/** The exact sum of decimals; `0` of none. */
export function sum(decimals: readonly string[]): string {
  let total: Scaled = { digits: 0n, scale: 0 }
  for (const decimal of decimals) {
    const next = scaled(decimal)
    const scale = Math.max(total.scale, next.scale)
    total = { digits: total.digits * 10n ** BigInt(scale - total.scale) + next.digits * 10n ** BigInt(scale - next.scale), scale }
  }
  return printed(total)
}

/** A number that is printed plainly, or as JSON; `-0-` is a printed nil. Null for anything else. */
function numberOf(value: unknown): string | null {
  if (typeof value === 'number') return /^-?\d+(\.\d+)?$/.test(String(value)) ? String(value) : null
  if (typeof value !== 'string') return null
  const text = value.trim().replaceAll(',', '')
  if (text === '-0-') return '0'
  return /^-?\d+(\.\d+)?$/.test(text) && text.length < 60 ? text : null
}

/** Numbers as numbers, texts trimmed, lists in their order, null only as null. */
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
  if (left !== null && right !== null) return /^0*$/.test(sum([left, negated(right)]).replace(/[-.]/g, ''))
  return typeof expected === 'string' && typeof got === 'string' ? expected.trim() === got.trim() : expected === got
}

const negated = (decimal: string): string => (decimal.startsWith('-') ? decimal.slice(1) : `-${decimal}`)

/** An amount summed from decimals: equal within half a unit of the last digit that the fact prints. */
export function isEqualAmount(expected: unknown, got: unknown): boolean {
  const [left, right] = [numberOf(expected), numberOf(got)]
  if (left === null || right === null) return isEqual(expected, got)
  const difference = scaled(sum([left, negated(right)]))
  const twice = (difference.digits < 0n ? -difference.digits : difference.digits) * 2n
  const unit = scaled(left).scale
  return twice * 10n ** BigInt(unit) <= 10n ** BigInt(difference.scale)
}
