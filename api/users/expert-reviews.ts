// Reviews by experts over HTTP.
import type { z } from 'zod'
import type { ExpertReviewRequest, ReviewerToggle } from '#schemas/expert-reviews.ts'
import { findReviews, newReviewId, recordReview, setReviewer } from '#warehouse/people/expert-reviews/expert-reviews.ts'
import type { Handler } from '../handler.ts'
import { acted, administrator, afterRow, listAnswer } from './admin.ts'
import { type UserTools, userOf, written } from './tools.ts'

export function expertReviewHandlers(tools: UserTools) {
  const { db } = tools

  const create: Handler<'create_expert_review'> = async (_question, context) =>
    await written(tools, context, async trx => {
      const { id, created_at } = await recordReview(trx, userOf(context).user_id, context.body as ExpertReviewRequest, newReviewId(), context.now())
      return { status: 201, body: { id, status: 'recorded', created_at } }
    })

  const list: Handler<'list_expert_reviews'> = async (question, context) => {
    await administrator(tools, context)
    const found = await findReviews(db, {
      category: question.category ?? null,
      severity: question.severity ?? null,
      could_cause_investment_loss: question.could_cause_investment_loss ?? null,
      after: afterRow(context, question),
      limit: question.limit + 1,
    })
    return listAnswer(context, question, 'reviews', found, row => [row.created_at, row.id])
  }

  const toggle: Handler<'set_reviewer'> = async ({ id }, context) => {
    const session = await administrator(tools, context)
    const { is_reviewer } = context.body as z.output<typeof ReviewerToggle>
    return await acted(tools, context, session, async trx => ({
      body: await setReviewer(trx, { admin: session.user_id }, id, is_reviewer, context.now()),
      act: null,
    }))
  }

  return { create_expert_review: create, list_expert_reviews: list, set_reviewer: toggle }
}
