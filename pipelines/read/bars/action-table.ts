// Cells of action tables become corporate actions: amounts and ratios as printed; several of one kind on
// one day are numbered, and every omitted row is counted.
import type { z } from 'zod'
import type { ActionKind } from '#schemas/corporate-actions.ts'
import { Symbol as SymbolText } from '#schemas/values.ts'
import { dayOf, decimalOf, isMissing } from '../csv/cells.ts'
import { createOmissions, type Omissions } from '../omissions.ts'
import type { Fact, Parsed } from '../parsed.ts'

type Kind = z.infer<typeof ActionKind>
type ActionCells = {
  readonly symbol: string
  readonly kind: Kind
  readonly ex_date: string | null | undefined
  readonly numerator?: string | null | undefined
  readonly denominator?: string | null | undefined
  readonly amount?: string | null | undefined
  readonly currency?: string | null | undefined
  readonly record_date?: string | null | undefined
  readonly pay_date?: string | null | undefined
  readonly declared_date?: string | null | undefined
  readonly amount_basis?: Fact<'corporate_actions'>['amount_basis']
  readonly cancelled?: boolean
}
export type ActionTable = Pick<Omissions, 'skip' | 'refuse'> & {
  readonly add: (cells: ActionCells, at: number) => void
  /** Sequence numbers are assigned here, by size, so that the order of a source's rows does not matter. */
  readonly parsed: () => Parsed
}

/** Collects the actions that `source` reports in one document. */
export function actionTable(source: string): ActionTable {
  const actions: Fact<'corporate_actions'>[] = []
  const { refused, skipped, skip, refuse } = createOmissions('corporate_actions')
  const number = (cells: ActionCells, field: 'numerator' | 'denominator' | 'amount', at: number): string | null | undefined => {
    const text = cells[field]
    if (isMissing(text)) return null
    const decimal = decimalOf(text)
    if (decimal !== null && !decimal.startsWith('-')) return decimal
    refuse('bad_number', cells.symbol, `row ${at} of ${cells.ex_date} has ${field} "${String(text).slice(0, 40)}", expected a decimal of 0 or more`, {
      ...cells,
    })
    return undefined
  }

  return {
    skip,
    refuse,
    add: (cells, at) => {
      const exDate = dayOf(cells.ex_date)
      if (exDate === null || !SymbolText.safeParse(cells.symbol).success) {
        refuse('bad_date', cells.symbol, `row ${at} has ex-date "${String(cells.ex_date ?? '').slice(0, 40)}", expected YYYY-MM-DD`, { ...cells })
        return
      }
      const [numerator, denominator, amount] = [number(cells, 'numerator', at), number(cells, 'denominator', at), number(cells, 'amount', at)]
      if (numerator === undefined || denominator === undefined || amount === undefined) return
      actions.push({
        symbol: cells.symbol,
        kind: cells.kind,
        ex_date: exDate,
        sequence: 0,
        source_name: source,
        record_date: dayOf(cells.record_date),
        pay_date: dayOf(cells.pay_date),
        declared_date: dayOf(cells.declared_date),
        numerator,
        denominator,
        amount,
        currency: /^[A-Z]{3}$/.test(cells.currency ?? '') ? (cells.currency ?? null) : null,
        amount_basis: cells.amount_basis ?? 'post_split',
        cancelled: cells.cancelled ?? false,
      })
    },
    parsed: () => {
      const numbered = numberedActions(actions)
      if (numbered.length < actions.length) skip('repeated_row', actions.length - numbered.length)
      return { facts: numbered.length === 0 ? {} : { corporate_actions: numbered }, refused, skipped, follow: [] }
    },
  }
}

function numberedActions(actions: readonly Fact<'corporate_actions'>[]): Fact<'corporate_actions'>[] {
  const once = new Map(actions.map(action => [JSON.stringify(action), action]))
  const days = new Map<string, Fact<'corporate_actions'>[]>()
  for (const action of once.values()) {
    const key = [action.symbol, action.kind, action.ex_date].join('|')
    const day = days.get(key)
    if (day) day.push(action)
    else days.set(key, [action])
  }
  return [...days.values()].flatMap(day =>
    day.length === 1
      ? day
      : day.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)).map((action, sequence) => ({ ...action, sequence })),
  )
}

/**
 * Shares after and before of a printed ratio: `4:1`, `4/1`, `4.000000/1.000000`, `0.1`. A rounded single number becomes
 * the simplest ratio that prints like it (0.005263 is 1/190, 1.3333 is 4/3); any other becomes itself over 1.
 */
export function ratioParts(text: string | null | undefined): { readonly numerator: string; readonly denominator: string } | null {
  const pair = /^\s*([0-9.,eE+-]{1,40})\s*[:/]\s*([0-9.,eE+-]{1,40})\s*$/.exec(text ?? '')
  if (pair) {
    const [numerator, denominator] = [decimalOf(pair[1]), decimalOf(pair[2])]
    return numerator !== null && denominator !== null ? { numerator: trimmed(numerator), denominator: trimmed(denominator) } : null
  }
  const decimal = decimalOf(text)
  if (decimal === null) return null
  return simplest(trimmed(decimal)) ?? { numerator: trimmed(decimal), denominator: '1' }
}
const trimmed = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal)

function simplest(decimal: string): { numerator: string; denominator: string } | null {
  const places = (decimal.split('.')[1] ?? '').length
  const value = Number(decimal)
  // No source prints a ratio with more digits than a double holds.
  if (places < 3 || places > 17 || value <= 0) return null
  const inverse = Math.round(1 / value)
  const candidates: (readonly [number, number])[] = Array.from({ length: 9 }, (_, at) => [Math.round(value * (at + 2)), at + 2] as const)
  if (inverse > 10) candidates.push([1, inverse])
  const found = candidates.find(([top, bottom]) => top > 0 && Number((top / bottom).toFixed(places)) === value)
  return found ? { numerator: String(found[0]), denominator: String(found[1]) } : null
}
