// What a ruleset says of the words of a press release: cues of trouble, what resolves them, what denies them.
import { z } from 'zod'
import { dated } from '../editions.ts'

const Phrases = z.array(z.string().regex(/^[a-z0-9$][a-z0-9$ .-]*$/, 'expected words in lower case')).min(1)

export const Cue = z.strictObject({
  cue: z.string().regex(/^[a-z][a-z0-9_]{1,40}$/),
  title: z.string(),
  phrases: Phrases,
  /** Points out of the component's hundred (PRODUCT). */
  points: z.int().min(0).max(100),
  /** A sentence that tells of compliance regained takes it back. */
  resolvable: z.boolean(),
  deniable: z.boolean(),
  ...dated,
})
export type Cue = z.infer<typeof Cue>

/** Words are compared without case, hyphens and line breaks. */
export const Signal = z.strictObject({
  component: z.string(),
  rule: z.strictObject({
    /** Say that compliance was regained: take back what the same sentence tells, and what a sentence about the past tells. */
    resolutions: Phrases,
    /** Say that the whole matter is over: take back what any sentence tells. */
    closings: Phrases,
    /** Mark a sentence that tells again what was told before. */
    past: Phrases,
    /** In a sentence, before the cue and not further than `denial_words` words away: deny it, where the cue can be denied. */
    denials: Phrases,
    /** Words that begin as a denial does and deny something else: `no assurance that`. */
    not_denials: Phrases,
    denial_words: z.int().min(1).max(12),
    /** Before a resolution, as near: it has not happened. */
    unfulfilled: Phrases,
    /** Say that something new went wrong: what is taken back by `past` and `closings` stands in such a sentence. */
    renewals: Phrases,
    ...dated,
  }),
  cues: z.array(Cue).min(1),
})
export type Signals = z.infer<typeof Signal>
