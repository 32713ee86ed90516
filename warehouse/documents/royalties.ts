// Royalties in the tables of a document: property, holder, rate and basis as printed, with the page and row of each. A value is given if
// one column of the table is named for it, or if a cell prints it; nothing is taken from another row or inferred.
import type { TextTable } from './table-text.ts'

export type Royalty = {
  readonly page: number
  readonly table: string
  readonly row: number
  readonly property: string | null
  readonly holder: string | null
  readonly rate: string
  readonly rate_pct: object | null
  readonly basis: (typeof bases)[number][0] | null
  readonly basis_printed: string | null
  readonly buyback: string | null
  readonly cells: readonly (string | null)[]
}
export type RoyaltyTables = {
  readonly royalties: readonly Royalty[]
  /** Rows of tables of royalties without a printed rate. */
  readonly unread: readonly { readonly page: number; readonly table: string; readonly row: number; readonly cells: readonly (string | null)[] }[]
}

/** The bases of royalties, each with its printed forms (English and French). */
const bases = [
  ['nsr', /\bNSRs?\b|\bnet smelter(?:s)? (?:returns?|royalt)|\brevenus? nets? de fonderie/i],
  ['npi', /\bNPIs?\b|\bNPRs?\b|\bnet profits? (?:interest|royalt)|\bparticipation aux bénéfices nets/i],
  ['gsr', /\bGSRs?\b|\bgross smelter/i],
  ['gor', /\bGORRs?\b|\bGRRs?\b|\bgross (?:overriding|revenue|proceeds|value) ?(?:returns?|royalt)?/i],
  ['nvr', /\bNVRs?\b|\bnet value/i],
  ['production', /\bproduction (?:payment|royalt)|\bper (?:tonne|ton|ounce|oz)\b/i],
] as const
const aboutRoyalties = /royalt|redevance|\bNSRs?\b|net smelter|\bGORRs?\b|\bGRRs?\b|\bGSRs?\b|\bNPIs?\b/i
const columnsOf = {
  buyback: /buy[\s-]?(?:back|down|out)|repurchase|rachat/i,
  holder: /holder|owner|owed to|payee|payable to|beneficiar|in favou?r of|royalty company|recipient|counterpart|titulaire|bénéficiaire|détenteur/i,
  basis: /\btype\b|\bbasis\b|\bkind\b|\bnature\b/i,
  property: /propert|project|\bclaims?\b|concession|tenement|\btenures?\b|\bmines?\b|deposit|\basset\b|\blicen[cs]e\b|propriété|projet|gisement/i,
} as const
/** One percentage, alone in its cell or before words: "2.0%", "2% NSR", "1.5 % on gold". */
const percentages = /(?<![\d.,])(\d{1,3}(?:[.,]\d{1,4})?)\s?%/g
const isRange = /\d\s?%?\s?(?:-|–|to|à|up to)\s?\d[\d.,]*\s?%|\bup to\b|sliding|graduat|variab|jusqu/i
const bare = /^(\d{1,3}(?:[.,]\d{1,4})?)$/

export function royaltiesOf(tables: readonly TextTable[]): RoyaltyTables {
  const royalties: Royalty[] = []
  const unread: RoyaltyTables['unread'][number][] = []
  const heads = new Map<string, TextTable>()
  for (const table of tables) {
    // A table that continues one of an earlier page has the same head if none is printed again.
    const before = table.continues === null ? undefined : heads.get(table.continues)
    const named = table.columns.some(({ name }) => name !== null)
    const head = !named && before?.columns.length === table.columns.length ? before : table
    heads.set(table.id, head)
    const names = head.columns.map(({ name }) => name ?? '')
    if (!aboutRoyalties.test([head.title ?? '', ...names].join('\n'))) continue
    const at = placesOf(names)
    if (at.rate === -1) continue
    table.rows.forEach(({ cells }, index) => {
      const place = { page: table.page, table: table.id, row: index + 1, cells }
      const cell = (column: number): string | null => (column < 0 ? null : (cells[column]?.trim() ?? '') || null)
      const printed = cell(at.rate)
      const pct = printed === null ? null : rateOf(printed, names[at.rate] ?? '')
      const stated = printed !== null && (pct !== null || /\d/.test(printed))
      if (!stated || printed === null) {
        if (cells.some(each => each !== null && each.trim() !== '')) unread.push(place)
        return
      }
      const basis = basisOf([cell(at.basis), printed, names[at.rate] ?? null])
      royalties.push({
        page: table.page,
        table: table.id,
        row: index + 1,
        property: cell(at.property),
        holder: cell(at.holder),
        rate: printed,
        rate_pct: pct === null ? null : JSON.rawJSON(pct),
        basis: basis?.basis ?? null,
        basis_printed: basis?.printed ?? null,
        buyback: cell(at.buyback),
        cells,
      })
    })
  }
  return { royalties, unread }
}

type Places = { readonly property: number; readonly holder: number; readonly basis: number; readonly buyback: number; readonly rate: number }
/** The column of each value, by its name only; -1: there is none, or the names are not clear. */
function placesOf(names: readonly string[]): Places {
  const taken = new Set<number>()
  const only = (pattern: RegExp): number => {
    const found = names.flatMap((name, at) => (!taken.has(at) && pattern.test(name) ? [at] : []))
    const [first = -1] = found
    if (found.length !== 1) return -1
    taken.add(first)
    return first
  }
  const buyback = only(columnsOf.buyback)
  const holder = only(columnsOf.holder)
  const basis = only(columnsOf.basis)
  const named = only(/\brate\b|%|percent|\btaux\b/i)
  const rate = named >= 0 ? named : only(aboutRoyalties)
  const property = only(columnsOf.property)
  return { property, holder, basis, buyback, rate }
}

/** The rate in percent with its digits; null for a range, several rates, or a number without a percent sign in cell and head. */
function rateOf(printed: string, head: string): string | null {
  if (isRange.test(printed)) return null
  const found = [...printed.matchAll(percentages)].map(match => match[1] ?? '')
  const [only = null] = found
  const text = found.length === 1 ? only : found.length === 0 && /%|percent/i.test(head) ? (bare.exec(printed)?.[1] ?? null) : null
  return text === null ? null : text.replace(',', '.').replace(/^0+(?=\d)/, '')
}
function basisOf(texts: readonly (string | null)[]): { readonly basis: (typeof bases)[number][0]; readonly printed: string } | null {
  for (const text of texts) {
    if (text === null) continue
    const found = bases.filter(([, pattern]) => pattern.test(text))
    const [first] = found
    // Two bases in one cell: it is not clear which of them the rate uses.
    if (found.length > 1) return null
    if (first) return { basis: first[0], printed: text }
  }
  return null
}

/**
 * Tables of a text as documents/parse prints them: pages end with a form feed, cells are separated by tabs, vertical bars, or two spaces or
 * more. Two or more lines with the same number of cells are a table with the first line as its head; the line before it is its title.
 */
export function textTables(text: string): TextTable[] {
  const tables: TextTable[] = []
  text.split('\f').forEach((page, at) => {
    const lines = page.split(/\r?\n/)
    const split = lines.map(cellsOf)
    for (let first = 0; first < lines.length; ) {
      const width = split[first]?.length ?? 0
      let end = first
      while (end < lines.length && width > 1 && split[end]?.length === width) end += 1
      if (end - first < 2) {
        first += 1
        continue
      }
      const rows = split.slice(first, end).filter(cells => !cells.every(each => /^:?-*:?$/.test(each)))
      const [head = [], ...body] = rows
      const title = lines
        .slice(0, first)
        .findLast(line => line.trim() !== '')
        ?.trim()
      tables.push({
        id: `t${tables.length + 1}`,
        page: at + 1,
        title: title === undefined || title.length > 200 ? null : title,
        continues: null,
        columns: head.map(name => ({ name: name === '' ? null : name })),
        rows: body.map(cells => ({ cells: cells.map(each => (each === '' ? null : each)) })),
      })
      first = end
    }
  })
  return tables
}
function cellsOf(line: string): string[] {
  if (line.includes('\t')) return line.split('\t').map(each => each.trim())
  if (line.includes('|'))
    return line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map(each => each.trim())
  return line.trim().split(/\s{2,}/)
}
