// Reviews of answers by experts (ExpertReviewRequest is the specification's record).
import { z } from 'zod'
import { NextCursor } from './answer.ts'
import { plainText } from './plain-text.ts'
import { Count, Flag, Instant, Int, Text } from './values.ts'

const long = plainText(32_000).default('')
/** One to `max` characters, not all of them blanks. */
const short = (max: number) => plainText(max).refine(text => text.trim() !== '', 'expected at least one character')
export const ExpertReviewRequest = z.strictObject({
  expert_id: short(64).describe('a label by which the reviewer is listed; who wrote the review is the account that is signed in'),
  category: short(64).describe('what the answer was about, e.g. drill_results'),
  verdict: short(200),
  rating: z.int().min(0).max(10).default(5),
  ai_prompt: long,
  ai_output: long,
  corrected_output: long,
  correction_notes: long,
  severity: short(32).default('low').describe('critical opens a draft of an incident'),
  could_cause_investment_loss: z.boolean().default(false).describe('true opens a draft of an incident'),
})
export type ExpertReviewRequest = z.infer<typeof ExpertReviewRequest>
export const ExpertReviewRecorded = z.strictObject({ id: Text, status: z.literal('recorded'), created_at: Instant })

export const ExpertReview = z.strictObject({
  id: Text,
  user_id: Text,
  email: Text,
  expert_id: Text,
  category: Text,
  verdict: Text,
  rating: Int,
  ai_prompt: Text,
  ai_output: Text,
  corrected_output: Text,
  correction_notes: Text,
  severity: Text,
  could_cause_investment_loss: Flag,
  incident_id: Text.nullable().describe('the draft of an incident that it opened'),
  created_at: Instant,
})
export type ExpertReview = z.infer<typeof ExpertReview>
export const ExpertReviews = z.strictObject({ count: Count, reviews: z.array(ExpertReview), next_cursor: NextCursor })

export const ReviewerToggle = z.strictObject({ is_reviewer: z.boolean() })
export const Reviewer = z.strictObject({ id: Text, email: Text, is_reviewer: Flag })
