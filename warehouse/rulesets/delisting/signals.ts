// A ruleset's words for press releases: cues of trouble, of its resolution, and of its denial.
import { z } from 'zod'
import { dated } from '../editions.ts'

const Phrases = z.array(z.string().regex(/^[a-z0-9$][a-z0-9$ .-]*$/, 'expected words in lower case')).min(1)

export const Cue = z.strictObject({
  cue: z.string().regex(/^[a-z][a-z0-9_]{1,40}$/),
  title: z.string(),
  phrases: Phrases,
  /** Points out of the component's hundred (PRODUCT). */
  points: z.int().min(0).max(100),
  /** A sentence that reports regained compliance resolves it. */
  resolvable: z.boolean(),
  deniable: z.boolean(),
  ...dated,
})
export type Cue = z.infer<typeof Cue>

/** Words are compared without case, hyphens and line breaks. */
export const Signal = z.strictObject({
  component: z.string(),
  rule: z.strictObject({
    /** Report regained compliance: resolve cues in the same sentence, and in a sentence about the past. */
    resolutions: Phrases,
    /** Report that the whole matter is over: resolve cues in any sentence. */
    closings: Phrases,
    /** Mark a sentence that repeats earlier news. */
    past: Phrases,
    /** In a sentence, before the cue and at most `denial_words` words away: deny it, if the cue can be denied. */
    denials: Phrases,
    /** Words that begin as a denial does and deny something else: `no assurance that`. */
    not_denials: Phrases,
    denial_words: z.int().min(1).max(12),
    /** Before a resolution, as near: it has not happened. */
    unfulfilled: Phrases,
    /** Report new trouble: cues in such a sentence are not resolved by `past` and `closings`. */
    renewals: Phrases,
    ...dated,
  }),
  cues: z.array(Cue).min(1),
})
