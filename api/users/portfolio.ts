// Everything under /api/v1/portfolio.
import { randomBytes } from 'node:crypto'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import type { ImportIn, Position, PositionIn } from '#schemas/portfolio.ts'
import { digits } from '#warehouse/context/answer.ts'
import { type CsvPositions, parsePositions } from '#warehouse/people/portfolio/csv.ts'
import { addPosition, findPositions, importPositions, removePosition, replacePosition } from '#warehouse/people/portfolio/positions.ts'
import { buildSummary } from '#warehouse/people/portfolio/summary.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import type { Handlers } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

type Portfolio = 'list_positions' | 'add_position' | 'replace_position' | 'remove_position' | 'import_positions' | 'get_portfolio_summary'

const printed = ({ id, ticker, instrument_id, quantity, acb_per_share, ...rest }: Position): object => ({
  id,
  ticker,
  known: instrument_id !== null,
  quantity: digits(quantity),
  acb_per_share: digits(acb_per_share),
  ...rest,
})
const newId = (): string => `pos_${randomBytes(9).toString('base64url')}`

/** The rows of an import, in either format. */
function rowsOf({ positions, csv }: ImportIn): CsvPositions {
  if (csv !== undefined) return parsePositions(csv)
  const rows = (positions ?? []).map((position, at) => ({ loc: ['body', 'positions', at], name: `positions.${at}`, position }))
  return { rows, ignored_columns: [] }
}

export function portfolioHandlers(tools: UserTools): Pick<Handlers, Portfolio> {
  const { db, serving } = tools
  const listings = async () => (await serving.releaseContext(null, null)).symbols
  return {
    list_positions: async ({ limit, cursor }, context) => {
      const { user_id } = userOf(context)
      const index = await listings()
      const after = cursor === undefined ? -1 : Number(decodeCursor(cursor, 'list_positions', {}).after[0])
      const { positions, next } = await asUser(db, user_id, trx => findPositions(trx, user_id, index, { after, limit }))
      const next_cursor = next === null ? null : encodeCursor('list_positions', {}, 0, [next])
      return jsonAnswer({ count: positions.length, positions: positions.map(printed), next_cursor })
    },
    // Bodies are read with their digits: the schema has already converted its records, and cannot do it again.
    add_position: async (_question, context) => {
      const { user_id } = userOf(context)
      const [index, id, requested] = [await listings(), newId(), context.body as PositionIn]
      return await written(tools, context, async trx => ({
        status: 201,
        body: printed(await addPosition(trx, user_id, index, requested, id, context.now())),
      }))
    },
    replace_position: async ({ id }, context) => {
      const { user_id } = userOf(context)
      const [index, requested] = [await listings(), context.body as PositionIn]
      return await written(tools, context, async trx => ({
        status: 200,
        body: printed(await replacePosition(trx, user_id, index, id, requested, context.now())),
      }))
    },
    remove_position: async ({ id }, context) => {
      const { user_id } = userOf(context)
      await asUser(db, user_id, trx => removePosition(trx, user_id, id))
      return noContent()
    },
    import_positions: async (_question, context) => {
      const { user_id } = userOf(context)
      const { rows, ignored_columns } = rowsOf(context.body as ImportIn)
      const index = await listings()
      const ids = rows.map(newId)
      return await written(tools, context, async trx => {
        const made = await importPositions(trx, user_id, index, rows, ids, context.now())
        return { status: 201, body: { ...made, ids, ignored_columns } }
      })
    },
    get_portfolio_summary: async ({ currency }, context) => {
      const { user_id } = userOf(context)
      const releaseContext = await serving.releaseContext(null, null)
      const { positions } = await asUser(db, user_id, trx => findPositions(trx, user_id, releaseContext.symbols))
      return jsonAnswer(await buildSummary(releaseContext, positions, currency, `${context.dataNow().toISOString().slice(0, 19)}Z`))
    },
  }
}
