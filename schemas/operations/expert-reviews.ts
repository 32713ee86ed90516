// Expert reviews of answers: administrators choose the reviewers and read the reviews.
import { ExpertReviewRecorded, ExpertReviewRequest, ExpertReviews, Reviewer, ReviewerToggle } from '../expert-reviews.ts'
import { operation, question } from './operation.ts'
import { capped, flag, shaped, text } from './parameters.ts'

export const expertReviewOperations = [
  operation('create_expert_review', 'POST /api/v1/expert-reviews', {
    tag: 'Expert reviews',
    access: 'user',
    curated: false,
    cache: 'live',
    served_from: 'pg',
    success: 201,
    body_bytes: 256 * 1024,
    summary: 'Records a review of an answer by an expert',
    description:
      'For signed-in users whom an administrator made reviewers; others get 403. A review of severity critical, or of something that could cause an investment loss, opens a draft of an incident, which only administrators see until they publish it.',
    body: ExpertReviewRequest,
    answer: ExpertReviewRecorded,
    idempotency_key: true,
    example: {
      body: {
        expert_id: 'mining-engineer-1',
        category: 'drill_results',
        verdict: 'wrong_unit',
        rating: 2,
        ai_prompt: 'What did hole BR-26-014 hit?',
        ai_output: 'It hit 12.4 m of 3.1 oz/t gold.',
        corrected_output: 'It hit 12.4 m of 3.1 g/t gold.',
        correction_notes: 'The release prints grams per tonne.',
        severity: 'critical',
        could_cause_investment_loss: true,
      },
    },
  }),
  operation('list_expert_reviews', 'GET /api/v1/admin/expert-reviews', {
    tag: 'Admin',
    access: 'admin',
    curated: false,
    cache: 'live',
    served_from: 'pg',
    summary: 'Reviews by experts, the newest first',
    description:
      'In the order of created_at, then id. format=csv or format=ndjson (JSON lines) exports a page; follow next_cursor (or the header Link) for the rest.',
    question: question({
      category: text('reviews of one category', 64, 'drill_results').optional(),
      severity: text('reviews of one severity', 32, 'critical').optional(),
      could_cause_investment_loss: flag('1: only those that could cause an investment loss').optional(),
      limit: capped(500, 'rows', 100),
      cursor: shaped('next_cursor of the previous page', /^[\w-]{1,1000}$/, 'a cursor that this operation gave', 'bm90IGEgcmVhbCBvbmU').optional(),
    }),
    answer: ExpertReviews,
    rows: 'reviews',
    cursor_key: ['instant', 'text'],
    example: '/api/v1/admin/expert-reviews?limit=1',
  }),
  operation('set_reviewer', 'PATCH /api/v1/admin/users/{id}/reviewer', {
    tag: 'Admin',
    access: 'admin',
    curated: false,
    cache: 'live',
    served_from: 'pg',
    summary: 'Allows or forbids an account to write expert reviews',
    description: 'Its existing reviews are kept. The audit chain records the change.',
    question: question({ id: shaped('id of the account', /^[\w-]{1,64}$/, 'an id as the list of accounts has it', 'u_k3J0q2mXv1Zp') }),
    body: ReviewerToggle,
    answer: Reviewer,
    idempotency_key: true,
    example: { request: '/api/v1/admin/users/u_kTZCHfYkpWO5/reviewer', body: { is_reviewer: true } },
  }),
] as const
