// Reads Schedule XML that is not well-formed as far as it is certain: an ampersand or bracket that was not escaped, end tags that are
// missing or misspelled, a truncated document. The schema defines which elements contain text and how the others nest, so the next element
// reveals a missing end tag. Text that the document's end truncates is not certain and is dropped.
import { Unreadable } from '#schemas/errors.ts'
import { decodeEntities } from '#warehouse/documents/prose/entities.ts'
import type { Element } from '../xml/xml.ts'

/** Elements that hold elements, with the parent of each (EDGAR Schedule 13D/13G XML, X0101 and X0202). */
const containers: Readonly<Record<string, readonly string[]>> = {
  edgarsubmission: [],
  headerdata: ['edgarsubmission'],
  filerinfo: ['headerdata'],
  filer: ['filerinfo'],
  filercredentials: ['filer'],
  flags: ['filerinfo'],
  contact: ['filerinfo'],
  notifications: ['filerinfo'],
  formdata: ['edgarsubmission'],
  coverpageheader: ['formdata'],
  issuerinfo: ['coverpageheader'],
  issuercusips: ['issuerinfo'],
  address: ['issuerinfo'],
  issuerprincipalexecutiveofficeaddress: ['issuerinfo'],
  authorizedpersons: ['coverpageheader'],
  notificationinfo: ['authorizedpersons'],
  personaddress: ['notificationinfo'],
  designaterulespursuantthisschedulefiled: ['coverpageheader'],
  reportingpersons: ['formdata'],
  reportingpersoninfo: ['reportingpersons'],
  coverpageheaderreportingpersondetails: ['formdata'],
  reportingpersonbeneficiallyownednumberofshares: ['coverpageheaderreportingpersondetails'],
  items1to7: ['formdata'],
  items: ['formdata'],
  numberofsharespersonhas: ['item4'],
  issuerprincipaladdress: ['item1'],
  signatureinfo: ['formdata'],
  signatureperson: ['signatureinfo'],
  signatureinformation: ['formdata'],
  signaturedetails: ['signatureperson', 'signatureinformation'],
  documents: ['edgarsubmission', 'formdata'],
  document: ['documents'],
  ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`item${at + 1}`, ['items1to7', 'items']])),
}
/** Elements that hold text. `issuerPrincipalExecutiveOfficeAddress` is both: text in item 1 of a 13G. */
const leaves = new Set(
  `schemaversion submissiontype previousaccessionnumber cik ccc livetestflag overrideinternetflag contactname contactphonenumber
  contactemailaddress notificationemailaddress amendmentno securitiesclasstitle dateofevent eventdaterequiresfilingthisstatement
  previouslyfiledflag issuercik issuercusip issuercusipnumber issuername street1 street2 city stateorcountry zipcode personname
  personphonenum designaterulepursuantthisschedulefiled reportingpersoncik reportingcik reportingpersonnocik
  reportingciknotpresentinedgarflag reportingpersonname memberofgroup membergroup fundtype legalproceedings citizenshipororganization
  solevotingpower sharedvotingpower soledispositivepower shareddispositivepower aggregateamountowned isaggregateexcludeshares
  reportingpersonbeneficiallyownedaggregatenumberofshares aggregateamountexcludescertainsharesflag percentofclass classpercent
  typeofreportingperson commentcontent comments securitytitle commenttext filingpersonname principalbusinessaddress principaljob
  hasbeenconvicted convictiondescription citizenship fundssource transactionpurpose percentageofclasssecurities numberofshares
  transactiondesc listofshareholders date5percentownership contractdescription filedexhibits principalbusinessofficeorresidenceaddress
  notapplicableflag typeofpersonfiling othertypeofpersonfiling amountbeneficiallyowned solepowerordirecttovote
  sharedpowerordirecttovote solepowerordirecttodispose sharedpowerordirecttodispose classownership5percentorless
  ownershipmorethan5percentonbehalfofanotherperson subsidiaryidentificationandclassification
  identificationandclassificationofgroupmembers groupdissolutionnotice certifications exhibitinfo signaturereportingperson signature
  title date signaturecomments conformedname conformeddocumenttype description contents`
    .toLowerCase()
    .split(/\s+/),
)

type Open = { readonly element: Element; readonly name: string }
const tagName = /[A-Za-z_][\w.-]{0,120}(?::[A-Za-z_][\w.-]{0,120})?/y

class Recovery {
  readonly stack: Open[] = []
  root: Element | null = null

  get current(): Open | undefined {
    return this.stack[this.stack.length - 1]
  }

  holds = (name: string): boolean => this.stack.some(open => open.name === name)
  isLeaf = (open: Open | undefined): boolean => open !== undefined && !this.isContainer(open.name) && leaves.has(open.name)
  isContainer = (name: string): boolean =>
    Object.hasOwn(containers, name) && !(name === 'issuerprincipalexecutiveofficeaddress' && this.holds('item1'))

  append(text: string): void {
    const open = this.current
    if (open) open.element.text += text
  }

  open(local: string, name: string): void {
    if (this.isLeaf(this.current)) this.stack.pop()
    const parents = containers[name] ?? []
    if (this.isContainer(name) && parents.some(this.holds)) while (!parents.includes(this.current?.name ?? '')) this.stack.pop()
    const element: Element = { name: local, id: null, text: '', children: [] }
    if (this.root === null) this.root = element
    else this.current?.element.children.push(element)
    if (this.stack.length < 256) this.stack.push({ element, name })
  }

  /** An end tag without an open element is a misspelled one: the tag after it ends the element. */
  close(name: string): void {
    if (!this.holds(name)) return
    while (this.current && this.current.name !== name) this.stack.pop()
    // The root stays open: another end tag may only seem to be its own.
    if (this.stack.length > 1) this.stack.pop()
  }
}

/** The tree of a malformed Schedule document. Throws `Unreadable` for a DOCTYPE and for a document without `edgarSubmission`. */
export function recoverXml(subject: string, text: string): Element {
  const reading = new Recovery()
  for (let at = 0; at < text.length; ) {
    const bracket = text.indexOf('<', at)
    reading.append(decodeEntities(text.slice(at, bracket < 0 ? text.length : bracket)))
    if (bracket < 0) break
    at = tagAt(subject, text, bracket, reading)
  }
  // An element that is still open contains the document's end: its text may lack its last characters.
  const last = reading.current
  if (reading.isLeaf(last) && last) last.element.text = ''
  if (reading.root?.name.toLowerCase() !== 'edgarsubmission') {
    throw new Unreadable('not_a_schedule', `${subject}: malformed XML without <edgarSubmission>`)
  }
  return reading.root
}

/** Reads what begins with `<` at `start`; returns the position after it. */
function tagAt(subject: string, text: string, start: number, reading: Recovery): number {
  const behind = (mark: string, from: number): number => {
    const end = text.indexOf(mark, from)
    return end < 0 ? text.length : end + mark.length
  }
  if (text.startsWith('<!--', start)) return behind('-->', start + 4)
  if (text.startsWith('<?', start)) return behind('?>', start + 2)
  if (text.startsWith('<![CDATA[', start)) {
    const end = behind(']]>', start + 9)
    reading.append(text.slice(start + 9, end === text.length ? end : end - 3))
    return end
  }
  if (/^<!doctype/i.test(text.slice(start, start + 9))) throw new Unreadable('doctype', `${subject}: has a DOCTYPE, which no EDGAR form has`)
  const closing = text[start + 1] === '/'
  tagName.lastIndex = start + (closing ? 2 : 1)
  const match = tagName.exec(text)
  const local = match?.[0].slice(match[0].indexOf(':') + 1) ?? ''
  const name = local.toLowerCase()
  const known = leaves.has(name) || Object.hasOwn(containers, name)
  // A bracket in the text of a field, as in "<5%" or "<b>", is text.
  if (match === null || (!known && !closing && reading.isLeaf(reading.current))) {
    reading.append('<')
    return start + 1
  }
  // The tag ends at its bracket, or after its name if another tag begins before that.
  let end = tagName.lastIndex
  while (end < text.length && text[end] !== '>' && text[end] !== '<') end += 1
  const whole = text[end] === '>'
  if (closing) reading.close(name)
  else {
    reading.open(local, name)
    if (whole && text[end - 1] === '/') reading.close(name)
  }
  return whole ? end + 1 : tagName.lastIndex
}
