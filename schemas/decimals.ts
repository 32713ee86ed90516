// Printed decimals added, subtracted and shifted exactly; quick for the whole numbers that nearly all of them are.

/** Adds up decimals; 50,000 of them without a BigInt each. */
export class Sum {
  #whole = 0
  #large = 0n
  /** Of decimals with a fraction: the digits, and how many stand behind the point. */
  readonly #fractions = new Map<number, bigint>()

  add(decimal: string): void {
    const point = decimal.indexOf('.')
    if (point < 0) {
      if (decimal.length > 15) this.#large += BigInt(decimal)
      else {
        this.#whole += Number(decimal)
        if (this.#whole > 4e15 || this.#whole < -4e15) {
          this.#large += BigInt(this.#whole)
          this.#whole = 0
        }
      }
      return
    }
    const scale = decimal.length - point - 1
    this.#fractions.set(scale, (this.#fractions.get(scale) ?? 0n) + BigInt(decimal.slice(0, point) + decimal.slice(point + 1)))
  }

  /** The sum in plain digits, without zeros that no summand printed. */
  toString(): string {
    const scale = Math.max(0, ...this.#fractions.keys())
    let digits = (this.#large + BigInt(this.#whole)) * 10n ** BigInt(scale)
    for (const [own, value] of this.#fractions) digits += value * 10n ** BigInt(scale - own)
    return printed(digits, scale)
  }
}

function printed(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : ''
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** `left - right` of two decimals. */
export function difference(left: string, right: string): string {
  const sum = new Sum()
  sum.add(left)
  sum.add(right.startsWith('-') ? right.slice(1) : `-${right}`)
  return sum.toString()
}

/** A decimal times ten to the power of `places`, exactly: `12.5` by 3 is `12500`, `7` by -3 is `0.007`. */
export function shiftDecimal(decimal: string, places: number): string {
  const negative = decimal.startsWith('-')
  const [whole = '0', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.')
  const digits = whole + fraction
  const point = whole.length + places
  const left = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')
  const right = (point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point)).replace(/0+$/, '')
  const plain = left.replace(/^0+(?=\d)/, '')
  const text = right === '' ? plain : `${plain}.${right}`
  return negative && text !== '0' ? `-${text}` : text
}
