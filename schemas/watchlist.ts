// Items of a watchlist.
import { z } from 'zod'
import { plainText } from './plain-text.ts'
import { Count, Instant, Symbol, Text } from './values.ts'

/** Maximum items of a user's watchlist. */
export const maxItems = 1_000
const maxTags = 20
const maxTagLength = 32

export const Ticker = z.string().min(1).max(16).describe('in any usual spelling (RY.TO, TSX:RY, RY:CA); answered canonically')
const Tags = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(maxTagLength)
      .refine(tag => tag.isWellFormed() && !/\p{Cc}/u.test(tag), 'expected a tag without control characters'),
  )
  .max(maxTags)
  .transform(tags => [...new Set(tags)])
  .describe(`at most ${maxTags} of 1 to ${maxTagLength} characters; spaces around them go, and a tag that is there twice is kept once`)

export const ItemAdd = z.strictObject({
  ticker: Ticker,
  tags: Tags.prefault([]),
  note: plainText(500).nullable().default(null),
})
export type ItemAdd = z.infer<typeof ItemAdd>

/** Most items of one import. */
export const maxImported = 500
export const ItemsImport = z.strictObject({ items: z.array(ItemAdd).min(1, 'expected one item or more').max(maxImported) })
export type ItemsImport = z.infer<typeof ItemsImport>

/** An omitted member is not changed. */
export const ItemPatch = z.strictObject({
  tags: Tags.nullable().optional().describe('all tags of the item from now on; null takes them away'),
  note: plainText(500).nullable().optional().describe('null takes the note away'),
  position: z
    .int()
    .min(0)
    .max(100_000)
    .nullable()
    .optional()
    .describe('the new position of the item, 0 is the first; a position beyond the end becomes the last; null keeps the position'),
})
export type ItemPatch = z.infer<typeof ItemPatch>

export const ItemOut = z.strictObject({
  id: Text,
  ticker: Symbol.describe('the symbol that the listing has today, or had last'),
  tags: z.array(Text),
  note: Text.nullable(),
  position: Count.describe('items are numbered 0, 1, 2, … without gaps'),
  created_at: Instant,
})
export type ItemOut = z.infer<typeof ItemOut>

export const ImportedItems = z.strictObject({
  added: Count,
  present: Count.describe('listings that were there already: they stay as they are'),
  items: z.array(ItemOut).describe('the added ones, in the order of position'),
})

export const WatchlistAnswer = z.strictObject({
  count: Count,
  items: z.array(ItemOut).describe(`in the order of position; all of them, for there are at most ${maxItems}`),
})
