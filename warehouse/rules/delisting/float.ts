// The public float of a class from the numbers of a request, its shares of the whole, and what does not fit.
import { compareDecimals, difference, quotientOf, shiftDecimal, signedSum } from '#schemas/decimals.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { DelistingRules } from '../../rulesets/delisting/rules.ts'
import type { LargeHolder } from './types.ts'

export type ShareNumbers = {
  readonly total_shares: number
  readonly insider_shares: number
  readonly institutional_shares: number
  readonly restricted_shares: number
}
type FloatFlag = { readonly code: string; readonly explanation: string }
export type Float = {
  readonly total_shares: string | null
  readonly public_float_shares: string | null
  /** Without holders of more than a tenth who may be part of it; null: no lower bound is known. */
  readonly publicly_held_least: string | null
  readonly retail_float_shares: string | null
  readonly public_float_pct: string | null
  readonly insider_pct: string | null
  readonly institutional_pct: string | null
  readonly restricted_pct: string | null
  readonly retail_pct: string | null
  readonly band: string | null
  readonly flags: readonly FloatFlag[]
}

const unknown: Float = {
  total_shares: null,
  public_float_shares: null,
  publicly_held_least: null,
  retail_float_shares: null,
  public_float_pct: null,
  insider_pct: null,
  institutional_pct: null,
  restricted_pct: null,
  retail_pct: null,
  band: null,
  flags: [],
}

/**
 * total - insider - restricted; institutions hold a part of that. A total of 0 counts as not stated, and the float is then unknown. Throws
 * `BadRequest` (400) if the parts exceed the whole.
 */
export function floatOf(numbers: ShareNumbers, holders: readonly LargeHolder[], rules: DelistingRules): Float {
  if (numbers.total_shares === 0) return { ...unknown, flags: untold(numbers) }
  const [total, insider, institutional, restricted] = [
    String(numbers.total_shares),
    String(numbers.insider_shares),
    String(numbers.institutional_shares),
    String(numbers.restricted_shares),
  ]
  const float = difference(difference(total, insider), restricted)
  if (float.startsWith('-'))
    throw contradiction(
      `insider_shares ${insider} and restricted_shares ${restricted} are together ${float.slice(1)} more than total_shares ${total}`,
    )
  if (compareDecimals(institutional, total) > 0) throw contradiction(`institutional_shares ${institutional} are more than total_shares ${total}`)
  const retail = difference(float, institutional)
  const overlap = retail.startsWith('-')
  const pct = (part: string): string => quotientOf(shiftDecimal(part, 2), total, 4)
  const retailFloor = overlap ? '0' : retail
  return {
    total_shares: total,
    public_float_shares: float,
    publicly_held_least: numbers.insider_shares === 0 ? null : leastHeld(float, holders),
    retail_float_shares: retailFloor,
    public_float_pct: pct(float),
    insider_pct: pct(insider),
    institutional_pct: pct(institutional),
    restricted_pct: pct(restricted),
    retail_pct: pct(retailFloor),
    band: rules.bands.find(({ below_shares }) => compareDecimals(float, below_shares) < 0)?.band ?? null,
    flags: [
      ...(overlap
        ? [
            {
              code: 'overlap',
              explanation: `institutional_shares ${institutional} are ${retail.slice(1)} more than the public float ${float}: insider or restricted shares are counted twice`,
            },
          ]
        : []),
      ...(numbers.insider_shares === 0
        ? [{ code: 'insider_shares_zero', explanation: 'insider_shares is 0, the value of a request without it: the float is an upper bound' }]
        : []),
    ],
  }
}

const contradiction = (message: string): BadRequest =>
  new BadRequest(message, { hint: 'parts of the shares outstanding cannot be more than total_shares: correct one of these numbers' })

function untold(numbers: ShareNumbers): FloatFlag[] {
  const parts = (['insider_shares', 'institutional_shares', 'restricted_shares'] as const).filter(name => numbers[name] > 0)
  return parts.length === 0
    ? []
    : [{ code: 'total_shares_zero', explanation: `total_shares is 0, which counts as missing: ${parts.join(' and ')} alone give no float` }]
}

/** Holders of more than a tenth are not public. Whether insiders are among them is unknown, so this is a lower bound of the public's shares. */
function leastHeld(float: string, holders: readonly LargeHolder[]): string | null {
  if (holders.some(({ shares }) => shares === null)) return null
  const least = signedSum([{ sign: 1, value: float }, ...holders.map(({ shares }) => ({ sign: -1 as const, value: shares as string }))])
  return least.startsWith('-') ? '0' : least
}
