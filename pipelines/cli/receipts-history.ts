// `crossfile receipts history RECEIPT PLACE`: each release in which one value of an answer changed, with receipts.
import { BadRequest } from '#schemas/errors.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { receiptOperations } from '#schemas/operations/receipts.ts'
import { type HistoryAnswer, historyOf } from '#warehouse/answers/receipt-diff/history.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { signAndStore } from '../ingest/sign-answer.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { moment, printJson, some } from './output.ts'

const { question: requested } = receiptOperations.find(each => each.id === 'get_receipt_history') as Extract<
  (typeof receiptOperations)[number],
  { readonly id: 'get_receipt_history' }
>

/** The arguments as the operation reads its parameters. Throws `BadRequest`. */
function questionOf([receipt_id, path]: readonly string[], given: { readonly from?: string; readonly to?: string; readonly after?: string }) {
  const { from, to, after } = given
  const read = requested.safeParse(
    Object.fromEntries(Object.entries({ receipt_id, path, from, to, after }).filter(([, value]) => value !== undefined)),
  )
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new BadRequest(`receipts history: ${String(issue?.path[0] ?? '')}: ${issue?.message ?? ''}`, { hint: 'crossfile help receipts history' })
}

export async function receiptsHistory(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 2, most: 2, what: 'a receipt id and the place of a value' }
  const { values, rest } = readArguments('receipts history', commands['receipts history'].options, argv, about)
  const { receipt_id, path, limit, from = null, to = null, after = null } = questionOf(rest, values)
  const found = await withRuntime(io, async ({ tools }) => {
    const { db, writer, contexts } = tools
    const catalogue = await loadCatalogue(db)
    const contextOf = async (release: number, asOf: string | null) => {
      const known = await contexts(openLake(catalogue, writer.connections, writer.verifier, release), asOf)
      return tools.models ? { ...known, models: tools.models } : known
    }
    const sign = async ({ operation, question: requested, answer, context }: HistoryAnswer): Promise<string | null> => {
      const named = lakeOperations.find(each => each.id === operation)
      return named === undefined ? null : await signAndStore(tools, named, requested, answer, context)
    }
    return await historyOf({ db, contextOf, catalogue, sign, isLate: () => io.interrupted().aborted }, receipt_id, { path, from, to, after, limit })
  })
  if (values.json) printJson(io, found)
  else {
    io.out(`${found.question}  ${found.path}`)
    for (const { release, committed_at, value, receipt_id } of found.revisions)
      io.out(`  release ${release}, ${moment(committed_at)}: ${value ?? '(absent)'}  ${receipt_id ?? 'not signed'}`)
    io.out(`${some(found.count, 'revision')} in ${some(found.compared, 'release')} that changed a dataset of the question`)
    if (found.next_after !== null) io.out(`more: --after ${found.next_after}`)
  }
  return 0
}
