// A screen over HTTP: from the newest build, from a build made on request, and 503 if no worker makes one.
import type { KyselyPlugin } from 'kysely'
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { Upstream } from '#schemas/errors.ts'
import { operationOf } from '#schemas/operations.ts'
import { ModelMissing } from '#warehouse/models/missing.ts'
import { screener } from '#warehouse/models/model.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import { modelBuilds } from './model-builds.ts'

const { db, server, warehouse } = await worldService()

type Body = {
  readonly detail?: string
  readonly hint?: string
  readonly total: number
  readonly release: number
  readonly as_of: string
  readonly session_date: string | null
  readonly receipt_id?: string
  readonly data: readonly { readonly code: string }[]
  readonly next_cursor: string | null
}
const get = async (path: string): Promise<Response> => await fetch(`${server.address}${path}`)
const ask = async (query: string): Promise<Body> => (await (await get(`/api/v1/market/screener?${query}`)).json()) as Body

describe('a screen over HTTP', () => {
  it('needs no key and states its sources', async () => {
    const body = await ask(`filter=${encodeURIComponent("exchange in (to) and sector = 'mining'")}&sort=volume.desc`)
    expect(body.data.length).toBe(body.total)
    expect(body.total).toBeGreaterThan(1)
    expect(body.data.every(row => row.code.endsWith('.TO'))).toBe(true)
    expect(body.release).toBe((await warehouse.lake()).versionOf(screener.inputs).release)
  })
  it('fits its schema, and so do its fields', async () => {
    for (const [id, path] of [
      ['run_screener', '/api/v1/market/screener?fields=all&limit=1000'],
      ['list_screener_fields', '/api/v1/market/screener/fields'],
    ] as const) {
      const { answer, example } = operationOf(id)
      expect(answer?.safeParse(await (await get(path)).json()).error?.issues ?? []).toEqual([])
      expect((await get(example.request)).status).toBe(200)
    }
  })
  it('comes as csv and excel too, the fields asked for as columns', async () => {
    const csv = await (await get('/api/v1/market/screener?fields=close,pe&limit=2&format=csv')).text()
    expect(csv.split('\r\n')[0]).toBe('code,close,pe')
    const excel = await get('/api/v1/market/screener/fields?format=excel')
    expect(excel.headers.get('content-type')).toContain('tab-separated')
    expect((await excel.text()).split('\r\n').length).toBeGreaterThan(60)
  })
  it('refuses an unknown field in filter, sort and fields, with the nearest names', async () => {
    for (const query of ['filter=markt_cap>1', 'sort=markt_cap.desc', 'fields=markt_cap']) {
      const response = await get(`/api/v1/market/screener?${query}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'bad_request', hint: expect.stringContaining('market_cap') })
    }
  })
  it('of an older release is built on request, and is that release', async () => {
    const body = await ask('release=4&limit=5')
    expect(body).toMatchObject({ release: 4 })
    expect(String(body.session_date) < '2026-11-19').toBe(true)
  })
  it('goes on in the release in which it began, while newer ones come', async () => {
    const first = await ask('sort=name.asc&limit=10')
    await addDocument(warehouse, 'file:symbols-new.csv', 'symbol,exchange,name,type,currency\nAAAA,US,Aardvark Anvils Inc. Common Stock,common,USD\n')
    const second = await ask(`sort=name.asc&limit=10&cursor=${first.next_cursor}`)
    expect(second.release).toBe(first.release)
    expect(second.data.some(row => first.data.some(other => other.code === row.code))).toBe(false)
    // The new release is not computed yet: the newest existing build answers, with its release.
    expect((await ask('limit=7')).release).toBe(first.release)
  })
  it('is signed when asked, and made again from the raw documents where they are few enough to be named, else from the release', async () => {
    const signed = await ask('release=1&limit=4&fields=name&receipt=1')
    const verified = (await (await get(`/api/v1/lineage/verify/${signed.receipt_id}`)).json()) as Record<string, unknown>
    expect(verified).toMatchObject({ valid: true, reproduced: true, reproduced_from: 'documents', reproduction: 'documents' })
    const whole = await ask('limit=4&fields=name&receipt=1')
    expect(await (await get(`/api/v1/lineage/verify/${whole.receipt_id}`)).json()).toMatchObject({
      valid: true,
      reproduced: true,
      reproduced_from: 'release',
      reproduction: 'release',
    })
  })
})

describe('a build that is missing', () => {
  const missing = new ModelMissing(screener, 3, null)
  const sent: unknown[] = []
  const queue = {
    send: async (_name: string, data: { request?: unknown }, options: { key?: string }) => {
      sent.push({ ...options, request: data.request })
      return 'a'
    },
  } as unknown as Queue

  it('is asked for, one at a time over all callers, and answered 503 with Retry-After if no worker makes it', async () => {
    const failing = modelBuilds(db, queue, 300).awaiting(async () => {
      throw missing
    })
    await expect(failing).rejects.toBe(missing)
    expect(missing).toBeInstanceOf(Upstream)
    expect(missing).toMatchObject({ status: 503, retryAfterSeconds: 15 })
    expect(sent).toEqual([{ key: 'build', request: { model: 'screener', release: 3, as_of: null } }])
  })
  it('is waited for once; until it is ready, further requests get their 503 sooner', async () => {
    let looks = 0
    const countsLooks: KyselyPlugin = {
      transformQuery: ({ node }) => {
        looks += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const builds = modelBuilds(db.withPlugin(countsLooks), queue, 1_600)
    const looksOfRequest = async (): Promise<number> => {
      looks = 0
      const failing = builds.awaiting(async () => {
        throw missing
      })
      await expect(failing).rejects.toBe(missing)
      return looks
    }
    // One look for each tenth of a second of the wait.
    expect([await looksOfRequest(), await looksOfRequest()]).toEqual([16, 1])
  })
  it('leaves every other failure alone', async () => {
    const failing = modelBuilds(db, queue, 300).awaiting(async () => {
      throw new TypeError('something else')
    })
    await expect(failing).rejects.toThrow('something else')
  })
})
