// Transaction codes of Forms 3, 4 and 5 (Form 4, General Instruction 8) and their class for signals.
import type { z } from 'zod'
import type { CodeClass } from '#schemas/insider.ts'

const classes: Readonly<Record<string, z.infer<typeof CodeClass>>> = {
  P: 'open_market_buy',
  S: 'open_market_sell',
  A: 'compensation',
  D: 'compensation',
  F: 'tax',
  I: 'plan',
  M: 'derivative',
  C: 'derivative',
  E: 'derivative',
  H: 'derivative',
  O: 'derivative',
  X: 'derivative',
  K: 'derivative',
  G: 'gift',
  L: 'other',
  W: 'other',
  Z: 'other',
  J: 'other',
  U: 'corporate',
}

/** `unknown` for a missing code and for one that the form does not have (V is a mark next to a code, never a code). */
export const codeClass = (code: string | null): z.infer<typeof CodeClass> =>
  code !== null && Object.hasOwn(classes, code) ? (classes[code] ?? 'unknown') : 'unknown'
