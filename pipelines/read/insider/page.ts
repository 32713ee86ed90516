// Converts EDGAR's rendered page of a Form 3, 4 or 5 (`xslF345…/`) back into the tree of the original ownership XML: labels identify cells,
// column heads identify columns. Small irregular HTML, so cheerio reads it as a tree.
import { type CheerioAPI, load } from 'cheerio'
import { Unreadable } from '#schemas/errors.ts'
import type { Element } from '../xml/xml.ts'

const element = (name: string, text: string | null, children: Element[] = [], id: string | null = null): Element => ({
  ...{ name, id, text: text ?? '', children },
})
/** An element with a value; omitted if the page shows none. */
const given = (name: string, text: string | null): Element[] => (text === null || text === '' ? [] : [element(name, text)])

const tidy = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim()
const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

type Selection = ReturnType<CheerioAPI>

/** A form has at most 30 rows a table; the pages of the longest joint filings have less than 2 MiB. */
const limit = 8 * 1024 * 1024

const formName = /\bform\s*(3|4|5)\s*(\/\s*a)?\b/i

/** Whether a page is one of these, by its first part. */
export const isOwnershipPage = (head: string): boolean =>
  /<title>\s*SEC\s+FORM\s+[345]/i.test(head) && /reporting\s+person/i.test(head) && !/<ownershipDocument[\s>]/.test(head)

/** The tree of an `ownershipDocument`. Throws `Unreadable` if the page is none of these forms, or above 8 MiB. */
export function ownershipTree(subject: string, html: string): Element {
  if (html.length > limit) throw new Unreadable('too_large', `${subject}: ${html.length} characters of HTML, limit ${limit}`)
  const $ = load(html)
  const name = formName.exec(tidy($('title').first().text())) ?? formName.exec(tidy($('.FormName').first().text()))
  if (name === null) throw new Unreadable('not_ownership', `${subject}: the page's title names no Form 3, 4 or 5`)
  const form = `${name[1] ?? ''}${name[2] === undefined ? '' : '/A'}`
  const owners = ownersOf($)
  return element('ownershipDocument', null, [
    element('documentType', form),
    ...given('periodOfReport', dateBelow($, /^\d?\.?\s?(?:date of (?:event requiring statement|earliest transaction)|statement for)/i)),
    ...given('dateOfOriginalSubmission', dateBelow($, /if amendment, date (?:of )?original/i)),
    ...boxes($),
    issuerOf($, subject),
    ...owners,
    ...tables($),
    ...explanations($),
    ...signatures($),
  ])
}

/** The innermost cells whose text begins with a label. */
function labelled($: CheerioAPI, label: RegExp): Selection {
  return $('td').filter((_, cell) => {
    const own = $(cell).children('span, b').first().text() || $(cell).text()
    return (
      label.test(tidy(own)) &&
      $(cell)
        .find('td')
        .filter((__, inner) => label.test(tidy($(inner).text()))).length === 0
    )
  })
}

function dateBelow($: CheerioAPI, label: RegExp): string | null {
  const printed = tidy(labelled($, label).first().find('.FormData').first().text())
  return printed === '' ? null : isoDay(printed)
}

/** `04/30/2025` in the XML's form; other text stays as printed, for the reader of cells to refuse. */
function isoDay(printed: string): string {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(printed) ?? []
  return month === undefined || day === undefined ? printed : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

const cikIn = (href: string | undefined): string | null => /[?&]CIK=(\d{1,10})/i.exec(href ?? '')?.[1] ?? null

function issuerOf($: CheerioAPI, subject: string): Element {
  const cell = labelled($, /^\d?\.?\s?issuer name/i).first()
  const link = cell.find('a').first()
  const cik = cikIn(link.attr('href'))
  if (cik === null) throw new Unreadable('issuer_missing', `${subject}: the page links no issuer's CIK`)
  const symbol = tidy(cell.find('.FormData').last().text()) || (/\[\s*([^\]]*?)\s*\]/.exec(tidy(cell.text()))?.[1] ?? '')
  return element('issuer', null, [element('issuerCik', cik), ...given('issuerName', tidy(link.text())), ...given('issuerTradingSymbol', symbol)])
}

/** Each reporting person once: a joint filing prints the first one again below the tables. Only the first one's relationship is shown. */
function ownersOf($: CheerioAPI): Element[] {
  const seen = new Set<string>()
  const owners: Element[] = []
  labelled($, /^\d?\.?\s?name and address of reporting person/i).each((_, node) => {
    const cell = $(node)
    const link = cell.find('a').first()
    const name = tidy(link.text())
    const cik = cikIn(link.attr('href'))
    const key = cik ?? name
    if (key === '' || seen.has(key)) return
    seen.add(key)
    const id = [...given('rptOwnerCik', cik), ...given('rptOwnerName', name)]
    const relationship = owners.length === 0 ? [element('reportingOwnerRelationship', null, relationshipOf($))] : []
    owners.push(element('reportingOwner', null, [element('reportingOwnerId', null, id), addressOf($, cell), ...relationship]))
  })
  return owners
}

function addressOf($: CheerioAPI, cell: Selection): Element {
  const rows = cell
    .find('tr')
    .toArray()
    .map(row =>
      $(row)
        .find('.FormData')
        .toArray()
        .map(span => tidy($(span).text())),
    )
    .filter(row => row.length > 0)
  // Street lines have one cell each, the last line three: city, state, zip.
  const streets = rows.filter(row => row.length === 1).map(([line = '']) => line)
  const [city = '', state = '', zip = ''] = rows.find(row => row.length >= 3) ?? []
  return element('reportingOwnerAddress', null, [
    ...given('rptOwnerStreet1', streets[0] ?? null),
    ...given('rptOwnerStreet2', streets[1] ?? null),
    ...given('rptOwnerCity', city),
    ...given('rptOwnerState', state),
    ...given('rptOwnerZipCode', zip),
  ])
}

function relationshipOf($: CheerioAPI): Element[] {
  const cell = labelled($, /^\d?\.?\s?relationship of reporting person/i).first()
  const found: Element[] = []
  const titles: string[] = []
  cell.find('tr').each((_, row) => {
    const cells = $(row)
      .children('td')
      .toArray()
      .map(each => tidy($(each).text()))
    let named = false
    for (const [at, label] of cells.entries()) {
      const role = roleOf(label)
      if (role === null) continue
      named = true
      found.push(element(role, /^x$/i.test(cells[at - 1] ?? '') ? '1' : '0'))
    }
    if (named) return
    // Below the boxes: the officer's title, and the meaning of `other`.
    if (cells.length >= 4) titles.push(cells[1] ?? '', cells[3] ?? '')
    else
      titles.push(
        ...$(row)
          .find('.FormData')
          .toArray()
          .map(span => tidy($(span).text())),
      )
  })
  const ticked = (name: string): boolean => found.some(each => each.name === name && each.text === '1')
  const [officer = '', other = ''] = titles
  return [...found, ...given('officerTitle', officer), ...given('otherText', other || (ticked('isOther') && !ticked('isOfficer') ? officer : ''))]
}
function roleOf(label: string): string | null {
  if (/^director$/i.test(label)) return 'isDirector'
  if (/^10% owner$/i.test(label)) return 'isTenPercentOwner'
  if (/^officer \(/i.test(label)) return 'isOfficer'
  return /^other \(/i.test(label) ? 'isOther' : null
}

/** Boxes of the page's head, each in a cell next to its words. */
function boxes($: CheerioAPI): Element[] {
  const found: Element[] = []
  $('tr').each((_, row) => {
    const cells = $(row).children('td')
    const words = tidy(cells.last().text())
    if (!/^check this box/i.test(words) || cells.length < 2) return
    const isTicked = /x/i.test(tidy(cells.first().text()))
    // The XML omits the first of them if it is not ticked.
    if (/no longer subject to section 16/i.test(words)) found.push(...given('notSubjectToSection16', isTicked ? '1' : null))
    else if (/10b5-1/i.test(words)) found.push(element('aff10b5One', isTicked ? '1' : '0'))
  })
  return found
}

// Columns by the letters of their heads, the innermost head first. A field is the path of its element in a row.
type Field = readonly [group: string | null, name: string]
const fields: readonly (readonly [head: RegExp, field: Field])[] = [
  [/^dateexercisable$/, [null, 'exerciseDate']],
  [/^expirationdate$/, [null, 'expirationDate']],
  [/^title.*underlying/, ['underlyingSecurity', 'underlyingSecurityTitle']],
  [/^amountornumberofshares/, ['underlyingSecurity', 'underlyingSecurityShares']],
  [/titleof(?:derivative)?security/, [null, 'securityTitle']],
  [/conversionorexerciseprice/, [null, 'conversionOrExercisePrice']],
  [/deemedexecution/, [null, 'deemedExecutionDate']],
  [/transactiondate/, [null, 'transactionDate']],
  [/^code.*transactioncode/, ['transactionCoding', 'transactionCode']],
  [/^v.*transactioncode/, [null, 'transactionTimeliness']],
  [/^aord/, ['transactionAmounts', 'transactionAcquiredDisposedCode']],
  [/^a(?:\d|number)/, ['transactionAmounts', 'acquired']],
  [/^d(?:\d|number)/, ['transactionAmounts', 'disposed']],
  [/^amount.*(?:acquired|disposed)/, ['transactionAmounts', 'transactionShares']],
  [/^price.*(?:acquired|disposed)|priceofderivative/, ['transactionAmounts', 'transactionPricePerShare']],
  [/beneficiallyowned/, ['postTransactionAmounts', 'sharesOwnedFollowingTransaction']],
  [/ownershipform/, ['ownershipNature', 'directOrIndirectOwnership']],
  [/natureofindirect/, ['ownershipNature', 'natureOfOwnership']],
]
const dates = new Set(['exerciseDate', 'expirationDate', 'deemedExecutionDate', 'transactionDate'])
const numbers = new Set(
  'underlyingSecurityShares conversionOrExercisePrice acquired disposed transactionShares transactionPricePerShare sharesOwnedFollowingTransaction'.split(
    ' ',
  ),
)

function tables($: CheerioAPI): Element[] {
  return $('table')
    .toArray()
    .flatMap(table => {
      const title = tidy($(table).children('thead').find('th').first().text())
      const number = /^table (ii|i)\b/i.exec(title)?.[1]?.toUpperCase()
      if (number === undefined) return []
      const derivative = number === 'II'
      const columns = columnsOf($, $(table))
      const rows = $(table)
        .children('tbody')
        .children('tr')
        .toArray()
        .map(row => rowOf($, $(row), columns, derivative))
      return [element(derivative ? 'derivativeTable' : 'nonDerivativeTable', null, rows)]
    })
}

/** What each column holds: heads span several columns, and have others below them. */
function columnsOf($: CheerioAPI, table: Selection): (Field | null)[] {
  const grid: string[][] = []
  table
    .children('thead')
    .children('tr')
    .slice(1)
    .each((line, row) => {
      let column = 0
      $(row)
        .children('th, td')
        .each((_, head) => {
          while (grid[column]?.[line] !== undefined) column += 1
          const [wide, high] = ['colspan', 'rowspan'].map(name => Math.min(40, Math.max(1, Number($(head).attr(name) ?? 1) || 1)))
          for (let at = column; at < column + (wide ?? 1); at += 1) {
            const own = grid[at] ?? []
            grid[at] = own
            for (let below = line; below < line + (high ?? 1); below += 1) own[below] = letters($(head).text())
          }
          column += wide ?? 1
        })
    })
  return grid.map(heads => {
    // The innermost head, then the one over it: `code` and `transactioncodeinstr`.
    const label = [...new Set(heads.filter(head => head !== undefined))].toReversed().join('')
    const inner = heads.findLast(head => head !== undefined) ?? ''
    return fields.find(([head]) => head.test(inner))?.[1] ?? fields.find(([head]) => head.test(label))?.[1] ?? null
  })
}

function rowOf($: CheerioAPI, row: Selection, columns: readonly (Field | null)[], derivative: boolean): Element {
  const groups = new Map<string, Element>()
  const children: Element[] = []
  const put = ([group, name]: Field, text: string, notes: readonly string[]): void => {
    const own = [...(text === '' ? [] : [element('value', text)]), ...notes.map(note => element('footnoteId', null, [], note))]
    if (own.length === 0) return
    const found = element(name, null, own)
    if (group === null) {
      children.push(found)
      return
    }
    const known = groups.get(group)
    if (known !== undefined) known.children.push(found)
    else groups.set(group, element(group, null, [found]))
  }
  row.children('td').each((column, node) => {
    const field = columns[column] ?? null
    if (field === null) return
    const cell = $(node)
    const notes = cell
      .find('sup')
      .toArray()
      .flatMap(mark =>
        [
          ...$(mark)
            .text()
            .matchAll(/\((\d{1,3})\)/g),
        ].map(match => `F${match[1] ?? ''}`),
      )
    const bare = cell.clone()
    bare.find('sup').remove()
    const printed = tidy(bare.text())
    const [group, name] = field
    const text = numbers.has(name) ? printed.replace(/^\$\s?|,/g, '') : dates.has(name) && printed !== '' ? isoDay(printed) : printed
    if (name === 'acquired' || name === 'disposed') {
      if (text === '' && notes.length === 0) return
      put([group, 'transactionShares'], text, notes)
      put([group, 'transactionAcquiredDisposedCode'], name === 'acquired' ? 'A' : 'D', [])
    } else if (name === 'sharesOwnedFollowingTransaction' && printed.startsWith('$')) put([group, 'valueOwnedFollowingTransaction'], text, notes)
    // V marks a transaction that is reported earlier than required.
    else if (name === 'transactionTimeliness') put(field, /^v$/i.test(text) ? 'E' : text, notes)
    else put(field, text, notes)
  })
  const isTransaction = groups.has('transactionCoding') || groups.has('transactionAmounts') || children.some(({ name }) => name === 'transactionDate')
  const kind = isTransaction ? 'Transaction' : 'Holding'
  return element(`${derivative ? 'derivative' : 'nonDerivative'}${kind}`, null, [...children, ...groups.values()])
}

/** Footnotes by their numbers, remarks, and the sentence of a Form 3 without securities. */
function explanations($: CheerioAPI): Element[] {
  const table = $('table').filter((_, each) => /^explanation of responses/i.test(tidy($(each).text())))
  const notes: Element[] = []
  const remarks: string[] = []
  let inRemarks = false
  table
    .first()
    .find('tr')
    .each((_, row) => {
      const text = tidy($(row).text())
      if (/^remarks:?$/i.test(text)) inRemarks = true
      else if (/^explanation of responses/i.test(text) || text === '') return
      else if (inRemarks) remarks.push(text)
      else {
        const [, number, words] = /^(\d{1,3})\.\s?([\s\S]*)$/.exec(text) ?? []
        if (number !== undefined) notes.push(element('footnote', words ?? '', [], `F${number}`))
      }
    })
  const none = /\bno securities are beneficially owned\b/i.test(tidy($('body').text()))
  return [
    ...(none ? [element('noSecuritiesOwned', '1')] : []),
    ...(notes.length === 0 ? [] : [element('footnotes', null, notes)]),
    ...given('remarks', remarks.join(' ')),
  ]
}

function signatures($: CheerioAPI): Element[] {
  return $('tr')
    .toArray()
    .flatMap(row => {
      const [name, date, ...more] = $(row)
        .children('td')
        .children('u')
        .toArray()
        .map(line => tidy($(line).text()))
      if (name === undefined || date === undefined || more.length > 0) return []
      return [element('ownerSignature', null, [...given('signatureName', name), ...given('signatureDate', date === '' ? null : isoDay(date))])]
    })
}
