// Corrections of filings for administrators: what can be corrected, a correction or its preview, and the list. A worker reads and writes.
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { type CorrectionIn, CorrectionOut, Corrections, FilingValues } from '#schemas/admin-correct.ts'
import type { OperatorRequest } from '#warehouse/store/queue.ts'
import type { Handler, Handlers } from '../handler.ts'
import { administrator, pseudonym } from './admin.ts'
import { askWorker } from './operator-requests.ts'
import { jsonAnswer, type UserTools } from './tools.ts'
import { changeByWorker, workerInstant } from './worker-changes.ts'

const Effect = CorrectionOut.omit({ state: true })

export function adminCorrectHandlers(tools: UserTools) {
  const { db, queue } = tools
  const list: Handler<'list_corrections'> = async ({ filing = null, limit }, context) => {
    await administrator(tools, context)
    return jsonAnswer(await askWorker(queue, { kind: 'corrections', filing, limit, nonce: randomUUID() }, Corrections))
  }
  const values: Handler<'get_filing_corrections'> = async ({ filing, dataset = null, line = null }, context) => {
    await administrator(tools, context)
    return jsonAnswer(await askWorker(queue, { kind: 'filing_values', filing, dataset, line, nonce: randomUUID() }, FilingValues))
  }
  const correct: Handler<'correct_filing_value'> = async (_question, context) => {
    const { dataset = null, line = null, evidence = null, ...rest } = context.body as z.output<typeof CorrectionIn>
    const request = async (trx: UserTools['db'], actor: string): Promise<OperatorRequest> => ({
      kind: 'correct',
      dataset,
      line,
      evidence,
      ...rest,
      at: (await workerInstant(trx, context)).toISOString(),
      actor,
    })
    if (rest.dry_run) {
      const session = await administrator(tools, context, true)
      const plan = await askWorker(queue, await request(db, await pseudonym(db, session.user_id)), Effect)
      return jsonAnswer({ state: 'preview', ...plan }, { status: 202 })
    }
    return await changeByWorker(tools, context, { none: { filing: rest.filing, release: null, changes: [] }, schema: Effect, check: request })
  }
  return { list_corrections: list, get_filing_corrections: values, correct_filing_value: correct } satisfies Partial<Handlers>
}
