// One-to-one assignment of old to new factors with the greatest sum of scores (Hungarian method; Kuhn 1955, with potentials).
import type { DiffRules } from '../../rulesets/rfdiff/rules.ts'

export type Scored = { readonly old: number; readonly new: number; readonly score: number }

/** The chosen pairs, ascending by `old`. Pairs that are not given are never chosen. */
export function assign(pairs: readonly Scored[], rules: Pick<DiffRules, 'assignment_limit'>): Scored[] {
  const chosen = componentsOf(pairs).flatMap(component => {
    const rows = new Set(component.map(pair => pair.old)).size
    const columns = new Set(component.map(pair => pair.new)).size
    return Math.max(rows, columns) > rules.assignment_limit ? greedy(component) : optimal(component)
  })
  return chosen.sort((a, b) => a.old - b.old)
}

/** Pairs connected through common factors; each connected component is assigned separately. */
function componentsOf(pairs: readonly Scored[]): Scored[][] {
  const parent = new Map<string, string>()
  const root = (key: string): string => {
    let at = key
    for (let above = parent.get(at); above !== undefined; above = parent.get(at)) at = above
    if (at !== key) parent.set(key, at)
    return at
  }
  for (const pair of pairs) {
    const [a, b] = [root(`o${pair.old}`), root(`n${pair.new}`)]
    if (a !== b) parent.set(a, b)
  }
  const parts = new Map<string, Scored[]>()
  for (const pair of pairs) {
    const key = root(`o${pair.old}`)
    const part = parts.get(key)
    if (part) part.push(pair)
    else parts.set(key, [pair])
  }
  return [...parts.values()]
}

function greedy(pairs: readonly Scored[]): Scored[] {
  const [olds, news] = [new Set<number>(), new Set<number>()]
  return [...pairs]
    .sort((a, b) => b.score - a.score || a.old - b.old || a.new - b.new)
    .filter(pair => {
      if (olds.has(pair.old) || news.has(pair.new)) return false
      olds.add(pair.old)
      news.add(pair.new)
      return true
    })
}

function optimal(pairs: readonly Scored[]): Scored[] {
  const olds = [...new Set(pairs.map(pair => pair.old))].sort((a, b) => a - b)
  const news = [...new Set(pairs.map(pair => pair.new))].sort((a, b) => a - b)
  const size = Math.max(olds.length, news.length)
  const [rowOf, columnOf] = [new Map(olds.map((old, at) => [old, at])), new Map(news.map((each, at) => [each, at]))]
  const cost = new Float64Array(size * size)
  const given = new Map<number, Scored>()
  for (const pair of pairs) {
    const at = (rowOf.get(pair.old) as number) * size + (columnOf.get(pair.new) as number)
    cost[at] = -pair.score
    given.set(at, pair)
  }
  return hungarian(cost, size).flatMap((column, row) => given.get(row * size + column) ?? [])
}

/** The column of each row of a square matrix that minimizes the sum of the costs. Cubic. */
export function hungarian(cost: Float64Array, size: number): number[] {
  const rowPotential = new Float64Array(size + 1)
  const columnPotential = new Float64Array(size + 1)
  const rowAt = new Int32Array(size + 1) // of each column, counted from 1; 0: free
  const cameFrom = new Int32Array(size + 1)
  for (let row = 1; row <= size; row += 1) {
    rowAt[0] = row
    const least = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY)
    const used = new Uint8Array(size + 1)
    let column = 0
    do {
      used[column] = 1
      const from = rowAt[column] as number
      let [delta, next] = [Number.POSITIVE_INFINITY, 0]
      for (let other = 1; other <= size; other += 1) {
        if (used[other] === 1) continue
        const reduced = (cost[(from - 1) * size + other - 1] as number) - (rowPotential[from] as number) - (columnPotential[other] as number)
        if (reduced < (least[other] as number)) {
          least[other] = reduced
          cameFrom[other] = column
        }
        if ((least[other] as number) < delta) [delta, next] = [least[other] as number, other]
      }
      for (let other = 0; other <= size; other += 1) {
        if (used[other] === 1) {
          rowPotential[rowAt[other] as number] = (rowPotential[rowAt[other] as number] as number) + delta
          columnPotential[other] = (columnPotential[other] as number) - delta
        } else least[other] = (least[other] as number) - delta
      }
      column = next
    } while (rowAt[column] !== 0)
    while (column !== 0) {
      const before = cameFrom[column] as number
      rowAt[column] = rowAt[before] as number
      column = before
    }
  }
  const columns = new Array<number>(size).fill(-1)
  for (let column = 1; column <= size; column += 1) columns[(rowAt[column] as number) - 1] = column - 1
  return columns
}
