// The facts of a drawn document: text with positions, headings, tables, figures, dates, and the symbols and issuers that it prints. Pure:
// the same bytes give the same facts. Nothing is inferred that is not printed.
import { firstPlace } from '#schemas/ordered.ts'
import { numberStyle } from '../rules/drill/tokens.ts'
import { datesIn } from './dates.ts'
import type { DrillRequest, DrillTable } from './drill-tables.ts'
import { cellNumber, figuresIn } from './figures.ts'
import { type Line, linesOf, usualSize } from './lines.ts'
import { issuersIn, type PrintedIssuer, type PrintedSymbol, symbolsIn } from './mentions.ts'
import { type PageText, type PlacedLine, type Role, type Sentence, sentencesOf } from './places.ts'
import { type Royalty, royaltiesOf } from './royalties.ts'
import { type DrawnDocument, type DrawnPage, upright } from './runs.ts'
import { tableText } from './table-text.ts'
import { type FoundTable, tablesOf } from './tables.ts'

/** Limits of lists that grow with the length of the document. */
const mostFound = 5_000
type Warning = { readonly code: string; readonly page: number | null; readonly detail: string }
/** The content of an answer's body; the decimals of `values` are texts, printed as numbers by `printDocument`. */
type DocumentFacts = {
  readonly pdf_version: string | null
  readonly title: string | null
  readonly page_count: number
  readonly scanned_pages: readonly number[]
  readonly pages: readonly object[]
  readonly headings: readonly Heading[]
  readonly tables: readonly Table[]
  readonly figures: readonly object[]
  readonly dates: readonly object[]
  readonly drill: { readonly tables: readonly DrillTable[]; readonly document: DrillRequest | null } | null
  readonly royalties: readonly Royalty[]
  readonly warnings: readonly Warning[]
}
export type ReadDocument = { readonly facts: DocumentFacts; readonly symbols: readonly PrintedSymbol[]; readonly issuers: readonly PrintedIssuer[] }
type Heading = { readonly text: string; readonly level: number; readonly page: number; readonly start: number; readonly end: number }
type Table = {
  readonly id: string
  readonly page: number
  readonly title: string | null
  readonly unit: string | null
  readonly continues: string | null
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly columns: readonly { readonly name: string | null; readonly unit: string | null; readonly x: number; readonly width: number }[]
  readonly rows: readonly { readonly cells: readonly (string | null)[]; readonly values: readonly (object | null)[]; readonly y: number }[]
}
type Laid = { readonly drawn: DrawnPage; readonly lines: readonly Line[] }
type Kind = 'text' | 'scanned' | 'empty' | 'unmapped' | 'unreadable'
declare global {
  interface JSON {
    rawJSON(text: string): object
  }
}
/** Hundredths of a point; in a damaged file, positions may not be numbers. */
const points = (value: number): number => (Number.isFinite(value) ? Math.round(value * 100) / 100 : 0)

export async function readDrawn(document: DrawnDocument): Promise<ReadDocument> {
  const laid = document.pages.map(upright).map(drawn => ({ drawn, lines: linesOf(drawn.runs, drawn.width) }))
  const running = runningLines(laid)
  const body = usualSize(laid.flatMap(({ lines }) => lines.map(line => ({ size: line.size, text: textOf(line) }))))
  const style = numberStyle(laid.map(({ lines }) => lines.map(textOf).join('\n')).join('\n'))
  const levels = new Map(headingStyles(laid, running, body).map((key, at) => [key, Math.min(6, at + 1)]))
  const warnings: Warning[] = document.scripts
    ? [{ code: 'has_javascript', page: null, detail: 'the document carries JavaScript; it is never run' }]
    : []
  const texts: PageText[] = []
  const pages: object[] = []
  const headings: Heading[] = []
  const tables: Table[] = []
  const scanned: number[] = []
  let whole = ''
  for (const { drawn, lines } of laid) {
    const isRunning = (at: number): boolean => running.has(runningKey(drawn, lines[at] as Line))
    const found = tablesOf(lines, at => isRunning(at) || (lines[at] as Line).angle !== 0)
    const inTable = new Map(found.flatMap(table => Array.from({ length: table.to - table.from }, (_, at) => [table.from + at, table] as const)))
    const roles = lines.map((line, at): Role => {
      if (isRunning(at)) return 'running'
      if (inTable.has(at)) return 'table'
      return levels.has(styleOf(line, body)) && isHeadingText(line) ? 'heading' : 'text'
    })
    const { text, placed } = layText(lines, roles)
    const kind = kindOf(drawn, text)
    if (kind === 'scanned') scanned.push(drawn.page)
    warnings.push(...warningsOf(drawn, kind))
    texts.push({ page: drawn.page, text, lines: placed })
    pages.push(pageOf(drawn, kind, text, lines, placed))
    headings.push(...headingsOf(drawn.page, lines, placed, body, levels, text, characterCounter(text)))
    for (const table of found) {
      const isFirst = roles.slice(0, table.from).every(role => role === 'running')
      tables.push(tableOf({ id: `t${tables.length + 1}`, page: drawn.page, isFirst, style }, table, lines, tables))
    }
    whole += `${whole === '' ? '' : '\n\n'}${textWithTables(text, placed, found, tables, drawn.page)}`
  }
  const { dates, figures, symbols, issuers } = mentionsOf(texts, style)
  if (dates.length === mostFound || figures.length === mostFound)
    warnings.push({ code: 'list_cut', page: null, detail: `of figures and of dates the first ${mostFound} are listed` })
  return {
    facts: {
      pdf_version: document.pdf_version,
      title: document.title,
      page_count: document.pages.length,
      scanned_pages: scanned,
      pages,
      headings,
      tables,
      figures,
      dates,
      drill: await drillOf(tables, whole),
      royalties: royaltiesOf(tables).royalties,
      warnings,
    },
    symbols,
    issuers,
  }
}

function pageOf(drawn: DrawnPage, kind: Kind, text: string, lines: readonly Line[], placed: readonly PlacedLine[]): object {
  const characters = characterCounter(text)
  return {
    page: drawn.page,
    width: points(drawn.width),
    height: points(drawn.height),
    kind,
    text,
    lines: placed.map(({ start, end, role }, at) => {
      const line = lines[at] as Line
      return {
        start: characters(start),
        end: characters(end),
        x: points(line.x),
        y: points(line.y - line.size * 0.8),
        width: points(Math.max(0, line.end - line.x)),
        height: points(line.size),
        size: points(line.size),
        bold: line.bold,
        angle: line.angle,
        role,
      }
    }),
  }
}

/** The dates, figures, symbols and issuers that the pages print, with their places in characters. */
function mentionsOf(texts: readonly PageText[], style: ReturnType<typeof numberStyle>) {
  const bounds = new Map(texts.map(({ page, text }) => [page, characterCounter(text)]))
  const inCharacters = <T extends { readonly page: number; readonly start: number; readonly end: number }>(each: T): T => {
    const count = bounds.get(each.page) ?? ((offset: number) => offset)
    return { ...each, start: count(each.start), end: count(each.end) }
  }
  const place = ({ page, start }: Sentence, at: number, length: number) => inCharacters({ page, start: start + at, end: start + at + length })
  const dates: object[] = []
  const figures: object[] = []
  for (const sentence of texts.flatMap(sentencesOf)) {
    const own = datesIn(sentence.text)
    for (const { at, ...date } of own) if (dates.length < mostFound) dates.push({ ...date, ...place(sentence, at, date.printed.length) })
    for (const { at, value, ...figure } of figuresIn(withoutDates(sentence.text, own), style))
      if (figures.length < mostFound)
        figures.push({
          printed: figure.printed,
          kind: figure.kind,
          value: JSON.rawJSON(value),
          unit: figure.unit,
          currency: figure.currency,
          dates: own.map(date => date.printed),
          ...place(sentence, at, figure.printed.length),
        })
  }
  const plain = texts.map(({ page, text }) => ({ page, text: text.replace(/[\n\t]/g, ' '), start: 0 }))
  const symbols = plain.flatMap(({ page, text }) => symbolsIn(text, page, 0))
  const issuers = issuersIn(plain, symbols)
  return { dates, figures, symbols: symbols.slice(0, mostFound).map(inCharacters), issuers: issuers.map(inCharacters) }
}

/** Words of the heads of drill tables: from, to, interval and the like in English, French and Spanish. */
const drillHead = /\b(?:from|to|interval|length|width|depth|de|desde|hasta|longueur|longitud|intervalo?)\b/i
async function drillOf(tables: readonly Table[], whole: string): Promise<DocumentFacts['drill']> {
  if (!tables.some(table => table.columns.some(column => drillHead.test(column.name ?? '')))) return null
  // The interpreter and its rules take half a second to load: only documents that may need them do.
  const { drillDocument, drillTablesOf } = await import('./drill-tables.ts')
  const found = drillTablesOf(tables)
  return found.length === 0 ? null : { tables: found, document: drillDocument(whole) }
}

const textOf = (line: Line): string => line.segments.map(segment => segment.text).join('\t')

/** A header or footer: the same text except for its digits, at the same height, on half of the pages and on three or more (both pages of two). */
function runningLines(laid: readonly Laid[]): ReadonlySet<string> {
  const counts = new Map<string, Set<number>>()
  for (const { drawn, lines } of laid)
    for (const line of lines) {
      if (line.y > 0.12 * drawn.height && line.y < 0.88 * drawn.height) continue
      const key = runningKey(drawn, line)
      const pages = counts.get(key) ?? new Set()
      counts.set(key, pages.add(drawn.page))
    }
  const least = laid.length === 2 ? 2 : Math.max(3, laid.length / 2)
  return new Set([...counts].filter(([, pages]) => pages.size >= least).map(([key]) => key))
}
const runningKey = (drawn: DrawnPage, line: Line): string => `${Math.round(line.y / 4)} ${drawn.height} ${textOf(line).replace(/\d+/g, '#')}`

/** Larger type and bold type are styles of headings; the key orders them. */
function styleOf(line: Line, body: number): string {
  const size = Math.round(line.size * 2) / 2
  if (size >= body * 1.12) return `a ${String(10_000 - Math.round(size * 10)).padStart(6, '0')} ${line.bold ? 'a' : 'b'}`
  return line.bold && size >= body * 0.95 ? 'b' : ''
}
function isHeadingText(line: Line): boolean {
  const text = line.segments[0]?.text ?? ''
  if (line.segments.length > 1 || line.angle !== 0 || text.length > 160) return false
  return (
    /\p{L}{2}/u.test(text) && !/[,;]$|(?:\. ?){4}/.test(text) && (!/\.$/.test(text) || text.length < 24) && !/^(?:[•◦▪●*–—-]|\(?\w\))\s/.test(text)
  )
}
function headingStyles(laid: readonly Laid[], running: ReadonlySet<string>, body: number): string[] {
  const styles = new Set<string>()
  for (const { drawn, lines } of laid)
    for (const line of lines) if (!running.has(runningKey(drawn, line)) && isHeadingText(line)) styles.add(styleOf(line, body))
  styles.delete('')
  return [...styles].sort()
}

/** Headings of a page; lines of one style directly below each other are one. */
function headingsOf(
  page: number,
  lines: readonly Line[],
  placed: readonly PlacedLine[],
  body: number,
  levels: ReadonlyMap<string, number>,
  text: string,
  characters: (offset: number) => number,
): Heading[] {
  const headings: { from: number; to: number }[] = []
  for (const [at, { role }] of placed.entries()) {
    if (role !== 'heading') continue
    const last = headings.at(-1)
    const [line, above] = [lines[at] as Line, lines[at - 1]]
    const goesOn = last?.to === at && above !== undefined && styleOf(above, body) === styleOf(line, body) && line.y - above.y < 1.5 * line.size
    if (last && goesOn) last.to = at + 1
    else headings.push({ from: at, to: at + 1 })
  }
  return headings.map(({ from, to }) => {
    const [first, last] = [placed[from] as PlacedLine, placed[to - 1] as PlacedLine]
    return {
      text: text.slice(first.start, last.end).replace(/\s+/g, ' '),
      level: levels.get(styleOf(lines[from] as Line, body)) ?? 1,
      page,
      start: characters(first.start),
      end: characters(last.end),
    }
  })
}

/** The text of a page: a line feed after each line, a blank line if the distance exceeds that of lines. */
function layText(lines: readonly Line[], roles: readonly Role[]): { readonly text: string; readonly placed: PlacedLine[] } {
  const gaps = lines.flatMap((line, at) => {
    const gap = at === 0 ? 0 : line.y - (lines[at - 1] as Line).y
    return gap > 0 && gap < 4 * line.size ? [gap / line.size] : []
  })
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 1.2
  const placed: PlacedLine[] = []
  let text = ''
  for (const [at, line] of lines.entries()) {
    const above = lines[at - 1]
    if (above) {
      const gap = line.y - above.y
      text += gap < 0 || gap > (usual + 0.35) * line.size || roles[at] !== roles[at - 1] ? '\n\n' : '\n'
    }
    const start = text.length
    text += textOf(line)
    placed.push({ start, end: text.length, role: roles[at] as Role })
  }
  return { text, placed }
}

/** Offsets of UTF-16 as counts of characters; called with rising and falling offsets alike. */
function characterCounter(text: string): (offset: number) => number {
  const pairs: number[] = []
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs.push(at++)
  if (pairs.length === 0) return offset => offset
  return offset => offset - countBelow(pairs, offset)
}
function countBelow(sorted: readonly number[], limit: number): number {
  return firstPlace(sorted.length, place => (sorted[place] as number) < limit)
}

function kindOf(drawn: DrawnPage, text: string): Kind {
  if (drawn.fault !== null) return 'unreadable'
  const letters = text.replace(/\s/g, '')
  if (letters.length === 0) return drawn.hasImages ? 'scanned' : 'empty'
  // Private use, replacement and unassigned characters: the font draws glyphs and does not define their characters.
  const strange = letters.match(/[\ufffd\ue000-\uf8ff]/g)?.length ?? 0
  if (strange > 0.3 * letters.length) return 'unmapped'
  // A stamp or a page number on a page that is an image.
  return letters.length < 24 && drawn.hasImages && drawn.runs.every(run => run.y < 0.12 * drawn.height || run.y > 0.88 * drawn.height)
    ? 'scanned'
    : 'text'
}
function warningsOf({ page, fault }: DrawnPage, kind: Kind): Warning[] {
  if (kind === 'scanned')
    return [{ code: 'scanned_page', page, detail: `page ${page} is an image without text: recognise its characters first (OCR)` }]
  if (kind === 'unmapped') return [{ code: 'unmapped_page', page, detail: `the fonts of page ${page} do not define which characters they draw` }]
  return kind === 'unreadable' ? [{ code: 'unreadable_page', page, detail: `page ${page} is damaged: ${fault}` }] : []
}

type Span = { readonly x: number; readonly width: number }
const sharesPlace = (a: Span, b: Span | undefined): boolean =>
  b !== undefined && Math.abs(a.x + a.width / 2 - b.x - b.width / 2) < 12 + Math.abs(a.width - b.width) / 2

/** `isFirst`: only a running header is above the table on its page, so it may continue one of the previous page. */
function tableOf(
  { id, page, isFirst, style }: { readonly id: string; readonly page: number; readonly isFirst: boolean; readonly style: 'point' | 'comma' },
  found: FoundTable,
  lines: readonly Line[],
  before: readonly Table[],
): Table {
  const block = lines.slice(found.from, found.to)
  const own = found.columns.map(({ name, unit, x, end }) => ({ name, unit, x: points(x), width: points(end - x) }))
  const last = before.at(-1)
  const isNext = last !== undefined && last.page === page - 1 && last.columns.length === own.length && found.title === null
  const isSameHead = isNext && own.every((column, at) => column.name === last.columns[at]?.name)
  const isHeadless =
    isNext && own.every(column => column.name === null) && isFirst && own.every((column, at) => sharesPlace(column, last.columns[at]))
  const sameName = last !== undefined && found.title !== null && last.page === page - 1 && continuationOf(found.title, last.title)
  const continues = isSameHead || isHeadless || (sameName && last.columns.length === own.length) ? (last?.id ?? null) : null
  const columns =
    isHeadless && last ? own.map((column, at) => ({ ...column, name: last.columns[at]?.name ?? null, unit: last.columns[at]?.unit ?? null })) : own
  const top = Math.min(...block.map(line => line.y - 0.8 * line.size))
  return {
    id,
    page,
    title: found.title,
    unit: found.unit ?? (continues === null ? null : (last?.unit ?? null)),
    continues,
    x: points(Math.min(...block.map(line => line.x))),
    y: points(top),
    width: points(Math.max(...block.map(line => line.end)) - Math.min(...block.map(line => line.x))),
    height: points(Math.max(...block.map(line => line.y + 0.2 * line.size)) - top),
    columns,
    rows: found.rows.map(({ cells, y }) => ({
      cells,
      values: cells.map(cell => {
        const number = cell === null ? null : cellNumber(cell, style)
        return number === null ? null : JSON.rawJSON(number)
      }),
      y: points(y),
    })),
  }
}
/** `Table 2 (continued)` continues `Table 2: …`. */
function continuationOf(title: string, before: string | null): boolean {
  const name = /^(?:table|tableau)\s*\S+/i.exec(title)?.[0].replace(/[:.]$/, '')
  return name !== undefined && /\((?:continued|cont['’.]?d?\.?|suite)\)/i.test(title) && before?.toLowerCase().startsWith(name.toLowerCase()) === true
}

/** The text of a page in which the lines of each table are its rows with tabs, as the drill-result interpreter reads them. */
function textWithTables(text: string, placed: readonly PlacedLine[], found: readonly FoundTable[], tables: readonly Table[], page: number): string {
  const own = tables.filter(table => table.page === page)
  let out = ''
  let from = 0
  for (const [at, table] of found.entries()) {
    const [first, last] = [placed[table.from] as PlacedLine, placed[table.to - 1] as PlacedLine]
    const rendered = own[at]
    if (!rendered) continue
    out += text.slice(from, first.start) + tableText(rendered, rendered.continues === null)
    from = last.end
  }
  return (out + text.slice(from)).replace(/\n{3,}/g, '\n\n')
}

/** Days and years are not quantities: they are blanked out before figures are searched. */
function withoutDates(text: string, dates: readonly { readonly at: number; readonly printed: string }[]): string {
  let out = text
  for (const { at, printed } of dates) out = out.slice(0, at) + ' '.repeat(printed.length) + out.slice(at + printed.length)
  return out
}
