// The ruleset of standard line items: the XBRL concepts of each, in order. Checked once, when the module loads.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { methodEdition } from '../editions.ts'
import table from './rules.json' with { type: 'json' }

const Concept = z.string().regex(/^[a-z][a-z-]*:[A-Za-z0-9]+$/, 'expected a concept such as us-gaap:Assets')
/**
 * Tiers of concepts. Those of one tier mean the same, so that of a period the filing that stated it last holds; a later tier is
 * used only if the previous ones have no value.
 */
const Tiers = z.array(z.array(Concept).min(1)).min(1)
const Sign = z.union([z.literal(1), z.literal(-1)]).default(1)
const Part = z.union([
  z.strictObject({
    first: Tiers,
    sign: Sign,
    /** A part that is not stated is skipped if it is optional; otherwise the rule fails. */
    optional: z.boolean().default(false),
    /** Skipped if one of these concepts was used, because it includes this part. */
    unless: z.array(Concept).default([]),
    /** Skipped if one of these was used with the same value: one line of the statement that has two tags. */
    unless_equal: z.array(Concept).default([]),
  }),
  z.strictObject({ item: z.string(), sign: Sign, optional: z.boolean().default(false) }),
])
const Rule = z.union([z.strictObject({ first: Tiers }), z.strictObject({ sum: z.array(Part).min(1) })])

/**
 * `flow`: over a period, adds up over time; `rate`: over a period, does not (per-share amounts, average shares); `level`: at an
 * instant; `cover`: counted on the cover of a filing, on a separate day.
 */
const Kind = z.enum(['flow', 'rate', 'level', 'cover'])
export const Item = z.strictObject({
  item: z.string().regex(/^[a-z][a-z_]*$/),
  title: z.string().min(3),
  kind: Kind,
  unit: z.enum(['currency', 'currency_per_share', 'shares']),
  rules: z.array(Rule).min(1),
  note: z.string().optional(),
})
const Days = z.tuple([z.int(), z.int()])
const LineItems = z
  .strictObject({
    ...methodEdition(/^line-items@\d+$/),
    /** Filings whose figures are financial statements: a proxy's pay table or a fee table states figures too, for another purpose. */
    forms: z.array(z.string()),
    /** Those of them that state whole fiscal years; a utility's 10-Q states twelve months that are not a fiscal year. */
    annual_forms: z.array(z.string()),
    /** Length of a fiscal year of 52 or 53 weeks, and of a quarter of 12 to 17 weeks, in days from the first to the last. */
    days: z.strictObject({ annual: Days, quarter: Days }),
    items: z.array(Item),
  })
  .check(context => {
    const known = new Set<string>()
    for (const { item, rules } of context.value.items) {
      for (const rule of rules) {
        for (const part of 'sum' in rule ? rule.sum : [])
          if ('item' in part && !known.has(part.item))
            context.issues.push({ code: 'custom', message: `${item}: ${part.item} is not defined before it`, input: part.item })
      }
      if (known.has(item)) context.issues.push({ code: 'custom', message: `${item} occurs twice`, input: item })
      known.add(item)
    }
  })

export type LineItem = z.infer<typeof Item>
export type LineItemRule = z.infer<typeof Rule>
export type LineItemPart = z.infer<typeof Part>
export type LineItemRules = z.infer<typeof LineItems>

export const lineItems: LineItemRules = parseOnce(LineItems, table)

/** Every concept that the rules name, `us-gaap:Assets`. */
export function conceptsOf(rules: LineItemRules): string[] {
  const found = new Set<string>()
  const take = (tiers: readonly (readonly string[])[]): void => {
    for (const tier of tiers) for (const concept of tier) found.add(concept)
  }
  for (const { rules: list } of rules.items) {
    for (const rule of list) {
      if ('first' in rule) take(rule.first)
      else for (const part of rule.sum) if ('first' in part) take(part.first)
    }
  }
  return [...found].sort()
}
