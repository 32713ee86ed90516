// `crossfile reviews`: expert reviews of answers, as a table or as JSON lines for evaluation and training.
import type { ExpertReview } from '#schemas/expert-reviews.ts'
import { findReviews } from '#warehouse/people/expert-reviews/expert-reviews.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, printJson, printTable } from './output.ts'

const pageRows = 500
type Filter = { readonly category: string | null; readonly severity: string | null; readonly limit: number }

/** The newest reviews, read page by page. */
async function read(db: Db, { category, severity, limit }: Filter): Promise<ExpertReview[]> {
  const found: ExpertReview[] = []
  while (found.length < limit) {
    const last = found.at(-1)
    const after = last === undefined ? null : { created_at: last.created_at, id: last.id }
    const wanted = Math.min(pageRows, limit - found.length)
    const page = await findReviews(db, { category, severity, could_cause_investment_loss: null, after, limit: wanted })
    found.push(...page)
    if (page.length < wanted) break
  }
  return found
}

export async function reviews(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('reviews', commands.reviews.options, argv)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 1_000_000, otherwise: values.lines ? 1_000_000 : 50 })
  const filter = { category: values.category ?? null, severity: values.severity ?? null, limit }
  const found = await withDatabase(io, { write: false }, ({ db }) => read(db, filter))
  if (values.lines) for (const review of found) io.out(JSON.stringify(review))
  else if (values.json) printJson(io, { reviews: found })
  else if (found.length === 0) io.out('no reviews yet; crossfile users reviewer EMAIL allows an account to write them')
  else {
    const columns = columnsOf('id', 'written', 'category', 'severity', '>rating', '*verdict')
    const rows = found.map(each => [
      each.id,
      moment(each.created_at),
      each.category,
      each.could_cause_investment_loss ? `${each.severity}, loss` : each.severity,
      each.rating,
      each.verdict,
    ])
    printTable(io, columns, rows)
  }
  return 0
}
