// One line of a text-era information table: its words with their positions, the CUSIP among them, and the cells after it. Columns are
// only a hint: filers let names run over them, pad CUSIPs and leave cells blank, so cutting at fixed positions would lose rows.
import { isCusip, readCusip } from '#schemas/cusip.ts'
import { decimalText } from '#schemas/values.ts'

export type Word = { readonly text: string; readonly start: number; readonly end: number }
export type Line = { readonly number: number; readonly text: string; readonly words: readonly Word[] }
/** The position of a CUSIP: words `from` up to `to`, as filed. */
export type Found = { readonly from: number; readonly to: number; readonly filed: string; readonly sure: boolean }

/** Longer lines are no rows of a table; their words are not looked at. */
const mostCharacters = 2000

export function lineOf(text: string, number: number): Line {
  const words: Word[] = []
  if (text.length > mostCharacters) return { number, text, words }
  for (const match of text.matchAll(/\S+/g)) {
    const [word, start] = [match[0], match.index]
    // `209527SH`: the kind follows the number directly.
    const glued = /^([$\d,.]+)(SH|SHS|PRN)$/i.exec(word)
    const [, amount = '', kind = ''] = glued ?? []
    if (glued === null) words.push({ text: word, start, end: start + word.length })
    else words.push({ text: amount, start, end: start + amount.length }, { text: kind, start: start + amount.length, end: start + word.length })
  }
  return { number, text, words }
}

/** An amount as tables print it: `1,234`, `$1,234.50`, `(12)`, `-0-`, `12*`; null for anything else. */
export function amountOf(word: string): string | null {
  if (word === '-0-' || word === '-' || word === '--') return '0'
  if (word.length > 40) return null
  const plain = /^[($]{0,2}(\d[\d,]*\.?\d*|\.\d+)\)?[*%]?$/.exec(word)
  if (plain === null || word.endsWith('%')) return null
  const digits = plain[1] ?? ''
  // `4,17` is a list of managers, `1,234` a number.
  if (digits.includes(',') && !/^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(digits)) return null
  return decimalText(digits.replaceAll(',', '').replace(/\.$/, ''))
}

/** The CUSIP of a line: the first run of one to four words that makes one whose check digit agrees; else one that only looks like it. */
export function findCusip(line: Line): Found | null {
  const { words } = line
  for (let from = 0; from < words.length; from += 1) {
    let joined = ''
    for (let to = from; to < Math.min(words.length, from + 4); to += 1) {
      const word = words[to] as Word
      // The parts of one number are adjacent.
      if (to > from && word.start - (words[to - 1] as Word).end > 2) break
      if (!/^[0-9A-Za-z@#*-]{1,13}$/.test(word.text)) break
      joined += word.text.toUpperCase().replaceAll('-', '')
      if (joined.length > 13) break
      if (joined.length >= 9 && isSureCusip(joined)) {
        const end = withStray(words, to)
        return { from, to: end + 1, filed: text(line, from, end), sure: true }
      }
    }
  }
  return null
}

/** Nine characters with their check digit, or padded at the end; repeated digits are not a CUSIP. */
const isSureCusip = (joined: string): boolean =>
  (isCusip(joined) || (joined.length === 12 && joined.endsWith('000') && isCusip(joined.slice(0, 9)))) &&
  /\d.*\d.*\d/.test(joined) &&
  !/^(.)\1+$/.test(joined)

/** A single character directly after a CUSIP is a shifted column (`949773V 10 7`) and not an amount. */
function withStray(words: readonly Word[], to: number): number {
  const [last, next] = [words[to] as Word, words[to + 1]]
  return next !== undefined && next.start - last.end === 1 && /^[0-9A-Za-z]$/.test(next.text) ? to + 1 : to
}
const text = (line: Line, from: number, to: number): string => line.text.slice((line.words[from] as Word).start, (line.words[to] as Word).end)

/**
 * A CUSIP without a valid check digit, in the table's CUSIP column: leading zeros dropped, a digit mistyped, a column joined to the next.
 * Takes words that begin between `left` and `right`.
 */
export function findLikelyCusip(line: Line, left: number, right: number): Found | null {
  const { words } = line
  for (let from = 0; from < words.length; from += 1) {
    const word = words[from] as Word
    if (word.start < left) continue
    if (word.start > right) return null
    let to = from
    let joined = word.text
    while (
      to + 1 < words.length &&
      joined.length < 9 &&
      /^[0-9A-Z]{1,3}$/i.test((words[to + 1] as Word).text) &&
      (words[to + 1] as Word).start - (words[to] as Word).end <= 2
    ) {
      to += 1
      joined += (words[to] as Word).text
    }
    const plain = joined.toUpperCase().replaceAll('-', '')
    if (!/^[0-9A-Z*@#]{6,13}$/.test(plain) || (plain.match(/\d/g) ?? []).length < 4) continue
    // An amount is not a CUSIP: accept only what can be corrected, or has letters or nine characters.
    const repaired = readCusip(plain).flag === 'cusip_repaired' && plain.length >= 7
    if (repaired || plain.length === 9 || (/[A-Z]/.test(plain) && plain.length >= 8))
      return { from, to: to + 1, filed: text(line, from, to), sure: false }
  }
  return null
}
