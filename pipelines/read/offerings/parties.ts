// The parties of a prospectus: short names that it defines for firms, and parties that are not sellers: the issuer, its guarantor, sponsor,
// depositor, trustee, the selling holders.
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { sentencesIn } from './amounts.ts'
import { firmsIn, hasForm, isFirm, stem, tidy, withoutForm } from './firms.ts'
import { isRoleHead } from './roles.ts'

export type Parties = {
  /** Short names that the document defines, in lower case: `bofas` to `BofA Securities, Inc.` */
  readonly short: ReadonlyMap<string, string>
  /** True for a name, or a short name, of the issuer or another party that does not distribute. */
  readonly isParty: (name: string) => boolean
  /** The issuer's names as the document prints them, including short ones. */
  readonly issuer: readonly string[]
}

/** Definitions after a name: `(“BofAS”)`, `(the “Underwriters”)`, `, or Jefferies,`, `, which we refer to as JPMS`. */
const definition =
  /^(?:,? ?\(([^()]{0,160})\)|,? which we refer to (?:herein |in this [\w ]{1,30})?as (?:the )?[“"]?([A-Z][\w.&’'-]*(?: [A-Z][\w.&’'-]*){0,3})[”"]?|,? or (?:the )?[“"]?([A-Z][\w.&’'-]*(?: [A-Z&][\w.&’'-]*){0,3})[”"]?(?=[,) ]))/
const quoted = /[“"]([^”"]{2,50})[”"]/g

/** Words that a document uses for a party, not for a firm that sells. */
const partyWords =
  /^(?:the )?(?:company|issuer|registrant|corporation|partnership|trust|fund|bank|guarantors?|parent(?: guarantor)?|depositor|sponsors?|servicer|master servicer|seller|originator|trustee|indenture trustee|depositary|selling (?:stock|share|security|unit)?\s?holders?|purchasers?|investors?|buyer|we|us|our|index sponsor|underlying sponsors?)$/i
/** Lines that name a party: `Issuer: BofA Finance LLC`, `Guarantor`, `Depositor`. */
const partyLine =
  /^(issuer|issuing entity|guarantors?|parent guarantor|depositor|sponsors?|servicer|master servicer|originators?|trustee|owner trustee|indenture trustee|registrar)s?\s*:?$/i

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[“”"®™]/g, '')
    .trim()

/** Maximum number of short names: no prospectus defines more. */
const mostShort = 300
const mostDefinitions = 3000

/** Lines of a cover before its text: securities, amounts and the name of the issuer. */
const mostHeadlines = 20

/** The names of the issuer above the cover's first words about the offering. Dealers are at its foot. */
function headlineNames(prose: Prose, from: number): string[] {
  const found: string[] = []
  let seen = 0
  for (let index = Math.max(0, blockAt(prose, from)); index < prose.blocks.length && seen < mostHeadlines; index += 1) {
    const block = prose.blocks[index] as Block
    if (block.start < from) continue
    const text = prose.text.slice(block.start, Math.min(block.end, block.start + 201)).trim()
    if (
      block.table > 0 ||
      block.end - block.start > 200 ||
      block.start > from + 1500 ||
      isRoleHead(text) ||
      /\tper |\bprice to (?:the )?public\b|^public offering price|^underwrit/i.test(text)
    )
      break
    seen += 1
    if (!text.includes('\t') && !text.includes('  ') && text.length < 90 && hasForm(text) && isFirm(tidy(text))) found.push(tidy(text))
  }
  return found
}

/** If an agreement to sell is made with a firm, a line with its name is not the issuer's. */
function isContracted(text: string, name: string): boolean {
  for (let at = text.indexOf(name), uses = 0; at >= 0 && uses < 60; at = text.indexOf(name, at + name.length), uses += 1) {
    const before = text.slice(Math.max(0, at - 90), at)
    const behind = text.slice(at + name.length, at + name.length + 90)
    if (
      /\b(?:underwriting|placement agen\w+|sales|distribution|selling agen\w+|dealer[- ]manager|agency|engagement)\b[^.]{0,40}\b(?:with|and) $/i.test(
        before,
      )
    )
      return true
    if (/^[^.]{0,60}\b(?:acting|act|serving|serve|acts|serves) as\b[^.]{0,30}\b(?:underwriter|agent|representative|manager)/i.test(behind))
      return true
  }
  return false
}

/** The names that a document gives its parties, while it is read. */
type Names = {
  readonly short: Map<string, string>
  readonly parties: Set<string>
  readonly issuer: string[]
  define(term: string, name: string): void
  addParty(name: string): void
  addIssuer(name: string): void
}
function createNames(): Names {
  const [short, parties, issuer] = [new Map<string, string>(), new Set<string>(), [] as string[]]
  const addParty = (name: string): void => {
    const text = name.replace(/\s+/g, ' ').trim()
    if (text.length > 1) parties.add(plain(text)).add(withoutForm(text))
  }
  return {
    short,
    parties,
    issuer,
    addParty,
    define(term, name) {
      if (short.size < mostShort && !short.has(plain(term)) && !isRoleWord(term)) short.set(plain(term), name)
    },
    addIssuer(name) {
      addParty(name)
      issuer.push(name.trim())
    },
  }
}

/** Reads the parties from the part before the base prospectus; its cover begins at `coverStart`. */
export function partiesOf(prose: Prose, company: string | null, end: number, coverStart = 0): Parties {
  const names = createNames()
  if (company !== null) names.addIssuer(company)
  const text = prose.text.slice(0, end)
  readCover(prose, text, coverStart, names)
  readLabels(prose, end, names)
  readDefinitions(text, names)
  const sentences = sentencesIn(prose.text, 0, Math.min(end, 400_000)).map(each => each.text)
  readReferences(sentences, names)
  readTradeNames(sentences, names)
  const { short, parties, issuer } = names
  const isParty = (name: string): boolean => parties.has(plain(name)) || parties.has(withoutForm(name))
  return { short, isParty, issuer: [...new Set(issuer)] }
}

/** The registrant's exact name, the names in the headline, and guarantors. */
function readCover(prose: Prose, text: string, coverStart: number, { addParty, addIssuer }: Names): void {
  for (const match of text.slice(0, 12_000).matchAll(/^([^\n]{3,120})\n\(Exact name of (?:each )?(?:co-?)?registrant/gim))
    addIssuer(match[1] as string)
  for (const name of headlineNames(prose, coverStart)) if (!isContracted(text, name)) addIssuer(name)
  for (const match of text.slice(0, 60_000).matchAll(/\bguaranteed\b[^.\n]{0,80}?\bby (?=[A-Z])/gi)) {
    const at = match.index + match[0].length
    const guarantor = firmsIn(text.slice(at, at + 120))[0]
    if (guarantor !== undefined && guarantor.start < 3) addParty(guarantor.name)
  }
}

/** Rows and lines with a label: `Issuer: …`. */
function readLabels(prose: Prose, end: number, { parties, addParty, addIssuer }: Names): void {
  for (const block of prose.blocks) {
    if (block.start >= end) break
    if (block.end - block.start > 700) continue
    const [label = '', ...rest] = prose.text.slice(block.start, block.end).split(/\t|(?<=^[\w ]{4,24}):\s/)
    if (rest.length === 0 || !partyLine.test(label.trim())) continue
    const value = rest.join(' ').trim()
    const name = /^[^(,;]{2,80}/.exec(value)?.[0] ?? ''
    if (/^issu/i.test(label)) addIssuer(name)
    else if (/^[A-Z]/.test(name)) addParty(name)
    for (const firm of firmsIn(value.slice(0, 200))) addParty(firm.name)
    for (const defined of value.matchAll(quoted)) parties.add(plain(defined[1] as string))
  }
}

/** `BofA Finance LLC (“BofA Finance” or the “Issuer”)`: a party; `BofA Securities, Inc. (“BofAS”)`: a short name. */
function readDefinitions(text: string, { parties, issuer, addParty, define }: Names): void {
  let definitions = 0
  for (const match of text.matchAll(/[“"](?:the )?([A-Z][\w&.’' -]{1,40})[”"]/g)) {
    if (definitions >= mostDefinitions) break
    const window = text.slice(Math.max(0, match.index - 160), match.index)
    const bracket = window.lastIndexOf('(')
    if (bracket < 0 || window.indexOf(')', bracket) >= 0) continue
    const open = match.index - window.length + bracket
    definitions += 1
    const before = text
      .slice(Math.max(0, open - 130), open)
      .trimEnd()
      .replace(/,$/, '')
    const inside = text.slice(open, Math.min(text.length, match.index + 120)).split(')')[0] as string
    const named = firmsIn(before).at(-1)
    const name =
      named !== undefined && named.end >= before.length - 1 ? named.name : (/(?:[A-Z][\w.&’'-]*,? ){0,6}[A-Z][\w.&’'-]*\.?$/.exec(before)?.[0] ?? '')
    if (name === '') continue
    const terms = [...inside.matchAll(quoted)].map(each => (each[1] as string).trim())
    if (terms.some(term => partyWords.test(term)) || /[“"](?:we|us|our)[,”"]/i.test(inside)) {
      if (terms.some(term => /^(?:the )?(?:company|issuer|registrant|corporation|partnership|trust|fund|bank|we|us|our)$/i.test(term)))
        issuer.push(name)
      addParty(name)
      for (const term of terms) parties.add(plain(term))
    } else if (isFirm(name)) for (const term of terms) define(term, name)
  }
}

/** `Linnet Securities, Inc., which we refer to as …`. */
function readReferences(sentences: readonly string[], { addParty, define }: Names): void {
  for (const sentence of sentences) {
    if (!/which we refer to|, or [A-Z“"]/.test(sentence)) continue
    for (const firm of firmsIn(sentence)) {
      const found = definition.exec(sentence.slice(firm.end))
      const term = found?.[2] ?? found?.[3]
      if (term === undefined || isRoleWord(term) || firmsIn(term).some(other => other.name !== term)) continue
      if (partyWords.test(term)) addParty(firm.name)
      else if (stem(firm.name).startsWith(stem(term).split(' ')[0] as string)) define(term, firm.name)
    }
  }
}

/** `Siskin Capital Markets is the trade name for certain investment banking services of Linnet Securities, Inc.`: the dealer's other name. */
function readTradeNames(sentences: readonly string[], { define }: Names): void {
  for (const sentence of sentences) {
    if (!/\btrade ?names? (?:for|of|used by|under which)\b/i.test(sentence)) continue
    const [brand, ...others] = firmsIn(sentence)
    const dealer = others.find(each => hasForm(each.name))
    if (brand !== undefined && dealer !== undefined && !hasForm(brand.name)) define(brand.name, dealer.name)
  }
}

const isRoleWord = (term: string): boolean => /\b(?:agents?|underwriters?|managers?|representatives?|dealers?|purchasers?)\b/i.test(term)
