// How risk factors of two filings are aligned and classed, as data: rules.json, with its ruleset id.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate, Text } from '#schemas/values.ts'
import data from './rules.json' with { type: 'json' }

const Share = z.number().min(0).max(1)
const Rules = z.strictObject({
  ruleset: Text,
  valid_from: IsoDate,
  source: Text,
  shingle_words: z.int(),
  /** MinHash: with bands of two rows of 128, a pair of Jaccard 0.3 is a candidate with probability 0.997, one of 0.1 with 0.47. */
  permutations: z.int(),
  band_rows: z.int(),
  seed: z.int(),
  weights: z.strictObject({ body_jaccard: Share, body_cosine: Share, heading_jaccard: Share }),
  /** Factors whose headings are this similar are candidates for any body text. */
  candidate_heading_jaccard: Share,
  candidates_per_factor: z.int(),
  /** Groups of candidates larger than this are assigned greedily, best first, instead of optimally: no real section has one. */
  assignment_limit: z.int(),
  unchanged_from: Share,
  modified_minor_from: Share,
  modified_from: Share,
  rewritten_from: Share,
  /** A piece is part of a factor if this share of its shingles is in it. */
  containment_from: Share,
  moved_ranks: z.int(),
  /** Characters of either side of a hunk that an answer quotes. */
  hunk_characters: z.int(),
  /** An amendment restates the section if it has at least this many words of it. */
  restated_words: z.int(),
})
export type DiffRules = z.infer<typeof Rules>

export const diffRules: DiffRules = parseOnce(Rules, data)
