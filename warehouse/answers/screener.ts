// The screener: every listing of a release with its computed fields, filtered, ordered and paged; and the list of fields.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type Built, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import type { ModelRows } from '../context/model-rows.ts'
import { ModelMissing } from '../models/missing.ts'
import { screener } from '../models/model.ts'
import { ciksStatement, countStatement, fillStatements, pageStatement, readScreen } from '../models/screener/query.ts'
import { computeModel } from '../models/serve.ts'
import { screenerFields, screenerRules } from '../rulesets/screener/fields.ts'
import { findCorrectedRows } from './screener-corrected.ts'
import type { Answers, QuestionOf } from './types.ts'

/** The rows of the context's release: of its stored build, or computed now if there are no builds at all. */
async function reading<T>(
  context: ReleaseContext,
  requested: string | undefined,
  work: (rows: ModelRows, asOf: string | null) => Promise<T>,
): Promise<T> {
  const { release, committed_at } = context.lake.versionOf(screener.inputs)
  // The screen contains nothing that became known after the release was made: a later instant gives the same result.
  const asOf = requested === undefined || Date.parse(requested) >= Date.parse(committed_at) ? null : requested
  if (asOf !== null && !/T23:59:59\.999999Z$/.test(asOf))
    throw new BadRequest('as_of: the screen is computed by the day', { hint: 'give as_of as YYYY-MM-DD, the last moment of that day in UTC' })
  // A lake without rows has no build, and there is nothing to compute.
  if (!context.models || release === 0) return await computeModel(screener, context, asOf, rows => work(rows, asOf))
  const found = await context.models.read(screener, release, asOf, async rows => ({ value: await work(rows, asOf) }))
  if (!found) throw new ModelMissing(screener, release, asOf)
  return found.value
}

type Counted = { readonly universe: number; readonly total: number; readonly session_date: string | null }
type Row = Readonly<Record<string, string | number | boolean | null>> & { readonly code: string }

export async function buildScreen(context: ReleaseContext, question: QuestionOf<'run_screener'>): Promise<Built> {
  const { cursor, limit, release: _release, receipt: _receipt, ...filters } = question
  const screen = readScreen(question)
  const after = cursor === undefined ? null : String(decodeCursor(cursor, 'run_screener', filters).after[0])
  return await reading(context, question.as_of, async (rows, asOf) => {
    const [counting, paging] = [countStatement(rows.table, screen), pageStatement(rows.table, screen, limit, after)]
    const [counted] = await rows.query<Counted>(counting.sql, counting.parameters)
    const found = await rows.query<Row>(paging.sql, paging.parameters)
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const { universe, total, session_date } = counted as Counted
    const corrected = await findCorrectedRows(context, screen.fields, asOf, async () => {
      const issuers = ciksStatement(
        rows.table,
        page.map(({ code }) => code),
      )
      return await rows.query(issuers.sql, issuers.parameters)
    })
    return {
      body: {
        count: page.length,
        total,
        universe,
        session_date,
        ruleset: screenerRules.ruleset,
        coverage: coverageOf(universe, total),
        data: page.map(row => ({ ...row, ...corrected(row.code) })),
        next_cursor:
          found.length > limit && last ? encodeCursor('run_screener', filters, context.lake.versionOf(screener.inputs).release, [last.code]) : null,
      },
      sources: upstreamSources(rows.sources),
      origins: rows.origins,
      datasets: screener.inputs,
    }
  })
}

function coverageOf(universe: number, total: number): object {
  if (universe === 0) return { status: 'not_loaded', sentence: 'no listing is loaded: there is nothing to screen' }
  if (total === 0) return { status: 'none', sentence: `none of ${universe} listings matches; a field that is null matches no comparison` }
  return { status: 'read', sentence: `${total} of ${universe} listings match` }
}

type Counts = Readonly<Record<string, number | string | readonly string[] | null>>

/** Counted once per build: 480 aggregates take half a second to plan. */
const counted = new WeakMap<object, Promise<Counts>>()
async function countsOf(rows: ModelRows): Promise<Counts> {
  const known = counted.get(rows.sources)
  if (known) return await known
  const counting = countAll(rows)
  counted.set(rows.sources, counting)
  counting.catch(() => counted.delete(rows.sources))
  return await counting
}

async function countAll(rows: ModelRows): Promise<Counts> {
  const counts: Record<string, Counts[string]> = {}
  for (const { sql, parameters } of fillStatements(rows.table)) Object.assign(counts, (await rows.query<Counts>(sql, parameters))[0])
  return counts
}

export async function buildScreenerFields(context: ReleaseContext, question: QuestionOf<'list_screener_fields'>): Promise<Built> {
  return await reading(context, question.as_of, async rows => {
    const counts = await countsOf(rows)
    return {
      body: {
        ruleset: screenerRules.ruleset,
        universe: counts['universe'],
        count: screenerFields.length,
        fields: screenerFields.map(({ reason, eligible: eligible_filter, ...field }) => {
          const [eligible, filled] = [Number(counts[`${field.name}__eligible`]), Number(counts[`${field.name}__filled`])]
          return {
            ...field,
            eligible_filter,
            eligible,
            filled,
            filled_pct: eligible === 0 ? null : Math.round((filled / eligible) * 10_000) / 100,
            min: counts[`${field.name}__min`] ?? null,
            max: counts[`${field.name}__max`] ?? null,
            values: counts[`${field.name}__values`] ?? null,
            reason: reason ?? null,
          }
        }),
      },
      sources: upstreamSources(rows.sources),
      origins: rows.origins,
      datasets: screener.inputs,
    }
  })
}

export const screenerAnswers = {
  run_screener: { build: buildScreen, from_model: true },
  list_screener_fields: { build: buildScreenerFields, from_model: true },
} satisfies Answers
