// Kysely's type of reviews by experts (migrations/0028).
import type { Generated } from 'kysely'

export type ExpertReviewTables = {
  expert_review: {
    review_id: string
    user_id: string
    expert_id: string
    category: string
    verdict: string
    rating: number
    ai_prompt: string
    ai_output: string
    corrected_output: string
    correction_notes: string
    severity: string
    could_cause_investment_loss: boolean
    incident_id: string | null
    created_at: Generated<string>
  }
}

declare module '../../store/database.ts' {
  interface Database extends ExpertReviewTables {}
}
