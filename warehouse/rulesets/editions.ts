// The common parts of every ruleset's file: rows with their validity, sources and certainty, and editions that are selected by name.
import { z } from 'zod'
import type { Source } from '#schemas/answer.ts'
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'

/** primary: the rule's own text; secondary: who reports it; general_knowledge: believed, to be verified before anyone relies on it. */
export const Confidence = z.enum(['primary', 'secondary', 'general_knowledge'])
export type Confidence = z.infer<typeof Confidence>
/** Members of a row of rules; `source` names entries of the ruleset's own list. */
export const dated = { confidence: Confidence, source: z.array(z.string()).min(1), valid_from: IsoDate, valid_to: IsoDate.nullable() }
export const RuleSource = z.strictObject({ id: z.string(), name: z.string(), url: z.string().nullable() })
export type RuleSource = z.infer<typeof RuleSource>
/** Members of an edition of a calculator's ruleset; `name` is the form of its name. */
export const calculatorEdition = (name: RegExp) => ({
  ruleset: z.string().regex(name),
  published: IsoDate,
  valid_from: IsoDate,
  valid_to: IsoDate.nullable(),
  rounding: z.string(),
  sources: z.array(RuleSource),
  assumptions: z.array(z.string()),
  not_covered: z.array(z.string()),
})
/** Members of an edition of rules that say how data is read; `name` is the form of its name. */
export const methodEdition = (name: RegExp) => ({
  ruleset: z.string().regex(name),
  published: IsoDate,
  valid_from: IsoDate,
  sources: z.array(z.string()).min(1),
})

/** The edition of a name, the newest (first) without one; throws `BadRequest` that lists them. */
export function editionOf<R extends { readonly ruleset: string }>(editions: readonly R[], name: string | undefined): R {
  const found = name === undefined ? editions[0] : editions.find(each => each.ruleset === name)
  if (found) return found
  throw new BadRequest(`ruleset ${name}: no edition has this name`, {
    hint: `ruleset is one of ${editions.map(each => each.ruleset).join(', ')}`,
  })
}

/** The sources of rows as an answer lists them, in the order of the ruleset's list. */
export function citedSources(listed: readonly RuleSource[], rows: Iterable<{ readonly source: readonly string[] }>): Source[] {
  const used = new Set([...rows].flatMap(row => row.source))
  return listed
    .filter(source => used.has(source.id))
    .map(({ id, name, url }) => ({ name: `${id}: ${name}`, accession: null, url, retrieved_at: null, sha256: null }))
}

/** The least sure of some rows. */
export function leastSure(confidences: readonly Confidence[]): Confidence {
  const order = Confidence.options
  return confidences.reduce<Confidence>((a, b) => (order.indexOf(b) > order.indexOf(a) ? b : a), 'primary')
}
