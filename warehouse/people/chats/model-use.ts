// Tokens that models used, by day in UTC: the basis of the installation's daily budget.

import { sql } from 'kysely'
import { utcDay } from '#schemas/days.ts'
import type { Db } from '../../store/postgres.ts'

export type Tokens = { readonly input: number; readonly output: number }

/** Tokens that all models of the installation used on the day of `now`. */
export async function tokensToday(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(input_tokens + output_tokens), 0)::bigint as n from model_use where day = ${utcDay(now)}::date`.execute(db)
  return rows[0]?.n ?? 0
}

/** Adds what one answer used, also if it failed. */
export async function addTokens(db: Db, model: string, { input, output }: Tokens, now: Date): Promise<void> {
  await sql`insert into model_use as m (day, model, answers, input_tokens, output_tokens)
    values (${utcDay(now)}::date, ${model}, 1, ${input}, ${output})
    on conflict (day, model) do update set answers = m.answers + 1, input_tokens = m.input_tokens + excluded.input_tokens,
      output_tokens = m.output_tokens + excluded.output_tokens`.execute(db)
}
