// Sentences of two sections that stand in both, in the newer alone, in the older alone. A sentence: split behind . ! ? ; : and a
// blank, lower case, letters a-z and digits only, at least six words.

export type SentenceCounts = {
  readonly old: number
  readonly new: number
  /** Of the newer section: sentences that stand anywhere in the older. */
  readonly unchanged: number
  readonly added: number
  /** Of the older section: sentences that stand nowhere in the newer. */
  readonly removed: number
}
const leastWords = 6

/** The sentences of a section; the running head `Table of Contents` is no part of one. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?;:])\s+/).flatMap(each => {
    const plain = each
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(/[^a-z0-9 ]+/g, '')
      .replaceAll('table of contents', '')
      .replace(/ +/g, ' ')
      .trim()
    return plain.split(' ').length >= leastWords ? [plain] : []
  })
}

export function compareSentences(oldText: string, newText: string): SentenceCounts {
  const [old, recent] = [sentencesOf(oldText), sentencesOf(newText)]
  const [before, after] = [new Set(old), new Set(recent)]
  const unchanged = recent.filter(sentence => before.has(sentence)).length
  return {
    old: old.length,
    new: recent.length,
    unchanged,
    added: recent.length - unchanged,
    removed: old.filter(sentence => !after.has(sentence)).length,
  }
}
