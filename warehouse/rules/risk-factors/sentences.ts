// Sentences of two sections that are in both, only in the newer, or only in the older. A sentence: split after . ! ? ; : and a blank,
// lower case, letters a-z and digits only, at least six words.

export type SentenceCounts = {
  readonly old: number
  readonly new: number
  /** Of the newer section: sentences that are anywhere in the older. */
  readonly unchanged: number
  readonly added: number
  /** Of the older section: sentences that are nowhere in the newer. */
  readonly removed: number
}
const leastWords = 6

/** The sentences of a section, without the running head `Table of Contents`. */
export function sentencesOf(text: string): string[] {
  // Processes the whole text in one pass: a section has thousands of sentences.
  const cleaned = text
    .toLowerCase()
    .replace(/[\n\r]+/g, ' ')
    .replace(/([.!?;:])\s+/g, '$1\n')
    .replace(/[^a-z0-9\n]+/g, run => (/\s/.test(run) ? ' ' : ''))
  return cleaned.split('\n').flatMap(each => {
    const plain = each.includes('table of contents') ? each.replaceAll('table of contents', '').replace(/ +/g, ' ').trim() : each.trim()
    return wordsIn(plain) >= leastWords ? [plain] : []
  })
}
function wordsIn(plain: string): number {
  let count = plain === '' ? 0 : 1
  for (let at = plain.indexOf(' '); at >= 0; at = plain.indexOf(' ', at + 1)) count += 1
  return count
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
