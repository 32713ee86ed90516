// The database is lost while a question is answered: the client of the stream gets the reason when it is back.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readEvents } from '#fixtures/events.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openRelay } from '#fixtures/relay.ts'
import { signedInUser } from '#fixtures/users.ts'
import { loadConfig } from '#schemas/config.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { widePlans } from '../fakes.ts'
import { startServer } from '../server.ts'

const url = await createTestDatabase()
const { db, pool, close } = connect(url)
const relay = await openRelay(url)
const folder = mkdtempSync(join(tmpdir(), 'crossfile-outage-'))
await installQueue(url)
const lost = Promise.withResolvers<void>()
const config = loadConfig({ DATABASE_URL: relay.url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'silent', PORT: '0' })
const server = await startServer(config, widePlans, {
  answer: async ({ onEvent }) => {
    onEvent?.({ event: 'thinking', text: 'reading the quote' })
    await lost.promise
    // As `pg` fails a statement on the connection that it loses.
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  },
  times: { poll: 10, watch: 20 },
})
afterAll(async () => {
  await server.close()
  await relay.close()
  await close()
  rmSync(folder, { recursive: true, force: true })
})

it('ends a stream with the reason soon after the database is back, and does not count the question', async () => {
  const user = await signedInUser(db)
  const address = `${server.address}/api/v1/chat/stream-thinking?content=price`
  const events = readEvents(await fetch(address, { headers: user.cookie }))
  const seen = [await events.next(), await events.next()].map(event => event?.id ?? '')
  await relay.cut()
  lost.resolve()
  await expect(events.rest()).rejects.toThrow()
  await relay.restore()
  const continued = readEvents(await fetch(address, { headers: { ...user.cookie, 'last-event-id': seen[1] ?? '' } }))
  expect(await continued.rest()).toMatchObject([
    {
      id: seen[1]?.replace(/2$/, '3'),
      event: 'error',
      data: { code: 'upstream_unavailable', detail: 'the database cannot be reached at the moment', retryable: true },
    },
  ])
  const { rows } = await pool.query('select coalesce(sum(used), 0)::int as used from daily_use where user_id = $1', [user.user_id])
  expect(rows).toEqual([{ used: 0 }])
})
