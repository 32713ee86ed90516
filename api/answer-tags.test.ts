// Answers that release and question decide: their tags, and 304 before anything is built.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testFolders } from '#fixtures/test-folder.ts'
import type { Catalogue, LakeFile } from '#warehouse/store/lake/catalogue.ts'
import { sqlIn } from '#warehouse/store/sql-files.ts'
import { answerTags, codeName } from './answer-tags.ts'
import { buildApp } from './app.ts'
import { aKey, bytes, fakes, keyList } from './fakes.ts'

const folderOf = testFolders('answer-tags')
const file = (dataset: string, sha256: string, release: number): LakeFile =>
  ({ dataset, sha256, fresh_release: release, release_max: release }) as unknown as LakeFile
function catalogueOf(releases: Readonly<Record<string, readonly number[]>>, sha = 'a'): Catalogue {
  const numbers = Object.values(releases).flat()
  return {
    release: Math.max(...numbers),
    version: numbers.length,
    files: new Map(Object.entries(releases).map(([dataset, of]) => [dataset, of.map(release => file(dataset, `${sha}${release}`, release))])),
    releases: new Map(
      Object.entries(releases).map(([dataset, of]) => [dataset, of.map(release => ({ release, committed_at: `2026-11-0${release}T00:00:00Z` }))]),
    ),
  }
}
const name = 'GET /api/v1/market/eod/RY.TO?adjust=split&order=asc'
const tagIn = (catalogue: Catalogue, release: number, question = name, code: string | null = 'code') =>
  answerTags(() => catalogue, code).tagOf('get_eod', question, release)

it('name an answer by its datasets, its question and the code, and nothing else', () => {
  const catalogue = catalogueOf({ bars: [1, 3], form4: [2, 4] })
  const tag = tagIn(catalogue, 3)
  expect(tag).toMatch(/^3-[\w-]{22}$/)
  // Release 4 changes nothing that the answer reads; release 2 has the answer of release 1.
  expect(tagIn(catalogue, 4)).toBe(tag)
  expect(tagIn(catalogueOf({ bars: [1, 3], form4: [2, 4, 5] }), 5)).toBe(tag)
  expect(tagIn(catalogue, 2)).toBe(tagIn(catalogue, 1))
  // No bar comes from a filing, so corrections of filings change none.
  expect(tagIn(catalogueOf({ bars: [1, 3], filing_corrections: [2] }), 3)).toBe(tag)
  const others = [
    tagIn(catalogue, 1),
    tagIn(catalogue, 3, `${name}&limit=3`),
    tagIn(catalogue, 3, name, 'newer code'),
    // The same numbers of releases after a restored backup, with other rows.
    tagIn(catalogueOf({ bars: [1, 3] }, 'b'), 3),
    tagIn(catalogueOf({ bars: [1, 3], corporate_actions: [4] }), 4),
  ]
  expect(new Set([tag, ...others]).size).toBe(6)
})

it('exist for these answers and for known code only', () => {
  const catalogue = catalogueOf({ bars: [1], quotes: [1] })
  expect(tagIn(catalogue, 1, name, null)).toBeNull()
  expect(tagIn(catalogue, 2)).toBeNull()
  // The age of a quote depends on the instant of the request.
  expect(answerTags(() => catalogue, 'code').tagOf('get_quotes', 'GET /api/v1/market/quotes?symbols=RY.TO', 1)).toBeNull()
  const program = '/srv/crossfile/node_modules/.cache/programs/0123456789abcdef/api.server.js'
  const named = codeName(program)
  expect(named).toMatch(/^0123456789abcdef [\w-]{43}$/)
  expect([codeName('/srv/crossfile/api/server.ts'), codeName('/srv/programs/of/api.server.js'), codeName(undefined)]).toEqual([null, null, null])
  // The statements of the lake are read from the sources, which can change without the programs.
  const folder = folderOf()
  writeFileSync(join(folder, 'find-bars.sql'), 'select 1 as open')
  expect(sqlIn(folder, ['find-bars'])).toEqual({ 'find-bars': 'select 1 as open' })
  expect(codeName(program)).not.toBe(named)
})

const state = { catalogue: catalogueOf({ bars: [1] }), built: 0 }
const head = { release: 1, as_of: '2026-11-20T21:04:11Z' }
const tags = answerTags(() => state.catalogue, 'code')
const key = aKey()
let app: FastifyInstance
beforeAll(async () => {
  app = await buildApp({
    ...fakes({
      keys: keyList(key),
      head,
      handlers: {
        get_eod: (_question, context) => {
          state.built += 1
          const answer = bytes(JSON.stringify({ bars: [{ note: 'abc '.repeat(2_000) }] }), context.release)
          return { ...answer, etag: tags.tagOf('get_eod', context.name, context.release as number) as string }
        },
      },
    }),
    heldTag: tags.heldTag,
    // Nothing is repeated from memory, so that each answer is built or not.
    options: { logLevel: false, cacheBytes: 0 },
  })
})
afterAll(() => app.close())

function commit(releases: Readonly<Record<string, readonly number[]>>): void {
  state.catalogue = catalogueOf(releases)
  head.release = state.catalogue.release
}
async function ask(path: string, headers: Record<string, string> = {}) {
  const before = state.built
  const response = await app.inject({ url: path, headers: { authorization: `Bearer ${key.text}`, ...headers } })
  return { response, status: response.statusCode, built: state.built - before }
}
const eod = '/api/v1/market/eod/RY.TO'
it('let a client that has the answer be answered without it', async () => {
  for (const coding of ['identity', 'zstd', 'gzip']) {
    const first = await ask(eod, { 'accept-encoding': coding })
    const tag = String(first.response.headers['etag'])
    expect([first.status, first.built, tag.endsWith(`-${coding}"`)]).toEqual([200, 1, coding !== 'identity'])
    for (const path of [eod, `${eod}?order=asc`, '/api/v1/market/eod/TSX%3ARY']) {
      const { response, status, built } = await ask(path, { 'accept-encoding': coding, 'if-none-match': `"other", W/${tag}` })
      expect([status, built, response.body, response.headers['etag']]).toEqual([304, 0, '', tag])
      const { 'cache-control': caching, vary, ratelimit } = response.headers
      expect([caching, vary, ratelimit !== undefined]).toEqual([first.response.headers['cache-control'], first.response.headers['vary'], true])
    }
  }
  const tag = String((await ask(eod)).response.headers['etag'])
  const held = { 'if-none-match': tag }
  // Another question, another format, a receipt, any tag: they are built.
  for (const path of [`${eod}?order=desc`, '/api/v1/market/eod/TD.TO', `${eod}?format=csv`, `${eod}?receipt=1`])
    expect(await ask(path, held)).toMatchObject({ built: 1 })
  expect(await ask(eod, { 'if-none-match': '*' })).toMatchObject({ status: 304, built: 1 })
  expect(await ask(eod, { 'if-none-match': tag.slice(1, -1) })).toMatchObject({ status: 200, built: 1 })
  // A release that changes the datasets ends it; one that changes others does not.
  commit({ bars: [1], form4: [2] })
  expect(await ask(eod, held)).toMatchObject({ status: 304, built: 0 })
  commit({ bars: [1, 3], form4: [2] })
  expect(await ask(eod, held)).toMatchObject({ status: 200, built: 1 })
  expect(await ask(`${eod}?release=2`, held)).toMatchObject({ built: 1 })
})

it('are read as every condition is: a client that names none of them correctly gets the whole answer', async () => {
  const { response } = await ask(eod)
  const tag = String(response.headers['etag'])
  const many = Array.from({ length: 70 }, (_, at) => `"other ${at}"`).join(', ')
  for (const header of [`x${tag}`, `"other" ${tag}`, `w/${tag}`, `${tag};q=1`, `${many}, ${tag}`]) {
    const { status, built, response: whole } = await ask(eod, { 'if-none-match': header })
    expect([header, status, built, whole.body === response.body]).toEqual([header, 200, 1, true])
  }
})
it('are those of a coding that the client accepts, because a cache gives it the answer that a 304 names', async () => {
  const tagIn = async (coding: string): Promise<string> => String((await ask(eod, { 'accept-encoding': coding })).response.headers['etag'])
  const [plain, zstd, gzip] = [await tagIn('identity'), await tagIn('zstd'), await tagIn('gzip')]
  const named = async (coding: string, ...tags: string[]): Promise<unknown[]> => {
    const { status, built, response } = await ask(eod, { 'accept-encoding': coding, 'if-none-match': tags.join(', ') })
    return [status, built, response.headers['etag']]
  }
  expect(await named('zstd', plain, gzip, zstd)).toEqual([304, 0, zstd])
  expect(await named('gzip', zstd, plain)).toEqual([304, 0, plain])
  // The answer is made to compare it, and is named as the client would get it.
  expect(await named('gzip', zstd)).toEqual([304, 1, gzip])
  expect(await named('identity', zstd, gzip)).toEqual([304, 1, plain])
})
