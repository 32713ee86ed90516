// Codes similar to the requested one, for hints.

/** Words that share a part with the text or begin alike, most alike first; at most `limit`. */
export function nearestWords(text: string, words: readonly string[], limit: number): string[] {
  const parts = text.split(/[^a-z0-9]+/).filter(part => part.length > 1)
  const score = (word: string): number => {
    const own = word.split('_')
    const shared = parts.filter(part => own.some(each => each === part)).length * 4
    const begun = parts.filter(part => own.some(each => each.startsWith(part.slice(0, 3)))).length * 2
    return shared + begun + (word.includes(text) ? 3 : 0)
  }
  return words
    .map(word => ({ word, score: score(word) }))
    .filter(each => each.score > 0)
    .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1))
    .slice(0, limit)
    .map(each => each.word)
}
