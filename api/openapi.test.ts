import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { operations, publicOperations } from '#schemas/operations.ts'
import { buildApp } from './app.ts'
import { fakes } from './fakes.ts'

type Node = Record<string, unknown>
let app: FastifyInstance
let full: Node
let curated: Node
beforeAll(async () => {
  app = await buildApp(fakes())
  full = (await app.inject('/openapi.json')).json()
  curated = (await app.inject('/api/v1/public/openapi.json')).json()
})
afterAll(() => app.close())

/** Every node of a document, with its path. */
function* walk(node: unknown, path = '#'): Generator<readonly [string, Node]> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield [path, node as Node]
  for (const [key, inner] of Object.entries(node)) yield* walk(inner, `${path}/${key}`)
}
const methodsOf = (document: Node) =>
  Object.entries(document['paths'] as Record<string, Node>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, node]) => ({ path, method, node: node as Node })),
  )

describe('the full description', () => {
  it('is OpenAPI 3.1.0, version 1.0.0, and the same in YAML', async () => {
    expect([full['openapi'], (full['info'] as Node)['version']]).toEqual(['3.1.0', '1.0.0'])
    const yaml = await app.inject('/openapi.yaml')
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(parse(yaml.body)).toEqual(full)
  })
  it('lists every route that is served, and no other', () => {
    expect(
      methodsOf(full)
        .map(({ path, method }) => `${method.toUpperCase()} ${path}`)
        .sort(),
    ).toEqual(operations.map(each => `${each.method} ${each.path}`).sort())
  })
})

describe('the curated description', () => {
  it('counts 24 keyless and 28 keyed operations', () => {
    const listed = methodsOf(curated)
    expect(listed).toHaveLength(publicOperations.length)
    expect(listed.filter(({ node }) => (node['security'] as unknown[]).length === 0)).toHaveLength(24)
    expect(listed.filter(({ node }) => (node['security'] as unknown[]).length > 0)).toHaveLength(28)
  })
  it('uses tags of the specification only', () => {
    const tags = (curated['tags'] as { name: string }[]).map(each => each.name)
    for (const { node } of methodsOf(curated)) for (const tag of node['tags'] as string[]) expect(tags).toContain(tag)
  })
})

describe.each([
  ['full', () => full],
  ['curated', () => curated],
])('every part of the %s description', (_name, document) => {
  it('that is referred to is there', () => {
    for (const [path, node] of walk(document())) {
      const ref = node['$ref']
      if (typeof ref !== 'string') continue
      expect(ref, path).toMatch(/^#\//)
      let target: unknown = document()
      for (const part of ref.slice(2).split('/')) target = (target as Node | undefined)?.[part]
      expect(target, `${path} -> ${ref}`).toBeTypeOf('object')
    }
  })
  it('that is a component is referred to', () => {
    const text = JSON.stringify(document())
    const { schemas, responses, headers } = document()['components'] as Record<string, Node>
    for (const [kind, group] of Object.entries({ schemas, responses, headers }))
      for (const name of Object.keys(group ?? {})) expect(text, `${kind}/${name}`).toContain(`"#/components/${kind}/${name}"`)
  })
  it('has patterns that every regular-expression dialect reads, and examples and defaults that match them', () => {
    let count = 0
    for (const [path, node] of walk(document())) {
      const { pattern } = node
      if (typeof pattern !== 'string') continue
      count += 1
      // `\\p` needs the u flag, which not every client sets; look-behind, named groups and inline flags are not in every dialect.
      expect(pattern, path).not.toMatch(/\\[pPkuQ]|\(\?<|\(\?[a-z]/)
      for (const expression of [new RegExp(pattern), new RegExp(pattern, 'u')])
        for (const text of [node['example'], node['default'], ...((node['examples'] as unknown[] | undefined) ?? [])])
          if (typeof text === 'string') expect(text, path).toMatch(expression)
    }
    expect(count).toBeGreaterThan(100)
  })
  it('describes each error in both media types, 503 and 429 with Retry-After, and Idempotency-Key with its 409', () => {
    const { responses } = document()['components'] as { responses: Record<string, { headers?: Node; content?: Node }> }
    for (const name of ['Error', 'RateLimited', 'Unavailable'])
      expect(Object.keys(responses[name]?.content ?? {})).toEqual(['application/json', 'application/problem+json'])
    for (const name of ['RateLimited', 'Unavailable']) expect(Object.keys(responses[name]?.headers ?? {})).toContain('Retry-After')
    for (const { path, method, node } of methodsOf(document())) {
      const headers = (node['parameters'] as { name: string; in: string }[]).filter(each => each.in === 'header')
      if (headers.some(each => each.name === 'Idempotency-Key')) expect(Object.keys(node['responses'] as Node), `${method} ${path}`).toContain('409')
      if ((node['security'] as unknown[]).length > 0) expect(Object.keys(node['responses'] as Node), `${method} ${path}`).toContain('503')
    }
  })
  it('has an id, a summary, a description, an example, and the error shape', () => {
    const ids = new Set<unknown>()
    for (const { path, method, node } of methodsOf(document())) {
      const where = `${method} ${path}`
      expect(node['operationId'], where).toMatch(/^[a-z][a-z0-9_]*$/)
      ids.add(node['operationId'])
      expect(String(node['summary']).length, where).toBeGreaterThan(5)
      expect(String(node['description']).length, where).toBeGreaterThan(10)
      expect(node['x-example-request'], where).toBeTypeOf('string')
      for (const extension of ['x-tier', 'x-cost', 'x-cache', 'x-freshness']) expect(node[extension], where).toBeDefined()
      const responses = node['responses'] as Record<string, Node>
      expect(responses['default'], where).toEqual({ $ref: '#/components/responses/Error' })
      const success = operations.find(each => each.id === node['operationId'])?.success
      expect(responses[String(success)]?.['description'], where).toBeTypeOf('string')
      const needsKey = (node['security'] as unknown[]).length > 0
      expect(Object.keys(responses).includes('401'), where).toBe(needsKey)
    }
    expect(ids.size).toBe(methodsOf(document()).length)
  })
  it('declares each parameter of its path, once and required', () => {
    for (const { path, node } of methodsOf(document())) {
      const parameters = node['parameters'] as { name: string; in: string; required: boolean; schema: Node; description: string }[]
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      expect(
        parameters
          .filter(each => each.in === 'path')
          .map(each => each.name)
          .sort(),
      ).toEqual([...inPath].sort())
      expect(new Set(parameters.map(each => each.name)).size).toBe(parameters.length)
      for (const each of parameters) {
        if (each.in === 'path') expect(each.required).toBe(true)
        expect(['string', 'integer', 'boolean']).toContain(each.schema['type'])
        expect(each.description.length).toBeGreaterThan(3)
      }
    }
  })
  it('is a schema that JSON Schema knows: types and no internal members', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
    const { schemas } = document()['components'] as Record<string, Node>
    for (const [path, node] of walk(schemas)) {
      if (path.endsWith('/properties') || path.endsWith('/default') || path === '#') continue
      const { type } = node
      if (typeof type === 'string') expect(types, path).toContain(type)
      for (const ours of ['column', 'decimal', 'absent', '$schema', '$id']) expect(node, path).not.toHaveProperty(ours)
    }
  })
})
