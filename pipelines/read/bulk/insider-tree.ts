// Rebuilds the tree of the form from a filing's rows in the SEC's data set of Forms 3, 4 and 5.
// Columns: the data set's readme (EXCERCISE_DATE is its own spelling).
import type { Element } from '../xml/xml.ts'
import { dataSetDay, type Row, type Table } from './tables.ts'

export type InsiderTables = Record<
  'SUBMISSION' | 'REPORTINGOWNER' | 'NONDERIV_TRANS' | 'NONDERIV_HOLDING' | 'DERIV_TRANS' | 'DERIV_HOLDING' | 'FOOTNOTES' | 'OWNER_SIGNATURE',
  Table
>

const element = (name: string, text: string | null, children: Element[] = []): Element => ({ name, id: null, text: text ?? '', children })
const present = (elements: readonly (Element | null)[]): Element[] => elements.filter(each => each !== null)
const plain = (name: string, text: string | null): Element | null => (text === null ? null : element(name, text))
const notes = (cited: string | null): Element[] =>
  (cited ?? '')
    .split(/[\s,;]+/)
    .filter(id => id !== '')
    .map(id => ({ name: 'footnoteId', id, text: '', children: [] }))

/** A cell in the form's shape: its value, and the footnotes that the adjacent column cites. */
function cell(row: Row, name: string, column: string, day = false): Element | null {
  const printed = row.cell(column)
  const value = day ? dataSetDay(printed) : printed
  const cited = notes(row.cell(`${column}_FN`))
  return value === null && cited.length === 0 ? null : element(name, null, [...present([plain('value', value)]), ...cited])
}
const group = (name: string, parts: readonly (Element | null)[]): Element | null => {
  const children = present(parts)
  return children.length === 0 ? null : element(name, null, children)
}

/** As `group`, also without children. */
const parent = (name: string, parts: readonly (Element | null)[]): Element => element(name, null, present(parts))

/** The common columns of both tables, transactions and holdings. */
const held = (row: Row): (Element | null)[] => [
  cell(row, 'securityTitle', 'SECURITY_TITLE'),
  cell(row, 'conversionOrExercisePrice', 'CONV_EXERCISE_PRICE'),
  cell(row, 'exerciseDate', 'EXCERCISE_DATE', true),
  cell(row, 'expirationDate', 'EXPIRATION_DATE', true),
  group('underlyingSecurity', [
    cell(row, 'underlyingSecurityTitle', 'UNDLYNG_SEC_TITLE'),
    cell(row, 'underlyingSecurityShares', 'UNDLYNG_SEC_SHARES'),
    cell(row, 'underlyingSecurityValue', 'UNDLYNG_SEC_VALUE'),
  ]),
  group('postTransactionAmounts', [
    cell(row, 'sharesOwnedFollowingTransaction', 'SHRS_OWND_FOLWNG_TRANS'),
    cell(row, 'valueOwnedFollowingTransaction', 'VALU_OWND_FOLWNG_TRANS'),
  ]),
  group('ownershipNature', [
    cell(row, 'directOrIndirectOwnership', 'DIRECT_INDIRECT_OWNERSHIP'),
    cell(row, 'natureOfOwnership', 'NATURE_OF_OWNERSHIP'),
  ]),
]

const traded = (row: Row): (Element | null)[] => [
  cell(row, 'transactionDate', 'TRANS_DATE', true),
  cell(row, 'deemedExecutionDate', 'DEEMED_EXECUTION_DATE', true),
  group('transactionCoding', [
    plain('transactionFormType', row.cell('TRANS_FORM_TYPE')),
    plain('transactionCode', row.cell('TRANS_CODE')),
    plain('equitySwapInvolved', row.cell('EQUITY_SWAP_INVOLVED')),
    ...notes(row.cell('EQUITY_SWAP_TRANS_CD_FN')),
  ]),
  cell(row, 'transactionTimeliness', 'TRANS_TIMELINESS'),
  group('transactionAmounts', [
    cell(row, 'transactionShares', 'TRANS_SHARES'),
    cell(row, 'transactionTotalValue', 'TRANS_TOTAL_VALUE'),
    cell(row, 'transactionPricePerShare', 'TRANS_PRICEPERSHARE'),
    cell(row, 'transactionAcquiredDisposedCode', 'TRANS_ACQUIRED_DISP_CD'),
  ]),
]

/** Surrogate keys grow with the order in the form; without one the order of the table applies. */
const inOrder = (rows: Row[], key: string): Row[] => {
  const number = (row: Row): number => Number(row.cell(key) ?? 0)
  return rows.sort((a, b) => number(a) - number(b))
}

function owner(row: Row): Element {
  const relationship = (row.cell('RPTOWNER_RELATIONSHIP') ?? '').toLowerCase().replace(/[^a-z0-9,]/g, '')
  const is = (name: string, pattern: RegExp): Element | null => (pattern.test(relationship) ? element(name, '1') : null)
  return element('reportingOwner', null, [
    parent('reportingOwnerId', [plain('rptOwnerCik', row.cell('RPTOWNERCIK')), plain('rptOwnerName', row.cell('RPTOWNERNAME'))]),
    parent('reportingOwnerAddress', [
      plain('rptOwnerStreet1', row.cell('RPTOWNER_STREET1')),
      plain('rptOwnerStreet2', row.cell('RPTOWNER_STREET2')),
      plain('rptOwnerCity', row.cell('RPTOWNER_CITY')),
      plain('rptOwnerState', row.cell('RPTOWNER_STATE')),
      plain('rptOwnerZipCode', row.cell('RPTOWNER_ZIPCODE')),
    ]),
    parent('reportingOwnerRelationship', [
      is('isDirector', /director/),
      is('isOfficer', /officer/),
      is('isTenPercentOwner', /tenpercent|10percent|10owner/),
      is('isOther', /other/),
      plain('officerTitle', row.cell('RPTOWNER_TITLE')),
      plain('otherText', row.cell('RPTOWNER_TXT')),
    ]),
  ])
}

/** The form that a filing's rows were taken from. */
export function treeOf(tables: InsiderTables, accession: string, submission: Row): Element {
  const lines = (name: keyof InsiderTables, row: string, key: string, parts: (each: Row) => (Element | null)[]): Element[] =>
    inOrder(tables[name].rowsOf(accession), key).map(each => parent(row, parts(each)))
  const trade = (each: Row): (Element | null)[] => [...held(each), ...traded(each)]
  return element('ownershipDocument', null, [
    ...present([
      plain('documentType', submission.cell('DOCUMENT_TYPE')),
      plain('periodOfReport', dataSetDay(submission.cell('PERIOD_OF_REPORT'))),
      plain('dateOfOriginalSubmission', dataSetDay(submission.cell('DATE_OF_ORIG_SUB'))),
      plain('noSecuritiesOwned', submission.cell('NO_SECURITIES_OWNED')),
      plain('notSubjectToSection16', submission.cell('NOT_SUBJECT_SEC16')),
      plain('aff10b5One', submission.cell('AFF10B5ONE')),
      plain('remarks', submission.cell('REMARKS')),
    ]),
    parent('issuer', [
      plain('issuerCik', submission.cell('ISSUERCIK')),
      plain('issuerName', submission.cell('ISSUERNAME')),
      plain('issuerTradingSymbol', submission.cell('ISSUERTRADINGSYMBOL')),
    ]),
    ...tables.REPORTINGOWNER.rowsOf(accession).map(owner),
    element('nonDerivativeTable', null, [
      ...lines('NONDERIV_TRANS', 'nonDerivativeTransaction', 'NONDERIV_TRANS_SK', trade),
      ...lines('NONDERIV_HOLDING', 'nonDerivativeHolding', 'NONDERIV_HOLDING_SK', held),
    ]),
    element('derivativeTable', null, [
      ...lines('DERIV_TRANS', 'derivativeTransaction', 'DERIV_TRANS_SK', trade),
      ...lines('DERIV_HOLDING', 'derivativeHolding', 'DERIV_HOLDING_SK', held),
    ]),
    element(
      'footnotes',
      null,
      tables.FOOTNOTES.rowsOf(accession).map(row => ({
        name: 'footnote',
        id: row.cell('FOOTNOTE_ID'),
        text: row.cell('FOOTNOTE_TXT') ?? '',
        children: [],
      })),
    ),
    ...tables.OWNER_SIGNATURE.rowsOf(accession).map(row =>
      parent('ownerSignature', [
        plain('signatureName', row.cell('OWNERSIGNATURENAME')),
        plain('signatureDate', dataSetDay(row.cell('OWNERSIGNATUREDATE'))),
      ]),
    ),
  ])
}
