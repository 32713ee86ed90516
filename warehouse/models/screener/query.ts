// Converts a screen's request to SQL over the rows of its model: the columns, the filter, the order, and the start of the page.
import { BadRequest } from '#schemas/errors.ts'
import { type ScreenerField, screenerFields } from '../../rulesets/screener/fields.ts'
import type { Parameters } from '../../store/duckdb.ts'
import { compileFilter, type Filter, knownField } from './filter.ts'

/** Shown if the request names no fields, in addition to those that it filters and sorts by. */
export const standardFields = [
  'code',
  'name',
  'exchange',
  'currency',
  'type',
  'sector',
  'close',
  'session_date',
  'change_1d_pct',
  'return_1y_pct',
  'volume',
  'market_cap_usd',
  'pe',
  'dividend_yield_pct',
] as const
const mostSortKeys = 4

type SortKey = { readonly field: ScreenerField; readonly descending: boolean }
export type Screen = { readonly filter: Filter | null; readonly sort: readonly SortKey[]; readonly fields: readonly string[] }

/** Parses a request's three texts. Throws BadRequest with the error and the text it is in. */
export function readScreen(question: {
  readonly filter?: string | undefined
  readonly sort?: string | undefined
  readonly fields?: string | undefined
}): Screen {
  const filter = question.filter === undefined ? null : compileFilter(question.filter)
  const sort = readSort(question.sort ?? 'code.asc')
  const used = [...(filter?.fields ?? []), ...sort.map(key => key.field.name)]
  const fields = question.fields === undefined ? [...standardFields, ...used] : ['code', ...readFields(question.fields)]
  return { filter, sort, fields: [...new Set(fields)] }
}

function readSort(text: string): SortKey[] {
  const keys = text.split(',', mostSortKeys + 1).map(part => {
    const [, name = '', direction] = /^\s*([^.\s]+)(?:\.([^.\s]+))?\s*$/.exec(part) ?? []
    if (name === '' || (direction !== undefined && !/^(?:asc|desc)$/i.test(direction)))
      throw new BadRequest(`sort: "${part.trim().slice(0, 64)}" is no <field>.<direction>`, {
        hint: 'sort is such as market_cap_usd.desc, or sector.asc,pe.asc',
      })
    return { field: knownField(name, 'sort'), descending: direction?.toLowerCase() === 'desc' }
  })
  if (keys.length > mostSortKeys) throw new BadRequest(`sort: more than ${mostSortKeys} fields`, { hint: 'ties are ordered by code' })
  const twice = keys.find((key, at) => keys.findIndex(other => other.field === key.field) !== at)
  if (twice) throw new BadRequest(`sort: ${twice.field.name} is listed twice`, { hint: 'name each field once' })
  // After the code, the order is complete.
  const code = keys.findIndex(key => key.field.name === 'code')
  return code < 0 ? keys : keys.slice(0, code + 1)
}

/** Names of fields, of groups of fields, or `all`. */
function readFields(text: string): string[] {
  return text.split(',', 400).flatMap(part => {
    const name = part.trim().toLowerCase()
    if (name === 'all' || name === '*') return screenerFields.map(field => field.name)
    const group = screenerFields.filter(field => field.group === name).map(field => field.name)
    return group.length > 0 ? group : [knownField(part.trim(), 'fields').name]
  })
}

export type Statement = { readonly sql: string; readonly parameters: Parameters }

/** One row: how many listings there are, how many match, and the newest session. */
export const countStatement = (table: string, { filter }: Screen): Statement => ({
  sql: `select count(*) as universe, count(*) filter (where ${filter?.sql ?? 'true'}) as total, max(session_date) as session_date from ${table}`,
  parameters: filter?.parameters ?? {},
})

/** The page of `limit` rows and one more, after the row of the code `after`. Nulls come last in either direction; ties go by code. */
export function pageStatement(table: string, { filter, sort, fields }: Screen, limit: number, after: string | null): Statement {
  const keys = sort.some(key => key.field.name === 'code') ? sort : [...sort, { field: { name: 'code' }, descending: false }]
  const order = keys.map(key => `t."${key.field.name}"${key.descending ? ' desc' : ' asc'} nulls last`)
  const behind = keys.map(({ field: { name }, descending }, at) => {
    const same = keys.slice(0, at).map(before => `t."${before.field.name}" is not distinct from e."${before.field.name}"`)
    return `(${[...same, `e."${name}" is not null`, `(t."${name}" ${descending ? '<' : '>'} e."${name}" or t."${name}" is null)`].join(' and ')})`
  })
  const conditions = [...(filter ? [filter.sql] : []), ...(after === null ? [] : [`exists (select 1 from edge as e where ${behind.join(' or ')})`])]
  const edge =
    after === null ? '' : `with edge as materialized (select ${keys.map(key => `"${key.field.name}"`).join(', ')} from ${table} where code = $after) `
  return {
    sql: `${edge}select ${fields.map(name => `"${name}"`).join(', ')} from ${table} as t${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''} order by ${order.join(', ')} limit ${limit + 1}`,
    parameters: { ...(filter?.parameters ?? {}), ...(after === null ? {} : { after }) },
  }
}

/** The issuers of some listings. */
export const ciksStatement = (table: string, codes: readonly string[]): Statement => ({
  sql: `select code, cik from ${table} where list_contains($codes, code)`,
  parameters: { codes },
})

/** Maximum number of listed values of a text field. */
const listedValues = 24

/** Statements of one row each, which together count all fields: `<name>__eligible`, `__filled`, `__min`, `__max` or `__values`. */
export function fillStatements(table: string): Statement[] {
  const statements: Statement[] = []
  for (let from = 0; from < screenerFields.length; from += fieldsCounted) statements.push(fillStatement(table, from))
  return statements
}
/** Fields that one statement counts: on a busy machine, the plan of a statement over all of them exceeds the time limit. */
const fieldsCounted = 24

function fillStatement(table: string, from: number): Statement {
  const parameters: Record<string, string | number | boolean> = {}
  const columns = screenerFields.slice(from, from + fieldsCounted).flatMap((field, at) => {
    const eligible = compileFilter(field.eligible, `e${at}_`)
    Object.assign(parameters, eligible.parameters)
    const [name, column] = [field.name, `"${field.name}"`]
    const range =
      field.type === 'boolean'
        ? []
        : field.type === 'text'
          ? [
              `case when count(distinct ${column}) <= ${listedValues} then list_sort(list(distinct ${column}) filter (where ${column} is not null)) end as ${name}__values`,
            ]
          : [`min(${column}) as ${name}__min`, `max(${column}) as ${name}__max`]
    return [
      `count(*) filter (where ${eligible.sql}) as ${name}__eligible`,
      `count(${column}) filter (where ${eligible.sql}) as ${name}__filled`,
      ...range,
    ]
  })
  return { sql: `select count(*) as universe, ${columns.join(', ')} from ${table}`, parameters }
}
