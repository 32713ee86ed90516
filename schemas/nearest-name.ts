// The known name that a misspelled one probably means.

/** The name with changes in at most a third of its letters, or the only one with this beginning; else null. */
export function nearest<Name extends string>(requested: string, names: readonly Name[]): Name | null {
  if (requested.length > 100 || requested === '') return null
  const wanted = requested.toLowerCase()
  const [best] = names
    .map(name => ({ name, apart: slips(wanted, name.toLowerCase()) }))
    .filter(({ name, apart }) => apart <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.apart - b.apart)
  if (best) return best.name
  const beginning = names.filter(name => name.startsWith(wanted))
  return beginning.length === 1 ? (beginning[0] ?? null) : null
}

/** Edit distance; two swapped neighbouring letters count as one change. */
function slips(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped))
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}
