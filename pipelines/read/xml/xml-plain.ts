// Fast path for a plain XML document: one pass over its characters, one object per element. It accepts only input that it handles fully and
// returns null for everything else, well-formed or not: xml.ts then uses saxes, which is the only one to report malformed XML.
import type { Element } from './element.ts'

const none: Element[] = []
const maxDepth = 256

/** Names of the ownership form: one string object each, so that looking for a child compares pointers and not letters. */
const words = `ownershipDocument schemaVersion documentType periodOfReport dateOfOriginalSubmission noSecuritiesOwned notSubjectToSection16
form3HoldingsReported form4TransactionsReported issuer issuerCik issuerName issuerTradingSymbol reportingOwner reportingOwnerId rptOwnerCik
rptOwnerName reportingOwnerAddress rptOwnerStreet1 rptOwnerStreet2 rptOwnerCity rptOwnerState rptOwnerZipCode rptOwnerStateDescription
reportingOwnerRelationship isDirector isOfficer isTenPercentOwner isOther officerTitle otherText aff10b5One nonDerivativeTable derivativeTable
nonDerivativeTransaction nonDerivativeHolding derivativeTransaction derivativeHolding securityTitle value footnoteId transactionDate
deemedExecutionDate transactionCoding transactionFormType transactionCode equitySwapInvolved transactionTimeliness transactionAmounts
transactionShares transactionTotalValue transactionPricePerShare transactionAcquiredDisposedCode postTransactionAmounts
sharesOwnedFollowingTransaction valueOwnedFollowingTransaction ownershipNature directOrIndirectOwnership natureOfOwnership
conversionOrExercisePrice exerciseDate expirationDate underlyingSecurity underlyingSecurityTitle underlyingSecurityShares
underlyingSecurityValue footnotes footnote remarks ownerSignature signatureName signatureDate`
// Property names are the strings that the engine keeps once.
const names = Object.keys(Object.fromEntries(words.split(/\s+/).map(name => [name, 0])))
// Length, first letter and fourth from the end distinguish all but two of the names; the lookup of those two is slower.
const slotOf = (length: number, first: number, late: number): number => ((length * 31 + first) * 31 + late) & 4095
const slots: (string | undefined)[] = new Array(4096).fill(undefined)
for (const name of names) slots[slotOf(name.length, name.charCodeAt(0), name.charCodeAt(name.length - 4))] = name

function nameAt(text: string, start: number, end: number): string {
  const name = slots[slotOf(end - start, text.charCodeAt(start), text.charCodeAt(end - 4))]
  return name !== undefined && name.length === end - start && text.startsWith(name, start) ? name : text.slice(start, end)
}

/** Classes of ASCII characters: 1 begins a name, 2 continues one, 4 is white space. Beyond ASCII: nothing. */
const kinds = new Uint8Array(65_536)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  kinds[code] = (/[A-Za-z_]/.test(character) ? 1 : 0) + (/[\w.-]/.test(character) ? 2 : 0) + (/[ \t\r\n]/.test(character) ? 4 : 0)
}

const declaration =
  /^<\?xml version=(?:"1\.0"|'1\.0')(?: encoding=(?:"[A-Za-z][\w.-]{0,40}"|'[A-Za-z][\w.-]{0,40}'))?(?: standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?\s{0,5}\?>/
const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Text with the five named references decoded; null for any other reference. */
function decoded(raw: string): string | null {
  let plain = ''
  let from = 0
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
    const end = raw.indexOf(';', at)
    if (end < 0 || end - at > 5) return null
    const character = references[raw.slice(at + 1, end)]
    if (character === undefined) return null
    plain += raw.slice(from, at) + character
    from = end + 1
  }
  return plain + raw.slice(from)
}

/**
 * Text from `start` to `end` (a `<`); null if it contains what this parser does not handle: control characters, `]]>`, other
 * references, surrogates.
 */
function textBetween(text: string, start: number, end: number): string | null {
  let hasReference = false
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 38) hasReference = true
    else if (code < 32 ? (kinds[code]! & 4) === 0 : code >= 0xd800 || (code === 93 && text.charCodeAt(at + 1) === 93)) return null
  }
  const raw = text.slice(start, end)
  return hasReference ? decoded(raw) : raw
}

/** The root element of a plain document; null if the document is not plain. */
export function parsePlainXml(text: string): Element | null {
  let at = 0
  if (text.startsWith('<?')) {
    const match = declaration.exec(text.slice(0, 200))
    if (match === null) return null
    at = match[0].length
  }
  const stack: Element[] = []
  let current: Element | null = null
  let root: Element | null = null
  const length = text.length
  for (;;) {
    // Text up to the next tag.
    let start = at
    while (start < length && (kinds[text.charCodeAt(start)]! & 4) !== 0) start += 1
    if (start === length) return current === null ? root : null
    if (text.charCodeAt(start) !== 60) {
      if (current === null) return null
      const end = text.indexOf('<', start)
      if (end < 0) return null
      const run = textBetween(text, at, end)
      if (run === null) return null
      current.text = current.text === '' ? run : current.text + run
      start = end
    } else if (current !== null && current.text !== '') current.text += text.slice(at, start)
    const next = text.charCodeAt(start + 1)
    if (next === 47) {
      // End tag: exactly the open element's name, then `>`.
      if (current === null || !text.startsWith(current.name, start + 2)) return null
      const close = start + 2 + current.name.length
      if (text.charCodeAt(close) !== 62) return null
      at = close + 1
      stack.pop()
      current = stack.length === 0 ? null : (stack[stack.length - 1] ?? null)
      continue
    }
    if ((kinds[next]! & 1) === 0 || (current === null && root !== null)) return null
    let end = start + 2
    while (end < length && (kinds[text.charCodeAt(end)]! & 2) !== 0) end += 1
    const element: Element = { name: nameAt(text, start + 1, end), id: null, text: '', children: none }
    if (text.charCodeAt(end) === 32) {
      // The form's only attribute, once: <footnoteId id="F1"/>.
      if (text.startsWith('id="', end + 1)) {
        const quote = text.indexOf('"', end + 5)
        if (quote < 0 || quote - end > 60) return null
        const id = text.slice(end + 5, quote)
        if (!/^[\w .-]*$/.test(id)) return null
        element.id = id
        end = quote + 1
      }
      while (text.charCodeAt(end) === 32) end += 1
    }
    const code = text.charCodeAt(end)
    const empty = code === 47
    if (text.charCodeAt(empty ? end + 1 : end) !== 62) return null
    at = empty ? end + 2 : end + 1
    if (current === null) root = element
    else if (current.children === none) current.children = [element]
    else current.children.push(element)
    if (!empty) {
      if (stack.length >= maxDepth) return null
      stack.push(element)
      current = element
    }
  }
}
