// The positions of the printed labels on a cover page. Filers break them over lines and cells, drop blanks and add dots. They
// are therefore searched in the text reduced to letters and digits; each position maps back to the text.

/** A text's letters and digits, in lower case, and the position of each in the text. */
export type Squeezed = { readonly letters: string; readonly places: Int32Array }

export function squeeze(text: string): Squeezed {
  const places = new Int32Array(text.length)
  const codes = new Uint8Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const lower = code >= 65 && code <= 90 ? code + 32 : code
    if ((lower >= 97 && lower <= 122) || (lower >= 48 && lower <= 57)) {
      codes[count] = lower
      places[count] = at
      count += 1
    }
  }
  return { letters: Buffer.from(codes.buffer, 0, count).toString('latin1'), places: places.subarray(0, count) }
}

/** The rows of the cover page in their order, the same on both schedules but for source of funds and legal proceedings. */
export const rowKinds = [
  'name',
  'group',
  'sec_use',
  'funds',
  'legal',
  'citizenship',
  'sole_voting',
  'shared_voting',
  'sole_dispositive',
  'shared_dispositive',
  'aggregate',
  'excludes',
  'percent',
  'type',
] as const
export type RowKind = (typeof rowKinds)[number]

/** Row numbers of a kind: of Schedule 13D (17 CFR 240.13d-101) and 13G (240.13d-102). */
export const rowNumbers: Readonly<Record<RowKind, readonly number[]>> = {
  name: [1],
  group: [2],
  sec_use: [3],
  funds: [4],
  legal: [5],
  citizenship: [4, 6],
  sole_voting: [5, 7],
  shared_voting: [6, 8],
  sole_dispositive: [7, 9],
  shared_dispositive: [8, 10],
  aggregate: [9, 11],
  excludes: [10, 12],
  percent: [11, 13],
  type: [12, 14],
}

/** A row's own number as words: 5 to 14, so that no digit of the following value is taken. */
const row = '(?:(?:in|on|of|by)?(?:the)?(?:row|line|item|box)s?(?:number|no)?(?:1[0-4]|[5-9])?)'
const see = '(?:see(?:the)?(?:reverse|instructions?)(?:beforefillingout)?)?'
const patterns: Readonly<Record<RowKind, string>> = {
  name: 'names?o[fr](?:the)?report(?:ing)?persons?|names?ofpersons?(?!filing|s?authori|s?ablefor|whos?|s?with)|nameandirsidentification(?:nos?|numbers?)?(?:of)?(?:reporting|above)?persons?',
  group: `check(?:the)?appropriate(?:box(?:es)?|line|space)if[a-z]{0,24}?memberof(?:a|the)?group${see}`,
  sec_use: 'secuseonly|seconlyuse',
  funds: `sources?offunds?(?:orotherconsideration)?${see}`,
  legal: `check(?:the)?(?:box|here)?if(?:the)?disclosureof(?:any)?legalproceedings?(?:or(?:actions?)?)?(?:is|are)?(?:required)?(?:pursuantto)?(?:items?)?(?:2[de])?(?:or|and)?(?:items?)?(?:2[ef])?${see}`,
  citizenship: 'citizenshipo[rf](?:place|state|jurisdiction|country)(?:or(?:place|state|country))?of(?:organi[sz]ation|incorporation)',
  sole_voting: 'soles?votingpower|solepowertovote(?!ortodirect)',
  shared_voting: 'share[ds]?(?:orno)?votingpower|sharedpowertovote(?!ortodirect)',
  sole_dispositive: 'sole(?:dispositi(?:ve|on)|disposal|dispostive|investment)(?:voting)?power',
  shared_dispositive: 'share[ds]?(?:dispositi(?:ve|on)|disposal|dispostive|investment)(?:voting)?power',
  aggregate:
    'aggregated?amount(?:of)?(?:shares)?(?:benefi[a-z]{3,8})?own(?:ed|er|ership)(?:by(?:each|the)?(?:such)?(?:reporting)?persons?)?(?:with)?',
  excludes: `check(?:the)?(?:appropriate)?(?:box|here)?(?:if)?(?:the)?aggregateamount${row}?excludes?(?:certain)?(?:shares?)?${see}`,
  percent: `percent(?:age)?of(?:the)?(?:class|series)(?:of(?:securities|stock|shares))?represent(?:ed|ing)?(?:by|to)?(?:the)?(?:aggregate)?(?:amounts?)?${row}?`,
  type: `typeof(?:reportingpersons?|persons?reporting|reportperson)${see}`,
}
const anyLabel = new RegExp(rowKinds.map(kind => `(${patterns[kind]})`).join('|'), 'g')

export type Label = {
  readonly kind: RowKind
  readonly start: number
  readonly end: number
  /** The position after the label in `Squeezed.letters`. */
  readonly squeezedEnd: number
  /** The row number printed before it, and its position; null without one. */
  readonly number: { readonly value: number; readonly start: number } | null
  /** It begins its line or cell, or its row number does: so do labels, and sentences hardly ever. */
  readonly heads: boolean
}

/** Every label in the order of the text; linear in its length. */
export function labelsIn(text: string, { letters, places }: Squeezed): Label[] {
  const labels: Label[] = []
  for (const match of letters.matchAll(anyLabel)) {
    const at = match.findIndex((group, place) => place > 0 && group !== undefined) - 1
    const kind = rowKinds[at] as RowKind
    const start = places[match.index] as number
    const squeezedEnd = wholeWords(text, places, match.index + match[0].length)
    const end = (places[squeezedEnd - 1] as number) + 1
    // Words of two columns run together are one label only if they are close.
    if (end - start > match[0].length * 3 + 60) continue
    const number = numberBefore(text, start)
    const own = number !== null && rowNumbers[kind].includes(number.value) ? number : null
    labels.push({ kind, start, end, squeezedEnd, number: own, heads: own !== null || beginsCell(text, start) })
  }
  return labels
}

/**
 * The end of a match, without its last letter if that begins the next word: the plural of "person" and the first letter of "person /
 * Saltmarsh" are the same letter once spaces are removed.
 */
export function wholeWords(text: string, places: Int32Array, end: number): number {
  const last = places[end - 1] as number
  const begins = places[end - 2] !== last - 1
  return begins && /[A-Za-z0-9]/.test(text[last + 1] ?? '') ? end - 1 : end
}

/** A number of one or two digits right before a place, brackets and dots aside. */
function numberBefore(text: string, start: number): { value: number; start: number } | null {
  let at = start - 1
  for (let steps = 0; at >= 0 && steps < 200 && /[\s().[\]:|*–-]/.test(text[at] as string); steps += 1) at -= 1
  const last = at
  while (at >= 0 && last - at < 3 && /\d/.test(text[at] as string)) at -= 1
  const digits = text.slice(at + 1, last + 1)
  if (!/^\d{1,2}$/.test(digits) || /[\w,.$%]/.test(text[at] ?? ' ')) return null
  // The bracket that opens before the number belongs to it.
  const from = /[([]/.test(text[at] ?? '') ? at : at + 1
  return { value: Number(digits), start: from }
}

/** Words next to rows 5 to 8 (7 to 10): the right edge of the box at their left. */
const adjacentWords = /(?:number|of|shares|beneficially|owned|by|each|reporting|person|persons|with)[:;,]?\s*$/i

function beginsCell(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && /[ (*.:|[•-]/.test(text[at] as string)) at -= 1
  if (at < 0 || text[at] === '\n' || text[at] === '\t') return true
  return adjacentWords.test(text.slice(Math.max(0, start - 16), start))
}
