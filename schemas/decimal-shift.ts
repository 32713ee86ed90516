// Thousands into dollars and back, digit by digit.

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
