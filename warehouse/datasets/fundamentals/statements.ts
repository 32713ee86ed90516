// The facts of one company as statements: filing, concept, period and value.
import type { CompanyFact } from '#schemas/fundamentals.ts'
import type { LineItemRules } from '../../rulesets/line-items/rules.ts'

export type FactRow = Pick<
  CompanyFact,
  'taxonomy' | 'concept' | 'unit' | 'period_start' | 'period_end' | 'value' | 'fy' | 'form' | 'filed_date' | 'accession' | 'place'
>
export type Statement = FactRow & {
  /** With its taxonomy: `us-gaap:Assets`. */
  readonly name: string
  /** Of an amount of money, in all or per share; null for shares and plain numbers. */
  readonly currency: string | null
}
export type Statements = {
  readonly all: readonly Statement[]
  /** Statements of a concept for exactly this period, oldest filing first; `start` null: the instant `end`. */
  of(name: string, start: string | null, end: string): readonly Statement[]
  /** The currency that a filing reports in: the one of most of its amounts. A convenience translation states a single year. */
  currencyOf(accession: string): string | null
  /** The currency in which the newest filing states balances of this day. */
  currencyAt(end: string): string | null
  /** One filing's statements about a concept, for every day. */
  inFiling(accession: string, name: string): readonly Statement[]
  /** The first filing whose newest period ends on this day: the report on that period. */
  reportOn(end: string): Statement | null
}

export const baseForm = (form: string): string => form.replace(/\/A$/, '')
export const compareFiled = (a: Statement, b: Statement): number =>
  a.filed_date < b.filed_date
    ? -1
    : a.filed_date > b.filed_date
      ? 1
      : a.accession < b.accession
        ? -1
        : a.accession > b.accession
          ? 1
          : a.place - b.place

const moneyOf = (unit: string): string | null => /^([A-Z]{3})(?:\/shares)?$/.exec(unit)?.[1] ?? null

/** Statements of the forms that carry financial statements. Cost: one pass over the rows. */
export function statementsOf(rows: readonly FactRow[], rules: LineItemRules): Statements {
  const forms = new Set(rules.forms)
  const all = rows
    .filter(row => forms.has(baseForm(row.form)))
    .map((row): Statement => ({ ...row, name: `${row.taxonomy}:${row.concept}`, currency: moneyOf(row.unit) }))
    .sort(compareFiled)
  const byPeriod = new Map<string, Statement[]>()
  const byFiling = new Map<string, Statement[]>()
  for (const statement of all) {
    push(byPeriod, `${statement.name} ${statement.period_start ?? ''} ${statement.period_end}`, statement)
    push(byFiling, statement.accession, statement)
  }
  const currencies = new Map([...byFiling].map(([accession, list]) => [accession, commonest(list)]))
  const newestMoney = new Map<string, Statement>()
  for (const statement of all) if (statement.currency !== null) newestMoney.set(statement.period_end, statement)
  const reports = reportsOf(byFiling)
  return {
    all,
    of: (name, start, end) => byPeriod.get(`${name} ${start ?? ''} ${end}`) ?? [],
    currencyOf: accession => currencies.get(accession) ?? null,
    currencyAt: end => currencies.get(newestMoney.get(end)?.accession ?? '') ?? null,
    inFiling: (accession, name) => (byFiling.get(accession) ?? []).filter(statement => statement.name === name),
    reportOn: end => reports.get(end) ?? null,
  }
}

function push(groups: Map<string, Statement[]>, key: string, statement: Statement): void {
  const group = groups.get(key)
  if (group) group.push(statement)
  else groups.set(key, [statement])
}

function commonest(list: readonly Statement[]): string | null {
  const counts = new Map<string, number>()
  for (const { currency } of list) if (currency !== null) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  const [best] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return best?.[0] ?? null
}

/**
 * The newest period of a filing is the period it reports on; older ones are comparatives. A period with far fewer statements than others
 * (e.g. shares repurchased after the year's end) is not the filing's period.
 */
function reportsOf(byFiling: ReadonlyMap<string, readonly Statement[]>): Map<string, Statement> {
  const reports = new Map<string, Statement>()
  for (const list of byFiling.values()) {
    const counts = new Map<string, { count: number; statement: Statement }>()
    for (const statement of list) {
      if (statement.period_start === null || statement.fy === null) continue
      const held = counts.get(statement.period_end)
      if (held) held.count += 1
      else counts.set(statement.period_end, { count: 1, statement })
    }
    const most = [...counts.values()].reduce((largest, { count }) => Math.max(largest, count), 0)
    const own = [...counts].filter(([, { count }]) => count * 2 >= most).toSorted(([a], [b]) => (a > b ? -1 : 1))[0]
    if (own === undefined) continue
    const [end, { statement }] = own
    const held = reports.get(end)
    if (held === undefined || compareFiled(statement, held) < 0) reports.set(end, statement)
  }
  return reports
}
