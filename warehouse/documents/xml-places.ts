// The places of values in the XML of ownership forms, Form 13F and Schedules 13D and 13G: the nth row element of a dataset, the element of
// a field in it, and a check that its text is the value.

/** A value that was read; `line` 0: the filing has one row in this dataset. */
export type NamedValue = { readonly dataset: string; readonly line: number; readonly field: string; readonly value: string }
/** Offsets in the source of the document. */
export type ValuePlace = Omit<NamedValue, 'value'> & { readonly start: number; readonly end: number }

/** Row elements of each dataset, numbered in the order of the document; null: the whole document is the row. */
const insiderRows = /<(?:\w+:)?((?:nonDerivative|derivative)(?:Transaction|Holding))\b/g
const rowElements: Readonly<Record<string, RegExp | null>> = {
  insider_filings: null,
  insider_transactions: insiderRows,
  insider_holdings: insiderRows,
  holdings_reports: null,
  holdings: /<(?:\w+:)?(infoTable)\b/g,
  ownership_schedules: null,
  ownership_persons: /<(?:\w+:)?(reportingPersonInfo|coverPageHeaderReportingPersonDetails)\b/gi,
}
/** Elements of fields. A list's member is looked up in the nth element of its list. */
const elements: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'form documentType|submissionType',
    'period_of_report periodOfReport|reportCalendarOrQuarter',
    'original_filed_date dateOfOriginalSubmission',
    'issuer_cik issuerCik',
    'issuer_name issuerName|nameOfIssuer',
    'issuer_symbol issuerTradingSymbol',
    'schema_version schemaVersion',
    'aff_10b5_1 aff10b5One',
    'no_securities_owned noSecuritiesOwned',
    'not_subject_to_section16 notSubjectToSection16',
    'remarks remarks',
    'owners.cik rptOwnerCik',
    'owners.name rptOwnerName',
    'owners.director isDirector',
    'owners.officer isOfficer',
    'owners.ten_percent_owner isTenPercentOwner',
    'owners.other isOther',
    'owners.officer_title officerTitle',
    'owners.other_text otherText',
    'owners.street1 rptOwnerStreet1',
    'owners.street2 rptOwnerStreet2',
    'owners.city rptOwnerCity',
    'owners.state rptOwnerState',
    'owners.zip rptOwnerZipCode',
    'signatures.name signatureName',
    'signatures.date signatureDate',
    'security_title securityTitle',
    'transaction_date transactionDate',
    'deemed_execution_date deemedExecutionDate',
    'transaction_form_type transactionFormType',
    'code transactionCode',
    'equity_swap equitySwapInvolved',
    'timeliness transactionTimeliness',
    'shares transactionShares|sshPrnamt',
    'price transactionPricePerShare',
    'total_value transactionTotalValue',
    'acquired_disposed transactionAcquiredDisposedCode',
    'shares_after sharesOwnedFollowingTransaction',
    'value_after valueOwnedFollowingTransaction',
    'direct_or_indirect directOrIndirectOwnership',
    'nature_of_ownership natureOfOwnership',
    'conversion_or_exercise_price conversionOrExercisePrice',
    'exercise_date exerciseDate',
    'expiration_date expirationDate',
    'underlying_title underlyingSecurityTitle',
    'underlying_shares underlyingSecurityShares',
    'underlying_value underlyingSecurityValue',
    'manager_name name',
    'report_type reportType',
    'is_amendment isAmendment',
    'amendment_number amendmentNo',
    'amendment_type_filed amendmentType',
    'file_number form13FFileNumber',
    'entry_total tableEntryTotal',
    'value_total tableValueTotal',
    'confidential_omitted isConfidentialOmitted',
    'additional_information additionalInformation',
    'signature_name name',
    'signature_title title',
    'signature_date signatureDate',
    'class_title titleOfClass|securitiesClassTitle',
    'cusip cusip',
    'cusip_filed cusip',
    'cusips issuerCUSIP|issuerCusip|issuerCusipNumber|issuerCUSIPNumber',
    'figi figi',
    'value value',
    'shares_type sshPrnamtType',
    'put_call putCall',
    'discretion investmentDiscretion',
    'other_managers_filed otherManager',
    'voting_sole Sole',
    'voting_shared Shared',
    'voting_none None',
    'event_date_printed dateOfEvent|eventDateRequiresFilingThisStatement',
    'event_date dateOfEvent|eventDateRequiresFilingThisStatement',
    'name reportingPersonName',
    'cik reportingPersonCIK|reportingCik',
    'sole_voting soleVotingPower',
    'shared_voting sharedVotingPower',
    'sole_dispositive soleDispositivePower',
    'shared_dispositive sharedDispositivePower',
    'aggregate aggregateAmountOwned|reportingPersonBeneficiallyOwnedAggregateNumberOfShares',
    'percent percentOfClass|classPercent',
    'percent_printed percentOfClass|classPercent',
    'types typeOfReportingPerson',
    'citizenship citizenshipOrOrganization',
    'comment commentContent|comments',
    'purpose transactionPurpose',
    'funds_source fundsSource',
  ].map(line => line.split(' ') as [string, string]),
)
/** Elements of the members of lists. */
const listElements: Readonly<Record<string, RegExp>> = {
  owners: /<(?:\w+:)?(reportingOwner)\b/g,
  signatures: /<(?:\w+:)?(ownerSignature)\b/g,
}
/** Whether a field is printed in an element of the form; other fields follow from several, or from the submission. */
export const hasElement = (field: string): boolean => elements[field] !== undefined

type Span = readonly [start: number, end: number]

/** The places of the values in the source. A value whose element has another text has none. */
export function xmlPlaces(source: string, values: readonly NamedValue[]): ValuePlace[] {
  const rows = new Map<RegExp, readonly Span[]>()
  const spansOf = (pattern: RegExp): readonly Span[] => {
    const held = rows.get(pattern) ?? elementSpans(source, pattern)
    rows.set(pattern, held)
    return held
  }
  return values.flatMap(({ dataset, line, field, value }) => {
    const pattern = rowElements[dataset]
    if (pattern === undefined) return []
    const [list, number, member] = /^(\w+)\.(\d+)\.(\w+)$/.exec(field)?.slice(1) ?? []
    const within: Span | undefined =
      pattern !== null
        ? spansOf(pattern)[line - 1]
        : list !== undefined && listElements[list]
          ? spansOf(listElements[list] as RegExp)[Number(number) - 1]
          : [0, source.length]
    if (within === undefined) return []
    const found =
      list === 'footnotes'
        ? footnotePlace(source, within, member ?? '', Number(number), value)
        : fieldPlace(source, within, list === undefined ? field : `${list}.${member}`, value)
    return found === null ? [] : [{ dataset, line, field, start: found[0], end: found[1] }]
  })
}

/** From the opening tag of each element to its end tag. Rows of these forms are never nested. */
function elementSpans(source: string, pattern: RegExp): Span[] {
  return [...source.matchAll(pattern)].flatMap(match => {
    const close = new RegExp(`</(?:\\w+:)?${match[1]}\\s*>`, 'g')
    close.lastIndex = match.index
    const end = close.exec(source)
    return end ? [[match.index, end.index] as const] : []
  })
}

function fieldPlace(source: string, within: Span, field: string, value: string): Span | null {
  const names = elements[field]
  if (names === undefined) return null
  const opening = new RegExp(`<(?:\\w+:)?(${names})(?:\\s[^>]*)?>`, 'gi')
  opening.lastIndex = within[0]
  for (let match = opening.exec(source); match && match.index < within[1]; match = opening.exec(source)) {
    const close = source.slice(opening.lastIndex, within[1]).search(new RegExp(`</(?:\\w+:)?${match[1]}\\s*>`, 'i'))
    if (close < 0) continue
    const inner = innerPlace(source, opening.lastIndex, opening.lastIndex + close)
    if (inner !== null && isSame(source.slice(...inner), value)) return inner
  }
  return null
}
/** The text of an element: of its `value`, if it has one. */
function innerPlace(source: string, from: number, to: number): Span | null {
  const value = /<(?:\w+:)?value\s*>([^<]*)</.exec(source.slice(from, to))
  const [start, end] = value ? [from + value.index + value[0].indexOf('>') + 1, from + value.index + value[0].length - 1] : [from, to]
  const text = source.slice(start, end)
  if (text.includes('<') || text.trim() === '') return null
  const first = start + text.length - text.trimStart().length
  return [first, first + text.trim().length]
}

function footnotePlace(source: string, within: Span, member: string, number: number, value: string): Span | null {
  const opening = /<(?:\w+:)?footnote\s+id="([^"]*)"\s*>/g
  const found = [...source.slice(...within).matchAll(opening)][number - 1]
  if (found === undefined || member !== 'text') return null
  const from = within[0] + found.index + found[0].length
  const to = source.indexOf('</', from)
  const inner = to < 0 ? null : innerPlace(source, from, to)
  return inner !== null && (isSame(source.slice(...inner), value) || value.endsWith('…')) ? inner : null
}

/** Whether a printed text is the value: blanks, zeros and separators of numbers, forms of dates and of yes and no aside. */
function isSame(printed: string, value: string): boolean {
  const [left, right] = [printed, value].map(plain) as [string, string]
  if (left === right) return true
  if (/^-?[\d,]*\.?\d+$/.test(left) && /^-?\d*\.?\d+$/.test(right)) return decimal(left) === decimal(right)
  const day = /^(\d\d)[/-](\d\d)[/-](\d{4})$/.exec(left)
  if (day) return `${day[3]}-${day[1]}-${day[2]}` === right
  if (right === 'true' || right === 'false')
    return /^(?:1|true|y|yes)$/i.test(left) === (right === 'true') && /^(?:[01]|true|false|y|n|yes|no)$/i.test(left)
  return left.replace(/^(\d{4}-\d\d-\d\d)(?:[+-]\d\d:\d\d|Z)$/, '$1') === right || left.toLowerCase() === right.toLowerCase()
}
const plain = (text: string): string =>
  text
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&apos;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .trim()
const decimal = (text: string): string => {
  const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.')
  const kept = fraction.replace(/0+$/, '')
  return `${whole.replace(/^(-?)0+(?=\d)/, '$1') || '0'}${kept === '' ? '' : `.${kept}`}`
}
