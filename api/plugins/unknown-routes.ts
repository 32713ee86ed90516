// Requests without a route: 404 with the nearest path, 405 with Allow, and OPTIONS.
import { BadRequest, type CrossfileError, NotFound } from '#schemas/errors.ts'
import { printable } from '#schemas/operations/parameters.ts'
import type { Operation } from '#schemas/operations.ts'
import { withHeaders } from './errors.ts'
import { nearPaths } from './near-paths.ts'
import { nearest } from './nearest.ts'

export type Unknown =
  | { readonly kind: 'options'; readonly allow: string; readonly operation: Operation }
  | { readonly kind: 'error'; readonly error: CrossfileError; readonly operation: Operation | null }

/** Answers a method and path without a route. `query` is the text after the question mark; hints repeat plain values of it. */
export function unknownRoutes(table: readonly Operation[]): (method: string, path: string, query: string) => Unknown {
  const routes = table.map(operation => ({
    operation,
    pattern: new RegExp(
      `^${operation.path
        .replaceAll('.', '\\.')
        .replace(`{${operation.rest}}`, '.+')
        .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    ),
  }))
  const paths = [...new Set(table.filter(each => each.curated).map(each => each.path))]
  const near = nearPaths(table.filter(each => each.access !== 'admin' && each.tag !== 'Admin'))
  return (method, path, query) => {
    const plain = decodedPath(path)
    const here = routes.filter(each => each.pattern.test(plain)).map(each => each.operation)
    const first = here.find(each => each.method === 'GET') ?? here[0]
    if (!first) return { kind: 'error', error: notHere(path, near(path, query), paths), operation: null }
    const methods = new Set<string>(here.map(each => each.method))
    if (here.some(each => each.method === 'GET' && !each.effects)) methods.add('HEAD')
    methods.add('OPTIONS')
    const allow = [...methods].join(', ')
    if (method === 'OPTIONS') return { kind: 'options', allow, operation: first }
    const error = new BadRequest(`${printable(method)} is not allowed on ${first.path}`, {
      status: 405,
      code: 'method_not_allowed',
      hint: `use ${here.map(each => each.method).join(' or ')}`,
    })
    return { kind: 'error', error: withHeaders(error, { Allow: allow }), operation: first }
  }
}

/** The path as the router reads it: needlessly encoded letters are decoded; an encoded slash stays encoded. */
function decodedPath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return path
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('/', '%2F'))
      .join('/')
  } catch {
    return path
  }
}

function notHere(path: string, near: readonly string[], paths: readonly string[]): NotFound {
  const [first] = near
  const spelled = first === undefined ? nearest(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, paths) : null
  return new NotFound(`there is nothing at ${printable(path)}`, {
    hint:
      first !== undefined
        ? `did you mean ${near.join(' or ')}?`
        : spelled === null
          ? 'GET /api/v1/public/openapi.json lists every path'
          : `did you mean ${spelled}?`,
  })
}
