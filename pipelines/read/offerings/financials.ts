// The financial tables of a registration statement's summary, selected data and capitalization, as lines and columns.
import { Sum } from '#schemas/decimals.ts'
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import type { Fact, Refused } from '../parsed.ts'
import { plainNumber } from './amounts.ts'
import { type GridCell, type GridRow, gridOf, tableAround } from './grid.ts'
import { isNonGaap, lineItemOf } from './line-items.ts'
import { basisOf, type Column, columnOf, datesIn } from './periods.ts'
import { type Outline, plainTitle } from './sections.ts'

type Financial = Fact<'offering_financials'>
export type Filed = { readonly accession: string; readonly cik: string; readonly form: string; readonly filed_date: string }
export type Financials = { readonly rows: readonly Financial[]; readonly refused: readonly Refused[] }

const isFinancial = (title: string): boolean =>
  /^(?:summary|selected)\w*(?:financial|operating|data|information)|^\w*capitali[sz]ation/.test(plainTitle(title))
/** A summary has fewer rows than this. */
const most = { sections: 12, tables: 40, rows: 4000 }

type Value = { readonly cell: GridCell; readonly value: string; readonly percent: boolean }

/** Rows of every financial table before the base prospectus. Linear in the size of the tables. */
export function financialsIn(source: string, prose: Prose, outline: Outline, filed: Filed): Financials {
  const rows: Financial[] = []
  const refused: Refused[] = []
  const done = new Set<number>()
  const sections = outline.sections.filter(section => section.start < outline.baseStart && isFinancial(section.title)).slice(0, most.sections)
  for (const section of sections) {
    let table = 0
    let intro = section.start
    for (const block of prose.blocks) {
      if (block.start < section.bodyStart) continue
      if (block.start >= section.end || done.size >= most.tables || rows.length >= most.rows) break
      if (block.table === 0 || block.table === table) {
        if (block.table === 0 && table > 0) table = 0
        continue
      }
      table = block.table
      if (!prose.html) {
        refused.push({
          dataset: 'offering_financials',
          reason: 'table_of_plain_text',
          detail: `${filed.accession}: a financial table of plain text has no columns that can be told apart; not read`,
          subject: filed.accession,
          record: { section: section.title },
        })
        continue
      }
      if (done.has(table)) continue
      const around = tableAround(source, prose.sourceOffset(block.start), prose.sourceOffset(lastOf(prose, block.start, table, section.end)))
      if (!around) continue
      done.add(table)
      const text = prose.text.slice(Math.max(intro, block.start - 3500), block.start)
      const read = tableRows(gridOf(source, around.from, around.to), text, /capitali/i.test(section.title))
      if (read.length === 0) continue
      intro = section.start
      const number = new Set(rows.map(row => row.table_number)).size + 1
      rows.push(...read.map((row, index) => ({ ...filedOf(filed), ...row, table_number: number, line: rows.length + index + 1 })))
    }
  }
  return { rows, refused }
}

const filedOf = ({ accession, cik, form, filed_date }: Filed): Filed => ({ accession, cik, form, filed_date })

function lastOf(prose: Prose, from: number, table: number, until: number): number {
  let last = from
  for (const block of prose.blocks) {
    if (block.start < from) continue
    if (block.start >= until || (block.table !== table && block.table !== 0 && block.start > from && block.table < table)) break
    if (block.table === table) last = block.end - 1
    else if (block.table === 0) break
  }
  return last
}

type Row = Omit<Financial, 'accession' | 'cik' | 'form' | 'filed_date' | 'table_number' | 'line'>

/** One table: its heads, then its lines. A table without a head that dates or names its columns is skipped. */
function tableRows(grid: readonly GridRow[], around: string, isCapitalization: boolean): Row[] {
  const first = grid.findIndex(row => labelOf(row) !== '' && valuesOf(row).some(({ value }) => !/^(?:19|20)\d\d$/.test(value)))
  if (first < 0) return []
  const heads = grid.slice(0, first)
  const caption = `${heads.map(row => row.map(cell => cell.text).join(' ')).join(' ')} ${around.slice(-700)}`
  const scale = /\bin (?:\w+ )?millions\b|\(millions/i.test(caption)
    ? 1_000_000
    : /\bin (?:\w+ )?thousands\b|\(thousands|['’]000s?\b/i.test(caption)
      ? 1000
      : 1
  // `in thousands, except share and per share data`: counts are whole; `except per share data`: they are in thousands too.
  const exceptions = /\bexcept\b([^)\n]{0,120})/i.exec(caption)?.[1]?.replace(/\bper[\s-](?:\w+ )?(?:share|unit|ads)s?\b/gi, '') ?? ''
  const sharesScaled = scale > 1 && !/\b(?:share|unit|ads)s?\b/i.test(exceptions)
  const currency = currencyIn(caption) ?? 'USD'
  const columns = new Map<number, Column | null>()
  const rows: Row[] = []
  let group: { words: string; columns: Map<number, string[]> } | null = null
  let liveHeads = heads
  for (const row of grid.slice(first)) {
    const label = labelOf(row)
    const values = valuesOf(row)
    if (values.length === 0) {
      // A second head inside the table (balance sheet below the income statement) begins new columns.
      if (
        row.some(
          cell => cell.column > 0 && (datesIn(cell.text).length > 0 || /^(?:actual|pro[\s-]?forma|as (?:further )?adjusted)\b/i.test(cell.text)),
        )
      ) {
        liveHeads = liveHeads.some(head => rows.length > 0 && heads.includes(head)) ? [row] : [...liveHeads, row]
        columns.clear()
      } else if (label !== '') group = { words: plainTitle(label), columns: new Map() }
      continue
    }
    if (label === '' || (values.every(({ value }) => /^(?:19|20)\d\d$/.test(value)) && values.length > 1)) {
      if (label === '' && values.every(({ value }) => /^(?:19|20)\d\d$/.test(value))) {
        liveHeads = [...liveHeads.slice(-2), row]
        columns.clear()
      }
      continue
    }
    for (const { cell, value, percent } of values) {
      if (!columns.has(cell.column)) columns.set(cell.column, headOf(liveHeads, cell, around, isCapitalization))
      const column = columns.get(cell.column)
      if (!column) continue
      const unit = unitOf(label, percent)
      const isTotal = /^total\b/i.test(label)
      const sum = group?.columns.get(cell.column)
      const difference =
        isTotal && group !== null && sum !== undefined && sum.length > 1 && unit === 'currency' && sameGroup(label, group.words)
          ? differenceOf(value, sum)
          : null
      rows.push({
        taken_from: 'table',
        label: label.slice(0, 300),
        line_item: lineItemOf(label),
        non_gaap: isNonGaap(label),
        basis: column.basis === 'actual' ? basisOf(/^pro[\s-]?forma/i.test(label) ? label : '') : column.basis,
        period_start: column.period_start,
        period_end: column.period_end,
        period_months: column.period_months,
        column_heading: column.heading.slice(0, 300),
        value,
        unit,
        scale: unit === 'currency' || (unit === 'shares' && sharesScaled) ? scale : 1,
        currency: unit === 'currency' || unit === 'per_share' ? (currencyIn(column.heading) ?? currency) : null,
        audited: /^pro[\s-]?forma/i.test(label) ? false : column.audited,
        difference,
        flags: difference === null ? [] : ['sum_differs'],
        start: cell.start,
        end: cell.end,
      })
      if (group !== null && unit === 'currency' && !isTotal) group.columns.set(cell.column, [...(sum ?? []), value])
    }
    if (/^total\b/i.test(label)) group = null
  }
  return rows.every(row => row.period_end === null && row.basis === 'actual') ? [] : rows.map(row => checkedProfit(scaledShares(row, rows), rows))
}

/** Revenue less its cost is the gross profit: if the same column prints another amount, the difference is reported. */
function checkedProfit(row: Row, rows: readonly Row[]): Row {
  if (row.line_item !== 'gross_profit' || row.unit !== 'currency') return row
  const sameColumn = (item: string): Row | undefined =>
    rows.find(other => other.line_item === item && other.column_heading === row.column_heading && other.basis === row.basis)
  const [revenue, cost] = [sameColumn('revenue'), sameColumn('cost_of_revenue')]
  if (!revenue || !cost) return row
  const costs = cost.value.startsWith('-') ? cost.value : `-${cost.value}` // costs are printed with and without brackets
  const difference = differenceOf(row.value, [revenue.value, costs])
  return difference === null ? row : { ...row, difference, flags: [...row.flags, 'sum_differs'] }
}

/** A caption `in thousands` often omits the exception for numbers of shares: the loss per share of the same column shows it. */
function scaledShares(row: Row, rows: readonly Row[]): Row {
  if (row.unit !== 'shares' || row.scale === 1 || row.line_item === null) return row
  const sameColumn = rows.filter(other => other.column_heading === row.column_heading && other.basis === row.basis)
  const [income, each] = [
    sameColumn.find(other => /^net_income/.test(other.line_item ?? '')),
    sameColumn.find(other => /^eps/.test(other.line_item ?? '')),
  ]
  if (!income || !each) return row
  const implied = (Number(income.value) * income.scale) / (Number(each.value) * Number(row.value))
  return implied > 0.5 && implied < 2 ? { ...row, scale: 1, flags: [...row.flags, 'scale_by_per_share'] } : row
}

const labelOf = (row: GridRow): string => {
  const first = row.find(cell => cell.text !== '')
  return first !== undefined && /[A-Za-z]/.test(first.text) && first.column <= 2 ? first.text : ''
}

/** The numbers of a row after its label; brackets are a minus, a dash is a printed zero. */
function valuesOf(row: GridRow): Value[] {
  const values: Value[] = []
  row.forEach((cell, index) => {
    if (cell.column === 0 && /[A-Za-z]/.test(cell.text)) return
    const match = /^(?:US|C|A|HK|R)?[$€£¥]?\s*(\(|[-−–])?\s*[$€£¥]?\s*(\d{1,3}(?:,\d{3}){1,9}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*\)?\s*(%?)\)?$/.exec(
      cell.text,
    )
    if (match?.[2] !== undefined) {
      const value = plainNumber(match[2])
      values.push({
        cell,
        value: match[1] && !/^0(?:\.0*)?$/.test(value) ? `-${value}` : value,
        percent: match[3] === '%' || /^\)?\s*%/.test(row[index + 1]?.text ?? ''),
      })
    } else if (/^(?:US)?[$€£¥]?\s*[-—–−]{1,2}$/.test(cell.text)) values.push({ cell, value: '0', percent: false })
  })
  return values
}

/** The heads over the columns of a number, from the top. Captions of units are not heads. */
function headOf(heads: readonly GridRow[], cell: GridCell, around: string, isCapitalization: boolean): Column | null {
  const parts: string[] = []
  for (const head of heads)
    for (const { column, span, text } of head) {
      if (text === '' || column > cell.column + cell.span - 1 || column + span - 1 < cell.column - 1 || (column === 0 && span <= 1)) continue
      // The column of a sign precedes that of its number: a head over either belongs to the number, but not the head of the previous
      // column.
      if (
        column + span - 1 === cell.column - 1 &&
        head.some(other => other.text !== '' && other.column <= cell.column && other.column + other.span - 1 >= cell.column)
      )
        continue
      const tableLabel = text.replace(/\((?:[^()]*\bin (?:\w+ )?(?:thousands|millions)\b[^()]*|\d{1,2})\)/gi, '').trim()
      if (tableLabel !== '' && !/^\(?(?:dollars )?in (?:thousands|millions)/i.test(tableLabel) && parts.at(-1) !== tableLabel) parts.push(tableLabel)
    }
  const heading = parts.join(' ').trim()
  if (heading === '') return null
  const column = columnOf(heading, around)
  // Capitalization is as of one day: a span of months in a head would be a misreading.
  return isCapitalization ? { ...column, period_months: null } : column
}

function unitOf(label: string, percent: boolean): Financial['unit'] {
  if (/\bpar value\b|\bauthori[sz]ed\b/i.test(label)) return 'currency'
  if (percent || /%|\bpercent|\bmargin\b|\bratio\b/i.test(label)) return percent ? 'percent' : /\bratio\b/i.test(label) ? 'ratio' : 'percent'
  if (/\bper (?:\w+ ){0,2}(?:share|unit|ads)\b/i.test(label)) return 'per_share'
  return /\b(?:shares|units|adss) (?:outstanding|used)|\bweighted[- ]average\b.*\b(?:shares|units|stock)\b|^(?:number of )(?:shares|units)\b/i.test(
    label,
  )
    ? 'shares'
    : 'currency'
}

/** A bare dollar has the currency of the caption, else of the filing: United States dollars. */
function currencyIn(caption: string): string | null {
  if (/US\$|\bU\.?S\.? dollars?\b|\bUSD\b/i.test(caption)) return 'USD'
  if (/\bCanadian dollars?\b|C\$|\bCAD\b/i.test(caption)) return 'CAD'
  if (/\bRMB\b|\brenminbi\b/i.test(caption)) return 'CNY'
  return /€|\beuros?\b/i.test(caption) ? 'EUR' : /£|\bpounds sterling\b/i.test(caption) ? 'GBP' : null
}

/** `Total operating expenses` is the sum of the lines below `Operating expenses:`; a total with another name is the sum of other lines. */
const sameGroup = (label: string, words: string): boolean => {
  const total = plainTitle(label).replace(/^total/, '')
  return total.length > 4 && (words.includes(total) || total.includes(words.replace(/s$/, '')))
}

/** Printed less computed, if that exceeds the rounding of the lines (half a unit each). */
function differenceOf(printed: string, lines: readonly string[]): string | null {
  const sum = new Sum()
  for (const decimal of [printed, ...lines.map(line => (line.startsWith('-') ? line.slice(1) : `-${line}`))]) sum.add(decimal)
  const difference = sum.toString()
  const decimals = (printed.split('.')[1] ?? '').length
  return Math.abs(Number(difference)) > (lines.length / 2 + 0.5) / 10 ** decimals ? difference : null
}
