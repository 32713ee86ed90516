// What differs between two JSON values, member by member: two editions of a ruleset, or the answers that they give.

declare global {
  interface JSON {
    /** Whether a value is a number that keeps its digits (ECMA-262, JSON.isRawJSON). */
    isRawJSON(value: unknown): boolean
  }
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export type Change = {
  readonly change: 'added' | 'removed' | 'changed' | 'moved'
  /** The path: names of members, and the keys of rows in their lists. */
  readonly at: readonly string[]
  /** What stood there; of what moved its place in the list, from 1. */
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** By which members the entries of a list are matched; null: by their place. `path`: names of members, without keys. */
export type KeyOf = (path: string, before: readonly JsonObject[], after: readonly JsonObject[]) => readonly string[] | null

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
/** Numbers that keep their digits (`JSON.rawJSON`) are single values, not objects. */
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The changes from one value to another, in the order of the second; a removed item keeps its position. */
export function changesBetween(before: Json, after: Json, keyOf: KeyOf): Change[] {
  const changes: Change[] = []
  compare(before, after, [], '')
  return changes

  function compare(a: Json | undefined, b: Json | undefined, at: readonly string[], path: string): void {
    if (same(a, b)) return
    if (a === undefined) changes.push({ change: 'added', at, before: a, after: b })
    else if (b === undefined) changes.push({ change: 'removed', at, before: a, after: b })
    else if (isObject(a) && isObject(b)) {
      for (const name of inOrder(Object.keys(a), Object.keys(b))) compare(a[name], b[name], [...at, name], path === '' ? name : `${path}.${name}`)
    } else if (isList(a) && isList(b)) compareLists(a, b, at, path)
    else changes.push({ change: 'changed', at, before: a, after: b })
  }

  function compareLists(a: readonly Json[], b: readonly Json[], at: readonly string[], path: string): void {
    if (!(a.every(isObject) && b.every(isObject))) {
      compareValues(a, b, at, path)
      return
    }
    const key = keyOf(path, a as JsonObject[], b as JsonObject[])
    if (key === null) {
      for (let place = 0; place < Math.max(a.length, b.length); place += 1) compare(a[place], b[place], [...at, String(place + 1)], path)
      return
    }
    const named = (list: readonly Json[]): Map<string, Json> => new Map(list.map(each => [keyText(each as JsonObject, key), each]))
    const [held, found] = [named(a), named(b)]
    const [names, others] = [[...held.keys()], [...found.keys()]]
    const moved = movedAmong(names, others)
    for (const name of inOrder(names, others)) {
      const where = [...at, name]
      if (moved.has(name)) changes.push({ change: 'moved', at: where, before: names.indexOf(name) + 1, after: others.indexOf(name) + 1 })
      compare(held.get(name), found.get(name), where, path)
    }
  }

  /** Lists of single values: what joined, what left; if it is only the order, the whole list. */
  function compareValues(a: readonly Json[], b: readonly Json[], at: readonly string[], path: string): void {
    if (a.length === b.length && !a.some(isScalar)) {
      for (const [place, each] of a.entries()) compare(each, b[place], [...at, String(place + 1)], path)
      return
    }
    const [left, joined] = [without(a, b), without(b, a)]
    if (left.length === 0 && joined.length === 0) changes.push({ change: 'changed', at, before: a, after: b })
    for (const each of left) changes.push({ change: 'removed', at, before: each, after: undefined })
    for (const each of joined) changes.push({ change: 'added', at, before: undefined, after: each })
  }
}

const isScalar = (value: Json): boolean => !isList(value) && !isObject(value)

/** Values of one list that are missing from the other, repeated as often as they are missing. */
function without(list: readonly Json[], other: readonly Json[]): Json[] {
  const held = new Map<string, number>()
  for (const each of other) held.set(JSON.stringify(each), (held.get(JSON.stringify(each)) ?? 0) + 1)
  return list.filter(each => {
    const left = held.get(JSON.stringify(each)) ?? 0
    held.set(JSON.stringify(each), left - 1)
    return left <= 0
  })
}

/** The name of a row in its list: the values of its key, `-` for a missing one. */
export function keyText(row: JsonObject, key: readonly string[]): string {
  return key.map(member => (isList(row[member]) ? row[member].join('+') : String(row[member] ?? '-'))).join(' ')
}

/** The names of the second in their order, with those that only the first has inserted after their predecessor. */
function inOrder(before: readonly string[], after: readonly string[]): string[] {
  const there = new Set(after)
  const behind = new Map<string | null, string[]>()
  let last: string | null = null
  for (const name of before) {
    if (there.has(name)) last = name
    else behind.set(last, [...(behind.get(last) ?? []), name])
  }
  return [...(behind.get(null) ?? []), ...after.flatMap(name => [name, ...(behind.get(name) ?? [])])]
}

/** The names with another position among those that both have: all except a longest run that kept its order. */
function movedAmong(before: readonly string[], after: readonly string[]): ReadonlySet<string> {
  const place = new Map(before.map((name, at) => [name, at]))
  const shared = after.filter(name => place.has(name))
  const chains: { readonly last: number; readonly names: readonly string[] }[] = []
  for (const name of shared) {
    const at = place.get(name) as number
    // The chains are kept by length, each with the smallest last place that a chain of its length can end at.
    const fits = chains.findLastIndex(chain => chain.last < at)
    chains[fits + 1] = { last: at, names: [...(chains[fits]?.names ?? []), name] }
  }
  const kept = new Set(chains.at(-1)?.names ?? [])
  return new Set(shared.filter(name => !kept.has(name)))
}

/**
 * For lists without a registered key: the first members that are texts, as few as distinguish all rows of either list; null
 * if they do not.
 */
export const firstTexts: KeyOf = (_path, before, after) => {
  const [sample] = [...before, ...after]
  const texts = Object.keys(sample ?? {}).filter(name => [...before, ...after].every(row => typeof row[name] === 'string' || row[name] === null))
  for (let count = 1; count <= Math.min(texts.length, 6); count += 1) {
    const key = texts.slice(0, count)
    if ([before, after].every(list => new Set(list.map(row => keyText(row, key))).size === list.length)) return key
  }
  return null
}
