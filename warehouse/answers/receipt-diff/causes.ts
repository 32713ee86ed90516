// Why a value differs between two answers: what the two statements, the answers themselves and the ledger of restatements say. A cause is
// only given to a value if something names it; the others stay without one.
import type { AnswerCause } from '#schemas/receipt-diff.ts'
import type { Statement } from '#schemas/receipts.ts'
import type { ValueChange } from './values.ts'

/** A row of the ledger of restatements (`list_eod_revisions`). */
export type Revision = {
  readonly ex_date: string
  readonly actions: readonly string[]
  readonly reason: string
  readonly release: number
  readonly withdrawn: boolean
  readonly first_date: string | null
  readonly last_date: string | null
}

/** What the statements differ in: documents, version of the code, shape of the answer. */
export function statementCauses(before: Statement, after: Statement): AnswerCause[] {
  const [one, two] = [before.predicate, after.predicate]
  const causes: AnswerCause[] = []
  if (one.transform !== two.transform) causes.push({ kind: 'transform', before: one.transform, after: two.transform })
  if (one.schema !== two.schema) causes.push({ kind: 'schema', before: one.schema, after: two.schema })
  const keys = new Set((one.sources ?? []).map(source => source.sha256))
  const later = new Set((two.sources ?? []).map(source => source.sha256))
  if (one.sources === undefined || two.sources === undefined) return causes
  for (const source of two.sources) if (!keys.has(source.sha256)) causes.push(documentCause('new', source))
  for (const source of one.sources) if (!later.has(source.sha256)) causes.push(documentCause('absent', source))
  return causes
}

type Source = NonNullable<Statement['predicate']['sources']>[number]
const documentCause = (state: 'new' | 'absent', source: Source): AnswerCause =>
  'accession' in source
    ? { kind: `${state}_filing`, accession: source.accession, sha256: source.sha256 }
    : { kind: `${state}_document`, source: source.source, sha256: source.sha256 }

/** The restatements that the second release has and the first has not. */
export const restatementCauses = (revisions: readonly Revision[], after: number, upTo: number): AnswerCause[] =>
  revisions
    .filter(each => each.release > after && each.release <= upTo)
    .map(each => ({
      kind: 'restatement',
      ex_date: each.ex_date,
      actions: [...each.actions],
      reason: each.reason,
      release: each.release,
      withdrawn: each.withdrawn,
      first_date: each.first_date,
      last_date: each.last_date,
    }))

/** Members of a row of prices that a restatement changes. */
const restated = /\]\.(adjusted_close|open|high|low|close|volume)$/
const rulesetMember = /(^|[._])ruleset(s|$|[._[])/
const correctedMember = /(^|\.)corrected(_lines)?(\.|\[|$)/

/** The causes of one change, as positions in `causes`. Restatements, rulesets and corrections enter the list with the first change that they explain. */
export function causesOf(change: ValueChange, causes: AnswerCause[], restatements: readonly AnswerCause[]): number[] {
  const place = (cause: AnswerCause): number => {
    const text = JSON.stringify(cause)
    const at = causes.findIndex(each => JSON.stringify(each) === text)
    return at < 0 ? causes.push(cause) - 1 : at
  }
  if (rulesetMember.test(change.path) && change.before !== null && change.after !== null)
    return [place({ kind: 'ruleset', before: change.before, after: change.after })]
  const found = causes.flatMap((cause, at) => (isNamed(cause, change) ? [at] : []))
  const prices = restatements.filter(cause => isRestatedBy(cause, change)).map(place)
  if (found.length + prices.length > 0) return [...found, ...prices]
  return correctedMember.test(change.path) || isCorrected(change) ? [place({ kind: 'correction', path: change.path })] : []
}

/** The value or its row names the filing. */
function isNamed(cause: AnswerCause, change: ValueChange): boolean {
  if (cause.kind === 'new_filing') return textsOf(change.after, change.row?.after).some(text => text.includes(cause.accession))
  return cause.kind === 'absent_filing' && textsOf(change.before, change.row?.before).some(text => text.includes(cause.accession))
}

/** A price of a bar that both answers have, within the range that the action restates. */
function isRestatedBy(cause: AnswerCause, { path, row }: ValueChange): boolean {
  if (cause.kind !== 'restatement' || !restated.test(path) || !row?.before || !row.after) return false
  const date = 'date' in row.after && typeof row.after.date === 'string' ? row.after.date : null
  if (date === null || cause.last_date === null) return false
  return date <= cause.last_date && (cause.first_date === null || date >= cause.first_date)
}

const textsOf = (value: string | null, row: object | null | undefined): string[] => [value ?? '', row ? JSON.stringify(row) : '']

/** The row of the second answer names a correction of this member, and that of the first did not. */
function isCorrected({ path, row }: ValueChange): boolean {
  const member = path.split('.').at(-1) ?? ''
  const mentions = (side: object | null | undefined): boolean =>
    side !== null && side !== undefined && 'corrected' in side && JSON.stringify(side.corrected).includes(`"${member}"`)
  return mentions(row?.after) !== mentions(row?.before)
}
