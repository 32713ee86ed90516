// The path that a request for an unknown path probably meant: another spelling of a path of this service, one that begins with it, a
// typing mistake of one segment, or the path of another service. Values of the request are filled in where they are plain.
import type { Operation } from '#schemas/operations.ts'
import { nearest } from './nearest.ts'
import { otherPaths } from './other-names.ts'

type Values = Readonly<Record<string, string>>
type Route = { readonly method: string; readonly path: string; readonly segments: readonly string[]; readonly takes: readonly string[] }
type OtherPath = { readonly pattern: readonly string[]; readonly method: string; readonly target: string; readonly pairs: readonly string[] }
export type NearPaths = (path: string, query: string) => readonly string[]

/** Most paths that one hint names. */
const most = 3
const segmentsOf = (path: string): string[] => path.split('/').filter(part => part !== '')
const isSlot = (segment: string): boolean => segment.startsWith('{')
/** Only plain values are repeated in a path. */
const plainValue = /^[A-Za-z0-9][A-Za-z0-9.,:_-]{0,79}$/

/** Finds the meant paths among those of `table`, as `GET /api/v1/…`, most likely first; empty if nothing is near. */
export function nearPaths(table: readonly Operation[]): NearPaths {
  const routes = table.map(({ method, path, question }): Route => ({ method, path, segments: segmentsOf(path), takes: Object.keys(question.shape) }))
  const others = otherPaths.flatMap(({ path, means }): OtherPath[] => {
    const [target = '', search = ''] = means.split('?')
    const segments = segmentsOf(target)
    const route = routes.find(each => each.segments.length === segments.length && matched(each.segments, segments) !== null)
    return route ? [{ pattern: segmentsOf(path), method: route.method, target, pairs: search.split('&').filter(pair => pair !== '') }] : []
  })
  return (path, query) => {
    const given = valuesOf(query)
    const requested = segmentsOf(decoded(path)).slice(0, 32)
    if (requested.length === 0) return []
    const tidy = withoutEnding(requested)
    return (
      some(otherServices(others, requested, given)) ??
      some(spellings(tidy).flatMap(each => exact(routes, each, given))) ??
      some(spellings(tidy).flatMap(each => longer(routes, each, given))) ??
      some(oneSlip(routes, tidy, given)) ??
      some(spellings(tidy).flatMap(each => oneSlip(routes, each, given))) ??
      []
    )
  }
}

const some = (found: readonly string[]): readonly string[] | null => (found.length > 0 ? [...new Set(found)].slice(0, most) : null)

/** The path with the prefix of this service in place of another or of none: `/v1/market/…`, `/api/v2/market/…`, `/market/…`. */
function spellings(requested: readonly string[]): (readonly string[])[] {
  const bare = [...requested]
  if (bare[0]?.toLowerCase() === 'api') bare.shift()
  if (/^v[0-9x]+$/i.test(bare[0] ?? '')) bare.shift()
  return bare.length === 0 ? [requested] : [requested, ['api', 'v1', ...bare]]
}

function exact(routes: readonly Route[], requested: readonly string[], given: Values): string[] {
  return fewestSlots(
    routes.flatMap(route => {
      const values = route.segments.length === requested.length ? matched(route.segments, requested) : null
      return values === null ? [] : [{ route, values }]
    }),
    given,
  )
}

/** Of several routes that fit, those with the most fixed segments: `/filings/search` before `/filings/{accession}`. */
function fewestSlots(found: readonly { readonly route: Route; readonly values: Values }[], given: Values): string[] {
  const slots = ({ segments }: Route): number => segments.filter(isSlot).length
  const least = Math.min(...found.map(({ route }) => slots(route)))
  return found.filter(({ route }) => slots(route) === least).flatMap(({ route, values }) => filled(route, values, given))
}

/** Paths of which the request gives the first segments: those without an open slot first, then the shortest. */
function longer(routes: readonly Route[], requested: readonly string[], given: Values): string[] {
  if (requested.length < 3) return []
  const found = routes.flatMap(route => {
    const values = route.segments.length > requested.length ? matched(route.segments.slice(0, requested.length), requested) : null
    return values === null ? [] : filled(route, values, given).map(text => ({ text, more: route.segments.length - requested.length }))
  })
  const rank = (each: { readonly text: string; readonly more: number }): number => (each.text.includes('{') ? 100 : 0) + each.more
  const least = Math.min(...found.map(rank))
  const best = found.filter(each => rank(each) === least)
  return best.length > most ? [] : best.map(each => each.text)
}

/** Paths that differ in one fixed segment, by a typing mistake. */
function oneSlip(routes: readonly Route[], requested: readonly string[], given: Values): string[] {
  const found = routes.flatMap(route => {
    if (route.segments.length !== requested.length) return []
    const wrong = route.segments.findIndex((segment, at) => !isSlot(segment) && segment !== requested[at]?.toLowerCase())
    const own = route.segments[wrong]
    if (own === undefined || nearest(requested[wrong] ?? '', [own]) === null) return []
    const values = matched(route.segments, requested.with(wrong, own))
    return values === null ? [] : [{ route, values }]
  })
  return fewestSlots(found, given)
}

/** The path of this service for one of another service. */
function otherServices(others: readonly OtherPath[], requested: readonly string[], given: Values): string[] {
  for (const { pattern, method, target, pairs } of others) {
    const values = matched(pattern, requested)
    if (values === null) continue
    const known = { ...given, ...values }
    const query = pairs.map(pair => fill(pair, known)).filter(pair => !pair.includes('{'))
    return [`${method} ${fill(target, known)}${query.length > 0 ? `?${query.join('&')}` : ''}`]
  }
  return []
}

/** The values of the slots of `pattern`; null if a fixed segment differs. `*` at the end matches any rest; `CIK{cik}.json` holds a slot. */
function matched(pattern: readonly string[], requested: readonly string[]): Values | null {
  const open = pattern.at(-1) === '*'
  if (open ? requested.length < pattern.length - 1 : requested.length !== pattern.length) return null
  const values: Record<string, string> = {}
  for (const [at, segment] of pattern.entries()) {
    if (segment === '*') return values
    const part = requested[at] ?? ''
    const slot = /^(.*)\{(\w+)\}(.*)$/.exec(segment)
    if (!slot) {
      if (segment.toLowerCase() !== part.toLowerCase()) return null
      continue
    }
    const [, before = '', name = '', after = ''] = slot
    if (!part.toLowerCase().startsWith(before.toLowerCase()) || !part.toLowerCase().endsWith(after.toLowerCase())) return null
    values[name] = part.slice(before.length, part.length - after.length)
  }
  return values
}

/** The route with the values that the request gives, in its path or in its query. */
function filled(route: Route, values: Values, given: Values): string[] {
  const path = fill(route.path, { ...given, ...values })
  const slots = new Set(route.segments.filter(isSlot).map(segment => segment.slice(1, -1)))
  const query = route.takes.filter(name => !slots.has(name) && plainValue.test(given[name] ?? '')).map(name => `${name}=${given[name]}`)
  return [`${route.method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}`]
}

/** Names under which requests give a symbol. */
const symbolNames = ['symbol', 'ticker', 'symbols', 'code', 's'] as const

function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (slot, name: string) => {
    const wanted = (symbolNames as readonly string[]).includes(name) ? [name, ...symbolNames] : [name]
    const value = wanted.map(each => values[each]).find(each => each !== undefined && plainValue.test(each))
    return value ?? slot
  })
}

/** The parameters of a query that can be repeated in a hint; a key is never among them. */
function valuesOf(query: string): Values {
  const values: Record<string, string> = {}
  for (const [name, value] of [...new URLSearchParams(query.slice(0, 2048))].slice(0, 32))
    if (/^[a-z_0-9]{1,32}$/i.test(name) && !/key|token|secret|password/i.test(name)) values[name.toLowerCase()] ??= value
  return values
}

const withoutEnding = (requested: readonly string[]): string[] =>
  requested.map((part, at) => (at === requested.length - 1 ? part.replace(/\.(?:json|csv)$/i, '') : part))

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
