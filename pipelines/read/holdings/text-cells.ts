// The cells after the CUSIP of a line in a text table: value, shares, kind, option, discretion, managers, votes. Empty cells leave no mark
// in the line, so the numbers are assigned by arithmetic if possible (votes add up to the shares) and otherwise by their columns.
import { emptyRow, type TableRow } from './table-row.ts'
import { amountOf, type Line, type Word } from './text-line.ts'

export type Columns = {
  /** True if the header puts the shares before the value. */
  readonly sharesFirst: boolean
  /** Centres of the header's words, for marks that say something by their column only. */
  readonly discretion: readonly (readonly [name: 'SOLE' | 'DFND' | 'OTR', centre: number])[]
  readonly votes: readonly (readonly [cell: 'sole' | 'shared' | 'none', centre: number])[]
}
export const noColumns: Columns = { sharesFirst: false, discretion: [], votes: [] }

const types: Readonly<Record<string, 'SH' | 'PRN'>> = {
  SH: 'SH',
  SHS: 'SH',
  SHRS: 'SH',
  SHR: 'SH',
  SHARES: 'SH',
  PRN: 'PRN',
  PRIN: 'PRN',
  PN: 'PRN',
  PRINCIPAL: 'PRN',
}
const options: Readonly<Record<string, 'Put' | 'Call'>> = { PUT: 'Put', PUTS: 'Put', CALL: 'Call', CALLS: 'Call' }
const discretionWord = /^(?:sole|shared|shrd|shd|other|oth|defined|def|dfnd|dfn|otr|none|shared-?(?:defined|other)|(?:shared|sh)[-/](?:def|oth)\w*)$/i
const isMark = (word: string): boolean => /^[xX]{1,2}$/.test(word)

type Amount = { readonly word: Word; readonly amount: string; readonly at: number }

/**
 * The cells of the words from `from` on, issuer, class and CUSIP left open. Null if there are not two amounts: then the line is no
 * row. `dittoes`: a line without a name must show more than two amounts, or it is a total.
 */
export function cellsOf(line: Line, from: number, columns: Columns, dittoes = false): TableRow | null {
  const words = line.words.slice(from).filter(word => word.text !== '$')
  const amounts: Amount[] = []
  let type: 'SH' | 'PRN' | null = null
  let typeAt = -1
  let marked = false
  const row = emptyRow()
  for (const [at, word] of words.entries()) {
    const upper = word.text.toUpperCase().replace(/[.:;*]+$/, '')
    const amount = amountOf(word.text)
    if (amount !== null) amounts.push({ word, amount, at })
    else if (types[upper] !== undefined && type === null) {
      type = types[upper] ?? null
      typeAt = at
    } else if (options[upper] !== undefined) row.putCall = options[upper] ?? null
    else if (/^\(?(?:PUT|CALL)\)?$/.test(upper)) row.putCall = upper.includes('PUT') ? 'Put' : 'Call'
    if (amount === null && (discretionWord.test(upper) || isMark(upper))) marked = true
  }
  if (amounts.length < 2) return null
  if (dittoes && amounts.length < 3 && !marked && type === null) return null
  const [first, second] = amounts as [Amount, Amount]
  // `1,000 SH 25,300`: the kind follows the shares, so they came first.
  const swapped = typeAt > second.at ? typeAt !== second.at + 1 && columns.sharesFirst : typeAt > first.at || columns.sharesFirst
  row.value = swapped ? second.amount : first.amount
  row.amount = swapped ? first.amount : second.amount
  row.amountType = type ?? 'SH'
  if (type === null) row.oddities.push('shares_type_assumed')
  readRest(row, words.slice(second.at + 1), columns)
  return row
}

/** Discretion, managers and votes, in this order, any of them blank. */
function readRest(row: TableRow, words: readonly Word[], columns: Columns): void {
  let discretionEnd = -1
  for (const [at, word] of words.entries()) {
    const upper = word.text.toUpperCase().replace(/[.:;]+$/, '')
    if (discretionEnd >= 0 && at !== discretionEnd + 1) break
    if (isMark(upper)) {
      row.discretion ??= nearest(columns.discretion, word, 3)
      if (row.discretion !== null) row.oddities.push('discretion_by_column')
    } else if (discretionWord.test(upper) && upper !== 'NONE') row.discretion = discretionOf(row.discretion, upper)
    else continue
    discretionEnd = at
    if (isMark(upper)) break
  }
  const behind = words.slice(discretionEnd + 1)
  const amounts = behind.flatMap((word, at): Amount[] => {
    const amount = amountOf(word.text)
    return amount === null ? [] : [{ word, amount, at }]
  })
  const votes = votesOf(amounts, row.amount ?? '0')
  const firstVote = votes[0]?.at ?? behind.length
  const managers = behind.slice(0, firstVote).filter(word => /^\d{1,3}(?:[,;&/]\d{0,3})*$|^NONE$|^N\/A$/i.test(word.text))
  if (managers.length > 0)
    row.otherManager = managers
      .map(word => word.text)
      .join(' ')
      .replace(/[,;]$/, '')
  placeVotes(row, votes, columns)
}

const discretionOf = (held: string | null, word: string): string => {
  const other = /OTH|OTR/.test(word)
  const shared = /SH/.test(word)
  const defined = /DEF|DFN/.test(word)
  if (other) return 'OTR'
  if (defined || shared) return 'DFND'
  return held ?? 'SOLE'
}

/**
 * The votes at the end of the line: as many of the last three amounts as add up to the shares. If none do (a filer's mistake), the last
 * three, without a preceding small number, which is a manager's.
 */
function votesOf(amounts: readonly Amount[], shares: string): readonly Amount[] {
  const total = Number(shares)
  for (const count of [3, 2, 1]) {
    if (count > amounts.length) continue
    const last = amounts.slice(-count)
    if (last.reduce((sum, each) => sum + Number(each.amount), 0) === total) return last
  }
  const last = amounts.slice(-3)
  const [first] = last
  return last.length > 1 && first !== undefined && /^[1-9]\d?$/.test(first.amount) && total > 1000 ? last.slice(1) : last
}

function placeVotes(row: TableRow, votes: readonly Amount[], columns: Columns): void {
  if (votes.length === 3) {
    row.sole = votes[0]?.amount ?? null
    row.shared = votes[1]?.amount ?? null
    row.none = votes[2]?.amount ?? null
    return
  }
  const order = ['sole', 'shared', 'none'] as const
  for (const [at, vote] of votes.entries()) {
    const cell = nearest(columns.votes, vote.word, 14) ?? order[at] ?? 'none'
    row[row[cell] === null ? cell : (order.find(each => row[each] === null) ?? 'none')] = vote.amount
  }
  if (votes.length > 0 && columns.votes.length < 3) row.oddities.push('votes_placed_by_order')
}

/** The column whose centre is nearest to a word's; null if two are about as near, since a guess would be reported as filed. */
function nearest<N>(columns: readonly (readonly [name: N, centre: number])[], word: Word, farthest: number): N | null {
  const centre = (word.start + word.end) / 2
  const [first, second] = columns.map(([name, at]) => ({ name, away: Math.abs(at - centre) })).sort((a, b) => a.away - b.away)
  if (first === undefined || first.away > farthest) return null
  return second !== undefined && second.away - first.away < clearly ? null : first.name
}
/** By how many characters the next heading has to be farther. */
const clearly = 2
