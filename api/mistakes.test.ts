// Requests that users of other services write, from mistakes.json, sent to the whole service over the bundled universe: each is refused
// with a hint that names what to change. `hint` lists texts that the hint contains; KEY is replaced by a valid key.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { operations } from '#schemas/operations.ts'
import { otherPaths } from './plugins/other-names.ts'
import { unknownRoutes } from './plugins/unknown-routes.ts'
import { type Server, startServer } from './server.ts'

const Mistake = z.strictObject({
  habit: z.string(),
  request: z.string().regex(/^(GET|POST) \//),
  status: z.int(),
  hint: z.array(z.string()).min(1),
  /** The request is sent with a valid key. */
  key: z.boolean().default(false),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
  text: z.string().optional(),
})
const mistakes = z.array(Mistake).parse(JSON.parse(readFileSync(new URL('./mistakes.json', import.meta.url), 'utf8')))

/** Words of zod, of JavaScript and of the framework that mean nothing to a client. */
const foreign =
  /Invalid input|Invalid option|[Uu]nrecognized|received|Too (?:small|big)|expected (?:string|number|array|object|int)\b|undefined|\bNaN\b|[Zz]od|FST_|invalid_type|ReferenceError|TypeError/

const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
let server: Server
beforeAll(async () => {
  server = await startServer(warehouse.config)
})
afterAll(() => server.close())

const withKey = (text: string): string => text.replaceAll('KEY', key)

async function send(mistake: z.infer<typeof Mistake>): Promise<{ readonly status: number; readonly text: string }> {
  const [method = '', path = ''] = mistake.request.split(' ')
  const json: Record<string, string> = mistake.body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = Object.entries({ ...json, ...(mistake.key ? { authorization: 'Bearer KEY' } : {}), ...mistake.headers })
  const body = mistake.text ?? (mistake.body === undefined ? null : JSON.stringify(mistake.body))
  const response = await fetch(server.address + withKey(path), {
    method,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, withKey(value)])),
    ...(body === null ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}

describe('mistakes of users of other services', () => {
  it.each(mistakes.map(each => [`${each.habit}: ${each.request}`, each] as const))('%s', async (_, mistake) => {
    const { status, text } = await send(mistake)
    const { detail, hint } = JSON.parse(text) as { detail: unknown; hint: string }
    expect({ status, detail, hint }).toMatchObject({ status: mistake.status, hint: expect.stringContaining(mistake.hint[0] ?? '') })
    for (const part of mistake.hint) expect(hint).toContain(part)
    expect(text).not.toMatch(foreign)
    expect(text).not.toContain(key)
  })
  it('are at least 80, each once', () => {
    expect(new Set(mistakes.map(each => JSON.stringify([each.request, each.headers, each.body, each.text]))).size).toBe(mistakes.length)
    expect(mistakes.length).toBeGreaterThanOrEqual(80)
  })
  it('an unknown symbol of end-of-day is no error: count 0 with the nearest symbols', async () => {
    const response = await fetch(`${server.address}/api/v1/market/eod/GLRP.TO`)
    expect(response.status).toBe(200)
    const body = (await response.json()) as { coverage: { nearest: string[] } }
    expect(body).toMatchObject({ count: 0, bars: [], coverage: { status: 'not_loaded' } })
    expect(body.coverage.nearest).toContain('GLPR.TO')
    const held = (await (await fetch(`${server.address}/api/v1/market/eod/GLPR.TO?limit=1`)).json()) as { coverage: object }
    expect(held.coverage).not.toHaveProperty('nearest')
  })
})

describe('paths of other services', () => {
  const unknown = unknownRoutes(operations)
  it.each(otherPaths.map(({ path }) => path))('%s leads to a path of this service', path => {
    const asked = path.replaceAll(/\{\w+\}/g, 'X1').replace('*', 'any')
    const found = unknown('GET', asked, 'symbol=GLPR&cik=1')
    const { hint = '' } = found.kind === 'error' ? found.error : {}
    const [, method = '', target = ''] = /^did you mean (GET|POST) ([^?\s]+)/.exec(hint) ?? []
    expect([asked, operations.some(each => each.method === method && isPathOf(each.path, target))]).toEqual([asked, true])
  })
})

function isPathOf(pattern: string, path: string): boolean {
  const [parts, given] = [pattern.split('/'), path.split('/')]
  return parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
}
