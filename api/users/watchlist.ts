// GET and POST /api/v1/watchlist, PATCH and DELETE /api/v1/watchlist/{id}.
import { randomBytes } from 'node:crypto'
import { ItemAdd, ItemPatch, type ItemsImport } from '#schemas/watchlist.ts'
import { findUnlisted } from '#warehouse/answers/listed.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { addItem, changeItem, findItems, importItems, removeItem } from '#warehouse/people/watchlist/watchlist.ts'
import type { Handlers } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

type Watchlist = 'list_watchlist' | 'add_watchlist_item' | 'import_watchlist' | 'change_watchlist_item' | 'remove_watchlist_item'

export function watchlistHandlers(tools: UserTools): Pick<Handlers, Watchlist> {
  const { db, serving } = tools
  const listings = async () => (await serving.releaseContext(null, null)).symbols
  return {
    list_watchlist: async (_question, context) => {
      const { user_id } = userOf(context)
      const index = await listings()
      const items = await asUser(db, user_id, trx => findItems(trx, user_id, index))
      return jsonAnswer({ count: items.length, items })
    },
    add_watchlist_item: async (_question, context) => {
      const { user_id } = userOf(context)
      const releaseContext = await serving.releaseContext(null, null)
      const id = `w_${randomBytes(9).toString('base64url')}`
      const requested = ItemAdd.parse(context.body)
      const known = { index: releaseContext.symbols, unlisted: await findUnlisted(releaseContext, requested.ticker) }
      return await written(tools, context, async trx => ({ status: 201, body: await addItem(trx, user_id, known, requested, id, context.now()) }))
    },
    import_watchlist: async (_question, context) => {
      const { user_id } = userOf(context)
      const releaseContext = await serving.releaseContext(null, null)
      const { items } = context.body as ItemsImport
      const wanted = await Promise.all(
        items.map(async item => ({
          item,
          id: `w_${randomBytes(9).toString('base64url')}`,
          known: { index: releaseContext.symbols, unlisted: await findUnlisted(releaseContext, item.ticker) },
        })),
      )
      return await written(tools, context, async trx => ({ status: 201, body: await importItems(trx, user_id, wanted, context.now()) }))
    },
    change_watchlist_item: async ({ id }, context) => {
      const { user_id } = userOf(context)
      const index = await listings()
      const patch = ItemPatch.parse(context.body)
      return await written(tools, context, async trx => ({ status: 200, body: await changeItem(trx, user_id, index, id, patch) }))
    },
    remove_watchlist_item: async ({ id }, context) => {
      const { user_id } = userOf(context)
      await asUser(db, user_id, trx => removeItem(trx, user_id, id))
      return noContent()
    },
  }
}
