// `crossfile items FILE`: the items located in a report, as an analyst reads them.
import { BadRequest } from '#schemas/errors.ts'
import { isReportForm } from '../read/reports/content.ts'
import type { LocatedItem } from '../read/reports/located.ts'
import { locateReportItems, type ReportFile, readReportFile } from '../read/reports/report-file.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { readDocumentFile } from './document-file.ts'
import type { Io } from './io.ts'
import { columnsOf, printJson, some, table } from './output.ts'

/** Runs the command; 0: items were located, 1: none was, or the requested item has no text. */
export function itemsCommand(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('items', commands.items.options, argv, { least: 1, most: 1, what: 'the file of a report' })
  const [path = ''] = rest
  const report = reportFrom(path, values.form ?? null)
  const items = locateReportItems(report)
  if (values.text !== undefined) return printText(io, path, items, report, values.text)
  if (values.json === true) printJson(io, { file: path, ...headOf(report), items: items.map(item => itemJson(item, report)) })
  else for (const line of listed(io, report, items)) io.out(line)
  return items.some(isPlaced) ? 0 : 1
}

const isPlaced = ({ start, end }: LocatedItem): boolean => end > start

/** The report of a file; throws `BadRequest` if it is not a report with items. */
export function reportFrom(path: string, given: string | null): ReportFile {
  const hint = 'give its form, such as --form 10-K; crossfile read shows documents of every kind'
  if (given !== null && !isReportForm(given))
    throw new BadRequest(`items: --form ${given} is not a report with items`, {
      hint: '10-K, 10-KSB, 10-Q, 20-F, 40-F, 8-K, or one of their amendments',
    })
  const { body, head } = readDocumentFile('items', path)
  if (/^\s*[{[]/.test(head) || /<(?:[\w.-]{1,40}:)?(?:ownershipDocument|informationTable|edgarSubmission)[\s>]/.test(head.slice(0, 8192)))
    if (!/<DOCUMENT>|<html/i.test(head)) throw new BadRequest(`items: ${path} is data, no report`, { hint })
  const report = readReportFile(body, given)
  if (report === null) throw new BadRequest(`items: ${path} names no form of a report on its cover`, { hint })
  if (!isReportForm(report.form)) throw new BadRequest(`items: ${path} is a form ${report.form}, which has no items`, { hint })
  return report
}

const headOf = ({ form, form_from, document, prose }: ReportFile) => ({ form, form_from, document, characters: prose.text.length })

/** An item of the JSON document; `located` is false if it has no place. */
export function itemJson(item: LocatedItem, { prose }: ReportFile) {
  const { part, item: number, title, status, reason, words, located, anchor, flags } = item
  const placed = isPlaced(item)
  return {
    ...{ part, item: number, title, status, reason, words, located: located ?? false, anchor, flags },
    place: placed
      ? { start: item.start, end: item.end, source_start: prose.sourceOffset(item.start), source_end: prose.sourceOffset(item.end - 1) + 1 }
      : null,
    text: placed ? prose.text.slice(item.start, item.end) : null,
    target: item.target === undefined ? null : { ...item.target, text: prose.text.slice(item.target.start, item.target.end) },
  }
}

const shortest = (text: string | null, most: number): string | null => (text === null || text.length <= most ? text : `${text.slice(0, most - 1)}…`)
const longestTitle = 60
const longestReason = 90

/** Lines of text: the form, a table of the items, and the meaning of the flags. */
function* listed(io: Io, report: ReportFile, items: readonly LocatedItem[]): Generator<string> {
  const from = { header: "the submission's header", cover: 'its cover', given: '--form' }[report.form_from]
  yield `Form ${report.form} by ${from}${report.document === null ? '' : `, document ${report.document}`}, ${some(report.prose.text.length, 'character')} of text`
  if (items.length === 0) {
    yield /^6-?K/i.test(report.form) ? 'A 6-K numbers no items.' : 'No item was located.'
    return
  }
  const columns = columnsOf('item', 'part', 'title', 'status', '>words', '>place', 'found by', 'flags', '*reason')
  const rows = items.map(item => [
    ...[item.item, item.part, shortest(item.title, longestTitle), item.status, isPlaced(item) ? item.words : null],
    ...[isPlaced(item) ? `${item.start}-${item.end}` : null, item.located, item.flags.join(' ') || null, shortest(item.reason, longestReason)],
  ])
  yield* table(io, columns, rows)
  for (const { item, target } of items)
    if (target !== undefined) yield `Item ${item} points to ${target.label}: ${some(target.words, 'word')} at ${target.start}-${target.end}`
  const flagged = items.filter(({ flags, status }) => status === 'full' && flags.some(flag => /usual|index_page/.test(flag)))
  if (flagged.length > 0)
    yield `Look at ${flagged.map(({ item }) => item).join(', ')}: length or place differs from what the form or the index states.`
}

/** `1A`, `item 1a`, `II.1A`, `3.D`, `executive_officers`. */
function isRequested({ item, part }: LocatedItem, requested: string): boolean {
  const plain = requested
    .trim()
    .replace(/^item\s*/i, '')
    .toLowerCase()
  return item.toLowerCase() === plain || (part !== null && `${part}.${item}`.toLowerCase() === plain)
}

function printText(io: Io, path: string, items: readonly LocatedItem[], { prose }: ReportFile, requested: string): number {
  const found = items.filter(item => isRequested(item, requested))
  if (found.length === 0) {
    const known = items.map(({ item, part }) => (part === null ? item : `${part}.${item}`)).join(', ')
    throw new BadRequest(`items: ${path} has no item ${JSON.stringify(requested)}`, {
      hint: known === '' ? 'no item was located' : `it has ${known}`,
    })
  }
  for (const item of found) {
    if (isPlaced(item)) io.out(prose.text.slice(item.start, item.end))
    else io.err(`item ${item.item} is ${item.status}: ${item.reason ?? 'no reason'}`)
  }
  return found.some(isPlaced) ? 0 : 1
}
