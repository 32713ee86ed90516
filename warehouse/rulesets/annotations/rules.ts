// Which moves of a price series are notable, and how far back earlier known events are listed.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { Count, IsoDate, Symbol } from '#schemas/values.ts'
import table from './rules.json' with { type: 'json' }

const Rules = z.strictObject({
  ruleset: z.string().regex(/^annotations@\d+$/),
  published: IsoDate,
  valid_from: IsoDate,
  source: z.string(),
  /** Returns before a move by which its volatility is measured, and how many of them there must be. */
  returns_before: z.int().min(2),
  least_returns: z.int().min(2),
  /** A move is notable from this multiple of the volatility on. */
  threshold: z.number().positive(),
  /** Days before the interval of a move from which on items are listed. */
  known_before_days: Count,
  /** Days of our own prices that are read if the request brings none. */
  lake_days: Count,
  /** The newest moves, and items of each list of a move. */
  most_moves: Count,
  most_items: Count,
  /** The listing of the bundled universe that answers for DEMO. */
  demo_symbol: Symbol,
})
export const annotationRules = parseOnce(Rules, table)
export type AnnotationRules = typeof annotationRules
