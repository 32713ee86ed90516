// Daily updates over HTTP, and the count of their views.
import { createHash } from 'node:crypto'
import { addDays } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { DailyUpdateFull } from '#schemas/updates.ts'
import { easternDay } from '#warehouse/rules/arb/market-hours.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { renderUpdateFeed } from '#warehouse/updates/feed.ts'
import { addViews, countUpdates, findUpdate, findUpdates } from '#warehouse/updates/store.ts'
import type { Answered, Handler } from '../handler.ts'

/** Within this time, several views of one update count once per process, so that no list of readers is needed. */
const batchMs = 10_000
const feedUpdates = 30
const statsDays = 30

export type ViewCounter = { note(slug: string): void; close(): Promise<void> }

/** Counts views in batches: each slug once per batch. A batch that cannot be written is dropped. */
export function countViews(db: Db, warn: (message: string) => void, ms = batchMs): ViewCounter {
  let batch = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  const write = async (): Promise<void> => {
    timer = null
    const slugs = [...batch]
    batch = new Set()
    await addViews(db, slugs).catch(error => warn(`readings of ${slugs.length} updates were not counted: ${String(error)}`))
  }
  return {
    note(slug) {
      batch.add(slug)
      timer ??= setTimeout(() => void write(), ms).unref()
    },
    async close() {
      if (timer === null) return
      clearTimeout(timer)
      await write()
    },
  }
}

export type UpdateTools = { readonly db: Db; readonly views: ViewCounter; readonly baseUrl: () => string }

const bytes = (value: object): Answered => {
  const body = Buffer.from(JSON.stringify(value))
  return { kind: 'bytes', body, etag: etagOf(body), release: null, last_modified: null, receipt_id: null, immutable: false }
}
const etagOf = (body: Buffer): string => createHash('sha256').update(body).digest('base64url').slice(0, 27)
const text = (body: string, media_type: string): Answered => ({ kind: 'text', body, media_type, etag: etagOf(Buffer.from(body)) })

export function updateHandlers({ db, views, baseUrl }: UpdateTools) {
  const get = async (slug: string): Promise<DailyUpdateFull> => {
    const found = await findUpdate(db, slug)
    if (!found)
      throw new NotFound(`there is no update ${slug}`, {
        hint: 'GET /api/v1/updates lists them; a day without notable events has none',
      })
    views.note(slug)
    return found
  }

  const list: Handler<'list_updates'> = async ({ ticker, category, from, to, limit, offset }) => {
    if (from !== undefined && to !== undefined && from > to)
      throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'give a from that is before to' })
    const filter = { ticker: ticker ?? null, category: category ?? null, from: from ?? null, to: to ?? null }
    const { updates, total } = await findUpdates(db, filter, { limit, offset })
    return bytes({ updates, total, limit, offset })
  }
  const one: Handler<'get_update'> = async ({ slug }) => bytes(await get(slug))
  const markdown: Handler<'get_update_markdown'> = async ({ slug }) => text((await get(slug)).body, 'text/markdown; charset=utf-8')
  const stats: Handler<'get_update_stats'> = async (_question, { dataNow }) => {
    const as_of = `${dataNow().toISOString().slice(0, 19)}Z`
    const { days, total } = await countUpdates(db, addDays(easternDay(as_of), 1 - statsDays))
    return bytes({ last_30_days: days, total_all_time: total, as_of })
  }
  const feed: Handler<'get_updates_feed'> = async () => {
    const { updates } = await findUpdates(db, { ticker: null, category: 'daily', from: null, to: null }, { limit: feedUpdates, offset: 0 })
    const full = await Promise.all(updates.map(({ slug }) => findUpdate(db, slug)))
    return text(
      renderUpdateFeed(
        full.filter(each => each !== null),
        baseUrl(),
      ),
      'application/atom+xml; charset=utf-8',
    )
  }
  return { list_updates: list, get_update: one, get_update_markdown: markdown, get_update_stats: stats, get_updates_feed: feed }
}
