// The watchlist: symbols that a user keeps in an order of their own.
import { ItemAdd, ItemOut, ItemPatch, maxItems, WatchlistAnswer } from '../watchlist.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const shared = { tag: 'Watchlist', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the item', /^[\w-]{1,64}$/, 'an id as the watchlist lists it', 'w_k3J0q2mXv1Zp')

export const watchlistOperations = [
  operation({
    ...shared,
    id: 'list_watchlist',
    path: '/api/v1/watchlist',
    summary: 'The watchlist of the user',
    description: `All items (at most ${maxItems}) in the order of position. A listing that was renamed is shown under the symbol that it has today.`,
    question: question({}),
    answer: WatchlistAnswer,
    example: examples.list_watchlist,
  }),
  operation({
    ...shared,
    id: 'add_watchlist_item',
    method: 'POST',
    path: '/api/v1/watchlist',
    success: 201,
    summary: 'Puts a symbol at the end of the watchlist',
    description:
      'A symbol in any usual spelling. Each listing is there once: a second time is 409 conflict, which names the item; so is an item more than the limit. An unknown symbol is 404 with the nearest ones.',
    question: question({}),
    body: ItemAdd,
    answer: ItemOut,
    example: examples.add_watchlist_item,
  }),
  operation({
    ...shared,
    id: 'change_watchlist_item',
    method: 'PATCH',
    path: '/api/v1/watchlist/{id}',
    summary: 'Changes tags, note or place of an item',
    description:
      'What is left out stays. Moving an item shifts those between its old place and the new one; after every write the positions are 0, 1, 2, … without gaps, whatever other clients move at the same time.',
    question: question({ id }),
    body: ItemPatch,
    answer: ItemOut,
    example: examples.change_watchlist_item,
  }),
  operation({
    ...shared,
    id: 'remove_watchlist_item',
    method: 'DELETE',
    path: '/api/v1/watchlist/{id}',
    success: 204,
    summary: 'Takes an item off the watchlist',
    description: 'The items behind it move up.',
    question: question({ id }),
    example: examples.remove_watchlist_item,
  }),
] as const
