// Suggestions for misspelled names.

/**
 * The most similar name, with changes in at most a third of its letters (and at least 1), or null. For short lists: quadratic in the length
 * of names.
 */
export function nearest(requested: string, names: readonly string[]): string | null {
  if (requested.length > 200) return null
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const distance = slips(requested.toLowerCase(), name.toLowerCase())
    if (distance < least) {
      least = distance
      best = name
    }
  }
  return best !== null && least <= Math.max(1, Math.floor(Math.max(best.length, 4) / 3)) ? best : null
}

function slips(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = a[i - 1] === b[j - 1] ? 0 : 1
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + swap))
    }
    above = row
  }
  return above[b.length] ?? 0
}
