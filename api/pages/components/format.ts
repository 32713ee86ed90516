// Numbers, dates and ages as people read them. Null is a dash that screen readers read as "not known", never 0.
import { daySeconds } from '#schemas/days.ts'
import { type Html, html } from '../html.ts'

export const unknown: Html = html`<span class="unknown" title="not known"><span aria-hidden="true">–</span><span class="hidden">not known</span></span>`
const minus = '\u2212'

type Digits = { readonly least?: number; readonly most?: number }

/** A number with groups of three and a true minus sign; between `least` and `most` decimals, rounded half away from zero. */
export function number(value: number, { least = 0, most = 12 }: Digits = {}): string {
  const fixed = round(Math.abs(value), most)
  const [whole = '0', fraction = ''] = fixed.split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(least, '0')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  const zero = !/[1-9]/.test(fixed)
  return `${value < 0 && !zero ? minus : ''}${grouped}${kept === '' ? '' : `.${kept}`}`
}

/** Rounds the decimal text of a number, so that 1.005 becomes 1.01 at two decimals. */
function round(value: number, most: number): string {
  const text = plain(value)
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length <= most) return text
  const digits = `${whole}${fraction.slice(0, most)}`
  const up = fraction.charCodeAt(most) - 48 >= 5
  const units = (BigInt(digits) + (up ? 1n : 0n)).toString().padStart(most + 1, '0')
  return most === 0 ? units : `${units.slice(0, -most)}.${units.slice(-most)}`
}
/** A number as decimal digits without an exponent. */
function plain(value: number): string {
  const text = String(value)
  const match = /^(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, whole = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent)
  if (shift < 0) return `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  const digits = (whole + fraction).padEnd(whole.length + shift, '0')
  return digits.length > whole.length + shift ? `${digits.slice(0, whole.length + shift)}.${digits.slice(whole.length + shift)}` : digits
}

/** A price: two decimals, more if the source prints more (up to four, or six below one). */
export const price = (value: number): string => number(value, { least: 2, most: Math.abs(value) < 1 ? 6 : 4 })
/** An amount of money with its currency in front. */
export const money = (value: number, currency: string): string => `${price(value)}\u00a0${currency}`
export const percent = (value: number, most = 2): string => `${number(value, { least: most, most })}\u00a0%`
/** With a sign in front, also a plus. */
const signed = (text: string, value: number): string => (value > 0 ? `+${text}` : text)

const scales = [
  [1e12, 'trillion', 'T'],
  [1e9, 'billion', 'B'],
  [1e6, 'million', 'M'],
] as const
/** A large number in short form (`18.04 B`), with all its digits as its title and for screen readers. */
export function compact(value: number, unit = ''): Html {
  const suffix = unit === '' ? '' : `\u00a0${unit}`
  const scale = scales.find(([from]) => Math.abs(value) >= from)
  if (!scale) return html`${number(value, { most: 2 })}${suffix}`
  const short = number(value / scale[0], { least: 2, most: 2 })
  return html`<span title="${number(value)}${suffix}"><span aria-hidden="true">${short}\u00a0${scale[2]}${suffix}</span><span class="hidden">${short} ${scale[1]}${suffix}</span></span>`
}

/** A value, or the dash for null. */
export const orUnknown = <T>(value: T | null | undefined, show: (value: T) => Html | string): Html | string =>
  value === null || value === undefined ? unknown : show(value)

/** A change: sign, colour and arrow, so that the direction does not depend on the colour. */
export function change(value: number, text: string): Html {
  const tone = value > 0 ? 'up' : value < 0 ? 'down' : 'flat'
  return html`<span class="${tone}">${signed(text, value)}</span>`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
/** A calendar day as text, as `19 Nov 2026`. */
export function dayText(date: string): string {
  const [year = '', month = '1', of = '1'] = date.slice(0, 10).split('-')
  return `${Number(of)}\u00a0${months[Number(month) - 1] ?? month}\u00a0${year}`
}
/** A calendar day, as `19 Nov 2026`. */
export const day = (date: string): Html => html`<time datetime="${date.slice(0, 10)}">${dayText(date)}</time>`
/** The period that begins on a day, by its length: `2026`, `Q4 2026`, `Oct 2026`; a shorter one as its first day. */
export function period(date: string, frequency: string): Html {
  const [year = '', month = '1'] = date.split('-')
  if (frequency === 'annual') return html`<time datetime="${year}">${year}</time>`
  if (frequency === 'quarterly') return html`<time datetime="${date}">Q${Math.ceil(Number(month) / 3)}\u00a0${year}</time>`
  if (frequency === 'monthly') return html`<time datetime="${`${year}-${month}`}">${months[Number(month) - 1] ?? month}\u00a0${year}</time>`
  return day(date)
}
export { instant } from '../layout.ts'

/** A reason of an answer for people: instants as days with a time, ages in the largest unit that fits. */
export const readable = (text: string): string =>
  text
    .replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z/g, (_all, date: string, time: string) => `${dayText(date)}, ${time} UTC`)
    .replaceAll(
      /(\d+) seconds old; at most (\d+)/g,
      (_all, age: string, most: string) => `${duration(Number(age))} old; at most ${duration(Number(most))}`,
    )
    .replaceAll('the toronto line', 'the Toronto line')
    .replaceAll('the us line', 'the US line')

/** The time between two instants in the largest unit that fits: `12 minutes`, `3 days`. */
export function duration(seconds: number): string {
  const units = [
    [daySeconds, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const
  const [length, unit] = units.find(([from]) => seconds >= from * 1.5 || (from === 60 && seconds >= 60)) ?? [1, 'second']
  const count = Math.max(0, Math.round(seconds / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
