// Which names of a list an unknown one may have meant.

/** The names nearest by edit distance or by shared words, best first; none that is too far off. */
export function nearestNames(asked: string, names: readonly string[], limit: number): string[] {
  const short = asked.slice(0, 64)
  const words = new Set(short.split('_').filter(word => word.length > 1))
  return names
    .map(name => {
      const shared = name.split('_').filter(word => words.has(word)).length
      const slips = distance(short, name)
      const near = slips <= Math.max(2, Math.floor(name.length / 3)) || (short.length > 2 && (name.startsWith(short) || short.startsWith(name)))
      return { name, near: near || shared > 0, score: slips - 3 * shared }
    })
    .filter(each => each.near)
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(each => each.name)
}

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
