// FACTS.md, `diff/NAME`: how many sentences of the risk factors two reports share. Ratios are compared, because another splitter gives
// different absolute numbers.
import { Unreadable } from '#schemas/errors.ts'
import { compareSentences } from '#warehouse/rules/risk-factors/sentences.ts'
import type { Entry, Evaluator, Found, Outcome } from './compare.ts'
import { riskFactorsOf } from './tenk.ts'

const evaluated = ['unchanged', 'added', 'removed'] as const
/** A ratio may differ by 3 % of its value, or by three sentences. */
const tolerance = { share: 0.03, sentences: 3 }

export const diff: Evaluator = (found, entry, fields) => {
  const [old, recent] = [textOf(found, entry, 'old'), textOf(found, entry, 'new')]
  const counts = compareSentences(old, recent)
  return evaluated
    .filter(field => fields.includes(field))
    .map(field => {
      const side = field === 'removed' ? 0 : 1
      const total = side === 0 ? counts.old : counts.new
      const expected = ratioOf(entry[field], sentencesOf(entry, side))
      const got = total === 0 ? null : counts[field] / total
      return outcome(field, expected, got, total)
    })
}

function outcome(field: string, expected: number | null, got: number | null, total: number): Outcome {
  const allowed = expected === null ? 0 : Math.max(tolerance.share * expected, total === 0 ? 0 : tolerance.sentences / total)
  const equal = expected === null || got === null ? expected === got : Math.abs(expected - got) <= allowed
  return { field: `${field} ratio`, equal, expected, got }
}

const ratioOf = (count: unknown, total: number | null): number | null =>
  typeof count === 'number' && total !== null && total > 0 ? count / total : null
function sentencesOf(entry: Entry, side: 0 | 1): number | null {
  const total: unknown = Array.isArray(entry['sentences']) ? entry['sentences'][side] : null
  return typeof total === 'number' ? total : null
}

/** The visible text of the section; throws if it is not printed, as an answer would. */
function textOf(found: Found, entry: Entry, side: 'old' | 'new'): string {
  const key = entry[side]
  if (typeof key !== 'string') throw new Unreadable('pair_incomplete', `the entry names no ${side} document`)
  const document = found.other(key)
  if (typeof document === 'string') throw new Unreadable('pair_incomplete', `${key}: ${document}`)
  const { prose, item } = riskFactorsOf(document.document)
  if (item === null || (item.status !== 'full' && item.status !== 'update')) {
    throw new Unreadable('section_missing', `${key}: its risk factors are ${item?.status ?? 'not_present'}`)
  }
  return prose.text.slice(item.start, item.end)
}
