// The watchlist: a user's ordered list of symbols.
import { ImportedItems, ItemAdd, ItemOut, ItemPatch, ItemsImport, maxImported, maxItems, WatchlistAnswer } from '../watchlist.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const shared = { tag: 'Watchlist', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the item', /^[\w-]{1,64}$/, 'an id as the watchlist lists it', 'w_k3J0q2mXv1Zp')

export const watchlistOperations = [
  operation('list_watchlist', 'GET /api/v1/watchlist', {
    ...shared,
    summary: 'The watchlist of the user',
    description: `All items (at most ${maxItems}) in the order of position. A renamed listing is shown under its current symbol.`,
    answer: WatchlistAnswer,
  }),
  operation('add_watchlist_item', 'POST /api/v1/watchlist', {
    ...shared,
    success: 201,
    summary: 'Adds a symbol at the end of the watchlist',
    description:
      'A symbol in any usual spelling. Each listing can be added once: a second time is 409 conflict with the id of the existing item. An item beyond the limit is also 409. An unknown symbol is 404 with the nearest ones.',
    body: ItemAdd,
    answer: ItemOut,
    idempotency_key: true,
    can_be_missing: true,
    example: { body: { ticker: 'tsx:glpr', tags: ['gold', 'TFSA'], note: 'after the drill results' } },
  }),
  operation('import_watchlist', 'POST /api/v1/watchlist/import', {
    ...shared,
    success: 201,
    summary: 'Adds several symbols at the end of the watchlist',
    description: `All of them in their order, or none: 422 with a fault for each item whose symbol is unknown, and for each one beyond the limit of ${maxItems}. A listing that is there already, or twice in the import, stays as it is and is counted. At most ${maxImported} at a time.`,
    body: ItemsImport,
    body_bytes: 1024 * 1024,
    answer: ImportedItems,
    rows: 'items',
    idempotency_key: true,
    example: {
      body: {
        items: [
          { ticker: 'tsx:glpr', tags: ['gold'] },
          { ticker: 'BRLX', note: 'after the report' },
        ],
      },
      answer: {
        added: 2,
        present: 0,
        items: [
          { id: 'w_k3J0q2mXv1Zp', ticker: 'GLPR.TO', tags: ['gold'], note: null, position: 0, created_at: '2026-11-20T21:04:11Z' },
          { id: 'w_p8Rb1uYc4TnE', ticker: 'BRLX', tags: [], note: 'after the report', position: 1, created_at: '2026-11-20T21:04:11Z' },
        ],
      },
    },
  }),
  operation('change_watchlist_item', 'PATCH /api/v1/watchlist/{id}', {
    ...shared,
    summary: 'Changes tags, note or position of an item',
    description:
      'Omitted members keep their values. Moving an item shifts the items between its old and new position. After every write the positions are 0, 1, 2, … without gaps, even if other clients move items at the same time.',
    question: question({ id }),
    body: ItemPatch,
    answer: ItemOut,
    idempotency_key: true,
    example: { request: '/api/v1/watchlist/w_k3J0q2mXv1Zp', body: { position: 0 } },
  }),
  operation('remove_watchlist_item', 'DELETE /api/v1/watchlist/{id}', {
    ...shared,
    success: 204,
    summary: 'Takes an item off the watchlist',
    description: 'The items after it move up.',
    question: question({ id }),
    example: '/api/v1/watchlist/w_k3J0q2mXv1Zp',
  }),
] as const
