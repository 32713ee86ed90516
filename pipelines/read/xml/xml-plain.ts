// Fast path for a plain XML document: one pass over its characters, one object per element. It accepts only input that it handles fully and
// returns null for everything else, well-formed or not: xml.ts then uses saxes, which is the only one to report malformed XML. It reads
// bytes, four at a time where they repeat: forms are printed by few programs, always with the same elements in the same order.
import { cacheLimits } from '#schemas/cache-limits.ts'
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
/** What was opened last, and the name that was opened next when it was last seen: the first to be tried. */
type Place = { next: Name | null; readonly inner: Place | null }
/** A known name with its bytes; `inner` is the place after its `<value>`. */
type Name = Place & { readonly name: string; readonly view: DataView }

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
// Property names are the strings that the engine keeps once.
const names = Object.keys(Object.fromEntries(words.split(/\s+/).map(name => [name, 0]))).map(
  (name): Name => ({ name, view: viewOf(Buffer.from(name)), next: null, inner: { next: null, inner: null } }),
)
// Length, first letter and fourth from the end distinguish all but two of the names; the lookup of those two is slower.
const slotOf = (length: number, first: number, late: number): number => ((length * 31 + first) * 31 + late) & 4095
const slots: (Name | undefined)[] = new Array(4096).fill(undefined)
for (const each of names) slots[slotOf(each.name.length, each.name.charCodeAt(0), each.name.charCodeAt(each.name.length - 4))] = each

/** Whether the bytes at `at` are those of `other` from `from` on, so many of them. */
function areSame(view: DataView, at: number, other: DataView, from: number, length: number): boolean {
  let done = 0
  while (done + 4 <= length && view.getInt32(at + done) === other.getInt32(from + done)) done += 4
  while (done < length && view.getInt8(at + done) === other.getInt8(from + done)) done += 1
  return done === length
}

function knownName(view: DataView, start: number, end: number): Name | null {
  const name = end - start < 4 ? undefined : slots[slotOf(end - start, view.getUint8(start), view.getUint8(end - 4))]
  return name !== undefined && name.view.byteLength === end - start && areSame(view, start, name.view, 0, end - start) ? name : null
}

/** Classes of ASCII characters: 1 begins a name, 2 continues one, 4 is white space. Beyond ASCII: nothing. */
const kinds = new Uint8Array(256)
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

/** Zeros behind the document: a read of four bytes at its end stays inside the buffer, and finds no character there. */
const padding = 8
let shared = viewOf(new Uint8Array(65_536))

/** The bytes of a text, one for each character: 128 or more for a character beyond ASCII. Null if it has surrogates or U+E000 and above. */
function bytesOf(text: string): DataView | null {
  const { length } = text
  let view = shared
  if (length + padding > view.byteLength) {
    view = viewOf(new Uint8Array(2 * length + padding))
    if (view.byteLength <= cacheLimits.xmlBufferBytes) shared = view
  }
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  bytes.write(text, 0, length, 'latin1')
  bytes.fill(0, length, length + padding)
  if (Buffer.byteLength(text) === length) return view
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 0xd800) return null
    if (code >= 128) bytes[at] = 128
  }
  return view
}

/**
 * The end (a `<`) of the text that begins at `start`. -1 if it contains what this parser does not handle: control characters, `]]>`, the end
 * of the document. Minus the end if it contains references.
 */
function textEnd(view: DataView, start: number): number {
  let hasReference = false
  for (let at = start; ; at += 1) {
    const code = view.getUint8(at)
    if (code === 60) return hasReference ? -at : at
    if (code === 38) hasReference = true
    else if (code < 32 ? (kinds[code]! & 4) === 0 : code === 93 && view.getUint8(at + 1) === 93) return -1
  }
}

const fourSpaces = 0x20202020
/** The position after the white space at `start`. */
function blanksEnd(view: DataView, start: number): number {
  let at = start
  while ((kinds[view.getUint8(at)]! & 4) !== 0) {
    at += 1
    while (view.getInt32(at) === fourSpaces) at += 4
  }
  return at
}

/** The root element of a plain document; null if the document is not plain. */
export function parsePlainXml(text: string): Element | null {
  const view = bytesOf(text)
  let at = text.startsWith('<?') ? (declaration.exec(text.slice(0, 200))?.[0].length ?? -1) : 0
  if (view === null || at < 0) return null
  const stack: Element[] = []
  const starts: number[] = []
  let current: Element | null = null
  let root: Element | null = null
  let last: Place = { next: null, inner: null }
  const { length } = text
  for (;;) {
    // Text up to the next tag.
    let start = blanksEnd(view, at)
    if (start >= length) return current === null ? root : null
    if (view.getUint8(start) !== 60) {
      if (current === null) return null
      const end = textEnd(view, start)
      if (end === -1) return null
      start = Math.abs(end)
      const run = end < 0 ? decoded(text.slice(at, start)) : text.slice(at, start)
      if (run === null) return null
      current.text = current.text === '' ? run : current.text + run
    } else if (current !== null && current.text !== '') current.text += text.slice(at, start)
    const next = view.getUint8(start + 1)
    if (next === 47) {
      // End tag: exactly the open element's name, then `>`.
      if (current === null) return null
      const close = start + 2 + current.name.length
      if (close >= length || view.getUint8(close) !== 62) return null
      if (!areSame(view, start + 2, view, (starts.pop() as number) + 1, current.name.length)) return null
      at = close + 1
      stack.pop()
      current = stack.length === 0 ? null : (stack[stack.length - 1] ?? null)
      continue
    }
    if ((kinds[next]! & 1) === 0 || (current === null && root !== null)) return null
    const name: Name | null = nameAt(view, start + 1, last)
    const end = name === null ? nameEnd(view, start + 1) : start + 1 + name.view.byteLength
    const element: Element = { name: name?.name ?? text.slice(start + 1, end), id: null, text: '', children: none }
    last = placeAfter(last, name)
    const tag = tagEnd(text, view, end, element)
    if (tag === 0) return null
    at = Math.abs(tag)
    if (current === null) root = element
    else if (current.children === none) current.children = [element]
    else current.children.push(element)
    if (tag > 0) {
      if (stack.length >= maxDepth) return null
      stack.push(element)
      starts.push(start)
      current = element
    }
  }
}

function nameEnd(view: DataView, start: number): number {
  let end = start + 1
  while ((kinds[view.getUint8(end)]! & 2) !== 0) end += 1
  return end
}

/** The known name at `start`, which begins one; null for another name. */
function nameAt(view: DataView, start: number, last: Place): Name | null {
  const guess = last.next
  if (guess !== null) {
    const { byteLength } = guess.view
    const end = start + byteLength
    if (end < view.byteLength && (kinds[view.getUint8(end)]! & 2) === 0 && areSame(view, start, guess.view, 0, byteLength)) return guess
  }
  last.next = knownName(view, start, nameEnd(view, start))
  return last.next
}

const unknownPlace: Place = { next: null, inner: null }
/** The same `<value>` occurs in most elements: what follows it depends on the element. */
const placeAfter = (last: Place, name: Name | null): Place =>
  name === null ? unknownPlace : name.name === 'value' && last.inner !== null ? last.inner : name

/** The position after the start tag whose name ends at `at`, negative for an empty tag; 0 if the tag is not plain. Sets the attribute `id`. */
function tagEnd(text: string, view: DataView, at: number, element: Element): number {
  let end = at
  if (view.getUint8(end) === 32) {
    // The form's only attribute, once: <footnoteId id="F1"/>.
    if (text.startsWith('id="', end + 1)) {
      const quote = text.indexOf('"', end + 5)
      if (quote < 0 || quote - end > 60) return 0
      const id = text.slice(end + 5, quote)
      if (!/^[\w .-]*$/.test(id)) return 0
      element.id = id
      end = quote + 1
    }
    while (view.getUint8(end) === 32) end += 1
  }
  const isEmpty = view.getUint8(end) === 47
  if (isEmpty) end += 1
  if (end >= text.length || view.getUint8(end) !== 62) return 0
  return isEmpty ? -end - 1 : end + 1
}
