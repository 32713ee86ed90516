// Reviews by experts: written by reviewers, read by administrators. A serious one opens a draft of an incident.
import { randomBytes } from 'node:crypto'
import { Forbidden } from '#schemas/errors.ts'
import type { ExpertReview, ExpertReviewRequest } from '#schemas/expert-reviews.ts'
import type { IncidentImpact } from '#schemas/status.ts'
import type { Db } from '../../store/postgres.ts'
import type { Actor } from '../admin/people.ts'
import { openIncident } from '../status/incidents.ts'
import { audit, pseudonymOf } from '../users/audit.ts'
import { lockUser } from '../users/locked-user.ts'
import { isBehind } from '../users/newest-first.ts'
import { asService, type Trx } from '../users/own-rows.ts'

export const newReviewId = (): string => `er_${randomBytes(9).toString('base64url')}`

/** True for a review that an administrator has to see soon. */
const isGrave = ({ severity, could_cause_investment_loss }: Pick<ExpertReviewRequest, 'severity' | 'could_cause_investment_loss'>): boolean =>
  severity.toLowerCase() === 'critical' || could_cause_investment_loss

/** Records a review in the transaction of its author's rows. Throws `Forbidden` if the account is not a reviewer's. */
export async function recordReview(
  trx: Trx,
  userId: string,
  review: ExpertReviewRequest,
  id: string,
  now: Date,
): Promise<{ readonly id: string; readonly created_at: string }> {
  const user = await trx.selectFrom('app_user').select('is_reviewer').where('user_id', '=', userId).executeTakeFirst()
  if (user?.is_reviewer !== true)
    throw new Forbidden('this account does not write expert reviews', {
      hint: 'an administrator makes it a reviewer: PATCH /api/v1/admin/users/{id}/reviewer',
    })
  const created_at = now.toISOString()
  const incident = isGrave(review) ? await asService(trx, () => openIncident(trx, draftOf(id, review, created_at), 'draft')) : null
  await trx
    .insertInto('expert_review')
    .values({ ...review, review_id: id, user_id: userId, incident_id: incident?.id ?? null, created_at })
    .execute()
  return { id, created_at }
}

/** The text of a draft: nothing that the reviewer wrote, because a published incident is public. */
function draftOf(id: string, review: ExpertReviewRequest, started_at: string) {
  const reasons = [
    ...(review.severity.toLowerCase() === 'critical' ? ['severity critical'] : []),
    ...(review.could_cause_investment_loss ? ['could cause an investment loss'] : []),
  ]
  const impact: IncidentImpact = review.could_cause_investment_loss ? 'critical' : 'major'
  return {
    title: 'An expert review reports an error in an answer',
    impact,
    body: `Review ${id}: ${reasons.join(', ')}.`,
    component: null,
    started_at,
  }
}

export type ReviewFilter = {
  readonly category: string | null
  readonly severity: string | null
  readonly could_cause_investment_loss: boolean | null
  readonly after: { readonly created_at: string; readonly id: string } | null
  readonly limit: number
}
/** Reviews, the newest first. */
export async function findReviews(db: Db, { category, severity, could_cause_investment_loss, after, limit }: ReviewFilter): Promise<ExpertReview[]> {
  const rows = await db
    .selectFrom('expert_review as r')
    .innerJoin('app_user as u', 'u.user_id', 'r.user_id')
    .selectAll('r')
    .select('u.email')
    .$if(category !== null, query => query.where('r.category', '=', category as string))
    .$if(severity !== null, query => query.where(({ fn }) => fn<string>('lower', ['r.severity']), '=', severity?.toLowerCase() ?? ''))
    .$if(could_cause_investment_loss === true, query => query.where('r.could_cause_investment_loss', '=', true))
    .where(isBehind('r.created_at', 'r.review_id', after))
    .orderBy('r.created_at', 'desc')
    .orderBy('r.review_id')
    .limit(limit)
    .execute()
  return rows.map(({ review_id, user_id, email, incident_id, created_at, ...review }) => ({
    id: review_id,
    user_id,
    email,
    ...review,
    incident_id,
    created_at,
  }))
}

export type ReviewerRow = { readonly id: string; readonly email: string; readonly is_reviewer: boolean }
/** Grants or revokes the reviewer right in this transaction. Throws `NotFound`. */
export async function setReviewer(trx: Db, actor: Actor, userId: string, isReviewer: boolean, now: Date): Promise<ReviewerRow> {
  const user = await lockUser(trx, userId, ['email', 'is_reviewer'])
  if (user.is_reviewer !== isReviewer) {
    await trx.updateTable('app_user').set({ is_reviewer: isReviewer }).where('user_id', '=', userId).execute()
    const acting =
      actor === 'operator'
        ? null
        : await trx.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', actor.admin).executeTakeFirstOrThrow()
    const by = acting === null ? 'operator' : pseudonymOf(acting)
    await audit(trx, { actor: by, act: 'reviewer.toggle', subject: pseudonymOf(user), details: { is_reviewer: isReviewer } }, now)
  }
  return { id: user.user_id, email: user.email, is_reviewer: isReviewer }
}
