// Decimals with every digit that an operation printed: JSON.parse would make binary floats of them.
import type { Outcome } from '../page.ts'

/** A value whose numbers are the text of their digits. */
export type Exact<T> = T extends number
  ? string
  : T extends readonly (infer E)[]
    ? readonly Exact<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Exact<T[K]> }
      : T

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const { parse } = JSON as unknown as { parse(text: string, reviver: Reviver): unknown }

/** The answer of an operation with all digits. */
export const exactly = <A>({ text }: Extract<Outcome<A>, { ok: true }>): Exact<A> =>
  parse(text, (_key, value, { source }) => (typeof value === 'number' && source !== undefined ? source : value)) as Exact<A>

/** A decimal as people read it: groups of three and a true minus sign; no digit is added or rounded away. */
export function decimal(text: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(text) ?? []
  return whole === '' ? text : `${sign && '\u2212'}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}
