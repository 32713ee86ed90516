// The ownership XML of Forms 3, 4 and 5 (`ownershipDocument`, schemas X0101 to X0609): one filing, its transactions, its holdings.
import { Unreadable } from '#schemas/errors.ts'
import { cikOf } from '../filings/address.ts'
import type { Fact, FilingContext, Refused } from '../parsed.ts'
import { child, type Element, parseXml, textOf } from '../xml/xml.ts'
import { dayOf, flag, type Row, truth, type UnreadCell } from './cells.ts'
import { planInWords } from './footnote-facts.ts'
import { type Heading, holdingOf, transactionOf } from './rows.ts'

export type Ownership = {
  readonly filing: Fact<'insider_filings'>
  readonly transactions: readonly Fact<'insider_transactions'>[]
  readonly holdings: readonly Fact<'insider_holdings'>[]
  /** Cells that could not be read; their rows are kept with null in the place. */
  readonly refused: readonly Refused[]
}

/** Row elements of both tables: [transaction, derivative]. */
const rowKinds: Readonly<Record<string, readonly [boolean, boolean]>> = {
  nonDerivativeTransaction: [true, false],
  nonDerivativeHolding: [false, false],
  derivativeTransaction: [true, true],
  derivativeHolding: [false, true],
}

/**
 * Reads one ownership document. Throws `Unreadable` if it is not well-formed XML, is not an `ownershipDocument`, or names no issuer;
 * irregularities inside are kept and flagged.
 */
export const parseOwnership = (text: string, context: FilingContext): Ownership =>
  readOwnershipTree(parseXml(`ownership ${context.filing_id}`, text), context)

/** Reads a tree in the same way, of any origin. */
export function readOwnershipTree(root: Element, context: FilingContext): Ownership {
  const subject = `ownership ${context.filing_id}`
  if (root.name !== 'ownershipDocument')
    throw new Unreadable('not_ownership', `${subject}: root element <${root.name}>, expected <ownershipDocument>`)
  const flags: string[] = []
  const unread: UnreadCell[] = []
  const filingDay = (element: Element | undefined, field: string): string | null => {
    const printed = textOf(element)
    if (printed === null) return null
    const day = dayOf(printed)
    if (day !== undefined) return day
    flag({ flags }, `${field}_unreadable`)
    unread.push({ dataset: 'insider_filings', line: 0, field, text: printed.slice(0, 200), expected: 'a calendar day' })
    return null
  }
  const issuer = issuerOf(root, context, flags, subject)
  const form = textOf(child(root, 'documentType')) ?? context.form
  if (form === null) throw new Unreadable('form_missing', `${subject}: no documentType`)
  if (context.form !== null && context.form !== form) flag({ flags }, 'form_differs_from_header')
  const owners = root.children.filter(element => element.name === 'reportingOwner').map(element => ownerOf(element, flags))
  if (owners.length === 0) flag({ flags }, 'no_owner')
  const ownerCiks = owners.flatMap(owner => owner.cik ?? [])
  if (ownerCiks.includes(issuer.cik)) flag({ flags }, 'owner_is_issuer')
  const footnotes = footnotesOf(root)
  const heading: Heading = {
    filing_id: context.filing_id,
    accession: context.accession,
    form,
    issuer_cik: issuer.cik,
    issuer_name: issuer.name,
    issuer_symbol: canonicalSymbol(issuer.symbol),
    owner_ciks: ownerCiks,
    owner_names: owners.flatMap(owner => owner.name ?? []),
  }
  if (issuer.symbol !== null && heading.issuer_symbol === null) flag({ flags }, 'symbol_none')
  const { transactions, holdings } = rowsOf(root, heading, new Map(footnotes.map(note => [note.id, note.text])), unread, flags)
  const remarks = textOf(child(root, 'remarks'))
  const checkbox = textOf(child(root, 'aff10b5One'))
  const filing: Fact<'insider_filings'> = {
    filing_id: context.filing_id,
    accession: context.accession,
    issuer_cik: issuer.cik,
    issuer_name: issuer.name,
    issuer_symbol: issuer.symbol,
    form,
    schema_version: textOf(child(root, 'schemaVersion')),
    period_of_report: filingDay(child(root, 'periodOfReport'), 'period_of_report'),
    filed_date: context.filed_date,
    original_filed_date: filingDay(child(root, 'dateOfOriginalSubmission'), 'original_filed_date'),
    no_securities_owned: textOf(child(root, 'noSecuritiesOwned')),
    not_subject_to_section16: textOf(child(root, 'notSubjectToSection16')),
    aff_10b5_1: checkbox,
    ...planOf(checkbox, [...footnotes.map(note => note.text), remarks ?? ''], flags),
    owners,
    owner_ciks: ownerCiks,
    footnotes,
    remarks,
    signatures: root.children
      .filter(element => element.name === 'ownerSignature')
      .map(element => ({ name: textOf(child(element, 'signatureName')), date: filingDay(child(element, 'signatureDate'), 'signature_date') })),
    transactions: transactions.length,
    holdings: holdings.length,
    flags,
  }
  return { filing, transactions, holdings, refused: unread.map(cell => refusedCell(cell, context.filing_id)) }
}

/** The rows of both tables, numbered in the order of the document. */
function rowsOf(root: Element, heading: Heading, footnoteTexts: ReadonlyMap<string, string>, unread: UnreadCell[], flags: string[]) {
  const transactions: Fact<'insider_transactions'>[] = []
  const holdings: Fact<'insider_holdings'>[] = []
  for (const table of root.children) {
    if (table.name !== 'nonDerivativeTable' && table.name !== 'derivativeTable') continue
    for (const element of table.children) {
      const kind = rowKinds[element.name]
      if (kind === undefined) {
        if (element.name !== 'footnoteId') flag({ flags }, 'unknown_element_in_table')
        continue
      }
      const row: Row = {
        dataset: kind[0] ? 'insider_transactions' : 'insider_holdings',
        line: transactions.length + holdings.length + 1,
        footnoteTexts,
        citations: [],
        flags: [],
        unread,
      }
      if (kind[0]) transactions.push(transactionOf(element, heading, kind[1], row))
      else holdings.push(holdingOf(element, heading, kind[1], row))
      for (const name of row.flags) if (name === 'missing_transaction_coding' || name.endsWith('_unreadable')) flag({ flags }, name)
    }
  }
  return { transactions, holdings }
}

function issuerOf(root: Element, context: FilingContext, flags: string[], subject: string) {
  const issuer = child(root, 'issuer')
  const printed = textOf(child(issuer, 'issuerCik'))
  const own = printed === null ? null : cikOf(printed)
  if (own === null) flag({ flags }, 'issuer_cik_from_header')
  const cik = own ?? context.issuer_cik
  if (cik === null) throw new Unreadable('issuer_missing', `${subject}: issuerCik is ${JSON.stringify(printed)}, expected up to ten digits`)
  return { cik, name: textOf(child(issuer, 'issuerName')), symbol: textOf(child(issuer, 'issuerTradingSymbol')) }
}

function ownerOf(element: Element, flags: string[]): Fact<'insider_filings'>['owners'][number] {
  const id = child(element, 'reportingOwnerId')
  const address = child(element, 'reportingOwnerAddress')
  const relationship = child(element, 'reportingOwnerRelationship')
  const is = (name: string): boolean => truth(textOf(child(relationship, name))) ?? false
  const printed = textOf(child(id, 'rptOwnerCik'))
  const cik = printed === null ? null : cikOf(printed)
  if (cik === null) flag({ flags }, 'owner_without_cik')
  const roles = { director: is('isDirector'), officer: is('isOfficer'), ten_percent_owner: is('isTenPercentOwner'), other: is('isOther') }
  if (!Object.values(roles).includes(true)) flag({ flags }, 'owner_without_role')
  return {
    cik,
    name: textOf(child(id, 'rptOwnerName')),
    ...roles,
    officer_title: textOf(child(relationship, 'officerTitle')),
    other_text: textOf(child(relationship, 'otherText')),
    street1: textOf(child(address, 'rptOwnerStreet1')),
    street2: textOf(child(address, 'rptOwnerStreet2')),
    city: textOf(child(address, 'rptOwnerCity')),
    state: textOf(child(address, 'rptOwnerState')),
    zip: textOf(child(address, 'rptOwnerZipCode')),
  }
}

function footnotesOf(root: Element): { id: string; text: string }[] {
  return root.children
    .filter(element => element.name === 'footnotes')
    .flatMap(list => list.children)
    .filter(element => element.name === 'footnote')
    .map((element, index) => ({ id: element.id ?? `(${index + 1})`, text: textOf(element) ?? '' }))
}

/** Symbols that filers write if there is none. */
const noSymbol = new Set(['', 'NONE', 'NA', 'N/A', 'NULL', 'NOT APPLICABLE', 'NOT LISTED', 'NO SYMBOL', 'UNLISTED', 'N A', '-', '--', '---', '.'])

/** The issuer's symbol as other data writes it: capitals, class marks by dash, exchange prefix and brackets gone; null for none. */
export function canonicalSymbol(filed: string | null): string | null {
  let text = (filed ?? '').toUpperCase().replace(/^[\s"'([{$]+|[\s"')\]}]+$/g, '')
  text = text.replace(/^(?:NASDAQ(?:GS|GM|CM)?|NYSE(?: AMERICAN| MKT| ARCA)?|AMEX|OTC(?:QB|QX|BB)?|TSXV?)\s*[:-]\s*/, '')
  if (noSymbol.has(text)) return null
  return /^[A-Z0-9]{1,8}[./ -][A-Z]{1,2}$/.test(text) ? text.replace(/[./ ]/, '-') : text
}

/**
 * The 10b5-1 plan: the checkbox (since schema X0407, April 2023) if there is one, otherwise the text of footnotes and remarks (Form 4,
 * General Instruction 10). An adoption date only if the text names exactly one.
 */
function planOf(checkbox: string | null, texts: readonly string[], flags: string[]) {
  const plans = texts.map(planInWords)
  const mentioned = plans.some(words => words.mentioned)
  const dates = [...new Set(plans.flatMap(words => words.dates))]
  if (dates.length > 1) flag({ flags }, 'several_plan_dates')
  const ticked = truth(checkbox)
  if (ticked === false && mentioned) flag({ flags }, 'plan_named_but_not_ticked')
  return {
    plan_10b5_1: ticked === null ? (mentioned ? 'yes' : 'unknown') : ticked ? 'yes' : 'no',
    plan_10b5_1_source: ticked === null ? (mentioned ? 'footnote' : null) : 'checkbox',
    plan_adopted_date: dates.length === 1 ? (dates[0] ?? null) : null,
  } as const
}

function refusedCell(cell: UnreadCell, filingId: string): Refused {
  const where = cell.line === 0 ? '' : `line ${cell.line} has `
  return {
    dataset: cell.dataset,
    reason: 'unreadable_cell',
    detail: `form345 ${filingId}: ${where}${cell.field} ${JSON.stringify(cell.text)}, expected ${cell.expected}; kept as null`,
    subject: filingId,
    record: { line: cell.line, field: cell.field, text: cell.text },
  }
}
