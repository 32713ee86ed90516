// The names of a list that an unknown name may refer to.

/**
 * The most similar names by edit distance, by their beginning or by shared words, best first; names with too many differences are omitted.
 * Underscores do not count.
 */
export function nearestNames(requested: string, names: readonly string[], limit: number): string[] {
  const whole = requested.slice(0, 64)
  const short = plain(whole)
  const words = new Set(whole.split('_').filter(word => word.length > 1))
  return names
    .map(name => {
      const shared = name.split('_').filter(word => words.has(word)).length
      const own = plain(name)
      const begins = short.length > 2 && (own.startsWith(short) || short.startsWith(own))
      const slips = begins ? Math.min(2, Math.abs(own.length - short.length)) : distance(short, own)
      return { name, near: shared > 0 || slips <= Math.max(2, Math.floor(own.length / 4)), score: slips - 3 * shared }
    })
    .filter(each => each.near)
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(each => each.name)
}

const plain = (name: string): string => name.replaceAll('_', '')

/** Levenshtein's distance of two short words. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1)
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)))
    above = row
  }
  return above[b.length] ?? 0
}
