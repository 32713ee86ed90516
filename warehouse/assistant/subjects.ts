// Finds the company and its lines for the words of a question, with the search of the service. If several issuers fit, they become
// candidates, as do several classes of one issuer if the question is about one line.
import type { Candidate, Conversation, Subject } from '#schemas/assistant.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { type Calls, maxCalls, type Result } from './calls.ts'
import { name as asName, type Figure, given, must } from './claims.ts'
import { lengthAt, textOf } from './json-values.ts'
import { wordsOfName } from './name-words.ts'
import { Refusal } from './refusal.ts'
import type { Understanding } from './understand.ts'
import { joined, listed, type Prose, t, words } from './writer.ts'

/** One listing of a company, as a search or a look-up returned it. */
export type Line = {
  readonly symbol: string
  readonly name: string
  readonly exchange: string
  readonly currency: string
  readonly type: string
  readonly cik: string | null
  readonly result: Result
  /** Pointer to the listing inside the result. */
  readonly pointer: string
}
export type Company = {
  readonly line: Line
  /** Every known line of the issuer, including `line`. */
  readonly lines: readonly Line[]
}
/** `issuer`: any line of the issuer, one in the United States first; `line`: the question is about one listing. */
export type Level = 'issuer' | 'line'

const lineAt = (result: Result, pointer: string): Line => {
  const member = (field: string): string => textOf(result.tree, `${pointer}/${field}`) ?? ''
  return {
    symbol: member('symbol'),
    name: textOf(result.tree, `${pointer}/issuer`) ?? shortName(member('name')),
    exchange: member('exchange'),
    currency: member('currency'),
    type: member('type'),
    cik: textOf(result.tree, `${pointer}/cik`),
    result,
    pointer,
  }
}
/** A directory's name without the kind of security after it. */
const shortName = (text: string): string =>
  text
    .replace(/\s+-\s+.*$/, '')
    .replace(
      /\s+(?:Class [A-Z] )?(?:Common (?:Stock|Shares?)|Ordinary Shares?|Limited Partnership Units|Subordinate Voting Shares|Warrants?|Units?)\b.*$/i,
      '',
    )
    .replace(/\s+(?:pref|pfd)\b.*$/i, '')
    .replace(/\s+(?:Cl|Class) [A-Z]\b.*$/i, '')
    .replace(/\s+(?:USD|CAD)$/, '')
const keyOf = (text: string): string => issuerKey(shortName(text))

/** The symbol and name of a line as figures. */
const symbolOf = (line: Line): Figure => must(line.result, `${line.pointer}/symbol`, asName)
export function nameOf(line: Line): Figure {
  const issuer = textOf(line.result.tree, `${line.pointer}/issuer`)
  const figure = must(line.result, `${line.pointer}/${issuer === null ? 'name' : 'issuer'}`, asName)
  return issuer === null ? { ...figure, text: given(line.name, asName).text } : figure
}
/** `Great Lakes & Prairie Railway Company (GLPR.TO)`. */
export const labelOf = (line: Line) => t`${nameOf(line)} (${symbolOf(line)})`

/** Rows of one search. A word that more names have is searched together with the others. */
const mostFound = 100
const longestFirst = (words: readonly string[]): string[] => [...words].sort((a, b) => b.length - a.length)

/** Listings whose symbol begins with the text or whose name has it. */
async function search(calls: Calls, query: string): Promise<{ readonly lines: Line[]; readonly cut: boolean }> {
  const reply = await calls.try('list_symbols', { query: query.slice(0, 60), limit: mostFound }, { signed: false })
  if (!reply.ok) return { lines: [], cut: false }
  const lines = Array.from({ length: lengthAt(reply.tree, '/symbols') }, (_, index) => lineAt(reply, `/symbols/${index}`))
  return { lines, cut: textOf(reply.tree, '/next_cursor') !== null }
}
/** Listings that may have all the words: those with the longest word, or with all of them as they are where too many have it. */
export async function searchWords(calls: Calls, words: readonly string[]): Promise<Line[]> {
  const [longest] = longestFirst(words)
  if (longest === undefined) return []
  const { lines, cut } = await search(calls, longest)
  return cut && words.length > 1 ? [...lines, ...(await search(calls, words.join(' '))).lines] : lines
}
/** Listings that a misspelled name may mean, the nearest first. */
async function searchNear(calls: Calls, text: string): Promise<Line[]> {
  const reply = await calls.try('list_symbols', { query: text.slice(0, 60), match: 'near', limit: mostFound }, { signed: false })
  if (!reply.ok) return []
  const found = Array.from({ length: lengthAt(reply.tree, '/symbols') }, (_, index) => ({
    line: lineAt(reply, `/symbols/${index}`),
    apart: Number(textOf(reply.tree, `/symbols/${index}/differing_letters`) ?? '0'),
  }))
  return found.sort((a, b) => a.apart - b.apart).map(each => each.line)
}

/** Words that select one line among several. */
function preferred(lines: readonly Line[], { words: tokens }: Understanding): readonly Line[] {
  const requested = tokens.has('preferred') || tokens.has('pref') ? 'preferred' : tokens.has('warrant') ? 'warrant' : null
  if (requested !== null) return lines.filter(each => each.type === requested)
  const common = lines.filter(each => !['preferred', 'warrant', 'right', 'note'].includes(each.type))
  return common.length > 0 ? common : lines
}

function choose(all: readonly Line[], understood: Understanding, level: Level): Company {
  const lines = preferred(all, understood)
  const market = understood.otherLine
  const onMarket = market === null ? lines : lines.filter(each => (exchangeOf(each.symbol) === 'US') === (market === 'US'))
  const pool = onMarket.length > 0 ? onMarket : lines
  const home = (line: Line): number => (exchangeOf(line.symbol) === 'US' ? (level === 'issuer' ? 0 : 1) : level === 'issuer' ? 1 : 0)
  const ordered = [...pool].sort((a, b) => home(a) - home(b) || (a.symbol < b.symbol ? -1 : 1))
  const [first] = ordered
  if (first === undefined) throw new Refusal('unknown_subject', 'no listing fits')
  const rivals = ordered.filter(each => home(each) === home(first))
  if (level === 'line' && rivals.length > 1) throw ambiguous(rivals, understood, 'Several lines of the issuer fit')
  return { line: first, lines: all }
}

function ambiguous(lines: readonly Line[], understood: Understanding, what: string): Refusal {
  const shown = lines.slice(0, 8)
  return new Refusal('ambiguous', `${what}: ${shown.map(each => each.symbol).join(', ')}`, {
    parts: [{ text: `${what}: ` }, ...listed(shown.map(labelOf), 'or').parts, { text: '. Which one is meant?' }],
    candidates: candidatesOf(shown, understood, null),
  })
}
/** Each line with the question asked of it. `spelled`: the part of the question that the symbol takes the place of. */
function candidatesOf(lines: readonly Line[], understood: Understanding, spelled: string | null): Candidate[] {
  return lines.map(line => ({
    kind: 'listing',
    symbol: line.symbol,
    cik: line.cik,
    name: line.name,
    exchange: line.exchange,
    question: withSymbol(understood, line.symbol, spelled),
  }))
}
function withSymbol({ question, names, symbols }: Understanding, symbol: string, part: string | null): string {
  const spelled = [...(part === null ? [] : [part]), ...names, ...symbols].find(each => question.toLowerCase().includes(each.toLowerCase()))
  if (spelled === undefined) return `${question} (${symbol})`
  const at = question.toLowerCase().indexOf(spelled.toLowerCase())
  return `${question.slice(0, at)}${symbol}${question.slice(at + spelled.length)}`
}

/** The company of a symbol: its own, or that of the only listing with this root on another exchange. */
async function bySymbol(calls: Calls, symbol: string, understood: Understanding, level: Level): Promise<Company | null> {
  const reply = await calls.try('get_symbol', { symbol }, { signed: false })
  if (reply.ok) {
    const line = lineAt(reply, '')
    const successor = textOf(reply.tree, '/alias_of')
    // An old symbol refers to the instrument that has another one now.
    if (textOf(reply.tree, '/listed') === 'false' && successor !== null && level === 'line' && understood.topic !== 'listing') {
      const now = await calls.try('get_symbol', { symbol: successor }, { signed: false })
      if (now.ok) return { line: lineAt(now, ''), lines: [lineAt(now, '')] }
    }
    return { line, lines: [line] }
  }
  if (reply.status >= 500) throw new Refusal('unavailable', reply.detail)
  const root = symbol.split('.')[0] ?? symbol
  const found = (await search(calls, root)).lines.filter(each => each.symbol.split('.')[0] === root)
  if (found.length === 0) return null
  const issuers = new Set(found.map(each => keyOf(each.name)))
  if (issuers.size > 1) throw ambiguous(found, understood, `No listing has exactly this symbol; these are near`)
  return choose(found, understood, level)
}

/** The company that a name refers to: the directory's name contains every word of it. Null if none fits. */
async function byName(calls: Calls, text: string, understood: Understanding, level: Level): Promise<Company | null> {
  const words = wordsOfName(text)
  const found = (await searchWords(calls, words)).filter(each => fits(each, words))
  if (found.length > 0) {
    const groups = new Map<string, Line[]>()
    for (const line of found) groups.set(keyOf(line.name), [...(groups.get(keyOf(line.name)) ?? []), line])
    if (groups.size === 1) return choose(found, understood, level)
    // A complete name takes precedence over names that only contain it.
    const exact = groups.get(keyOf(text))
    if (exact !== undefined) return choose(exact, understood, level)
    throw ambiguous(
      [...groups.values()].map(group => preferred(group, understood)[0] ?? (group[0] as Line)),
      understood,
      'Several companies fit',
    )
  }
  return null
}
const legalForms = new Set(
  'inc incorporated corp corporation co company ltd limited plc llc lp the of and & shares share stock stocks class common'.split(' '),
)
/** Every word of the question's name begins a word of the directory's, without legal forms; or the symbol is the name. */
export function fits(line: Line, words: readonly string[]): boolean {
  const own = wordsOfName(line.name)
  const wanted = words.filter(each => !legalForms.has(each))
  if (words.length === 1 && line.symbol.split('.')[0] === words[0]?.toUpperCase()) return true
  return (
    wanted.length > 0 && wanted.every(word => own.some(each => each.startsWith(word) || (word.length > 4 && each.startsWith(word.replace(/s$/, '')))))
  )
}

/** Every company that a question names, in order; those of the conversation if it names none. */
export async function findCompanies(
  calls: Calls,
  understood: Understanding,
  conversation: Conversation | null,
  level: Level,
  most = 3,
): Promise<Company[]> {
  const found: Company[] = []
  const add = (company: Company): void => {
    const isHeld = found.some(each => each.line.symbol === company.line.symbol || keyOf(each.line.name) === keyOf(company.line.name))
    if (!isHeld) found.push(company)
  }
  for (const symbol of understood.symbols.slice(0, most)) {
    const company = await bySymbol(calls, symbol, understood, level)
    if (company === null) throw await unknownSymbol(calls, symbol, understood)
    if (!found.some(each => each.line.symbol === company.line.symbol)) found.push(company)
  }
  for (const cik of found.length > 0 ? [] : understood.ciks.slice(0, 1)) {
    const company = await bySymbol(calls, cik, understood, level)
    if (company !== null) return [company]
  }
  const bySymbols = found.length
  const capital = understood.names.filter(each => /^\p{Lu}/u.test(each))
  for (const name of understood.names) {
    if (found.length >= most || calls.made.length >= maxCalls - 3) break
    const isSure = capital.includes(name) || understood.located.includes(name)
    // Words in lower case are a name only if there is no other.
    if (found.length > 0 && !isSure) break
    const whole = await byName(calls, name, understood, level)
    // "Northgate and Ridgeback" are two names if no directory has a name like it.
    const parts = whole === null ? name.split(/\s+(?:and|or|vs\.?|versus)\s+/i) : []
    const each =
      whole !== null ? [whole] : parts.length < 2 ? [] : await Promise.all(parts.slice(0, 2).map(one => byName(calls, one, understood, level)))
    const companies = each.filter(one => one !== null)
    // If one company of a comparison is unknown, the question is not answered for the other one.
    const missing = capital.includes(name) && companies.length > 0 ? parts[each.indexOf(null)] : undefined
    if (missing !== undefined) throw await unknownCompany(calls, missing, understood)
    for (const company of companies) add(company)
  }
  // What the question begins with comes first; symbols are in its order already.
  if (found.length > 0) return bySymbols > 0 ? found : found.sort((a, b) => placeOf(understood, a) - placeOf(understood, b))
  if (capital[0] !== undefined) throw await unknownCompany(calls, capital[0], understood)
  const subject = conversation?.subject
  const strange = understood.names.find(each => each.length >= 4)
  // If a name is unknown, the question is not answered for the company of the previous question.
  if (subject?.symbol && strange !== undefined && !understood.pronoun && !understood.followUp)
    throw await unknownCompany(calls, strange.slice(0, 60), understood)
  if (subject?.kind === 'listing' && subject.symbol !== null) {
    const company = await carriedOver(calls, subject, understood, level)
    if (company !== null) return [company]
  }
  return []
}

/** Refusals for names that no directory has, with the listings that may be meant. */
async function unknownSymbol(calls: Calls, symbol: string, understood: Understanding): Promise<Refusal> {
  const shown = t`No listing ${given(symbol, asName)} is known here.`
  return await withNear(calls, symbol, understood, `no listing ${symbol} is known`, shown, t``)
}
/** `alike`: listings that have some of its words, where none is near all of them. */
export async function unknownCompany(calls: Calls, name: string, understood: Understanding, alike: readonly Line[] = []): Promise<Refusal> {
  const shown = t`No company called ${given(name, asName)} is known here.`
  return await withNear(calls, name, understood, `no company "${name}" is known`, shown, words(' A ticker symbol or more of the name helps.'), alike)
}
async function withNear(
  calls: Calls,
  name: string,
  understood: Understanding,
  reason: string,
  shown: Prose,
  otherwise: Prose,
  alike: readonly Line[] = [],
): Promise<Refusal> {
  const near = calls.made.length < maxCalls ? await searchNear(calls, name) : []
  const lines = firstOfEach(near.length > 0 ? near : alike, understood).slice(0, 5)
  if (lines.length === 0) return new Refusal('unknown_subject', reason, { parts: joined([shown, otherwise], '').parts })
  return new Refusal('unknown_subject', reason, {
    parts: t`${shown} Is ${listed(lines.map(labelOf), 'or')} meant?`.parts,
    candidates: candidatesOf(lines, understood, name),
  })
}
/** One line of each issuer, in the given order. */
function firstOfEach(lines: readonly Line[], understood: Understanding): Line[] {
  const groups = new Map<string, Line[]>()
  for (const line of lines) groups.set(keyOf(line.name), [...(groups.get(keyOf(line.name)) ?? []), line])
  return [...groups.values()].flatMap(group => preferred(group, understood)[0] ?? group.slice(0, 1))
}
const placeOf = ({ question, names }: Understanding, { line }: Company): number => {
  const name = names.find(each => line.name.toLowerCase().includes(each.toLowerCase().split(' ')[0] ?? each))
  return name === undefined ? 0 : question.toLowerCase().indexOf(name.toLowerCase())
}

/** The subject of the previous question; on another market if the follow-up requests its other line. */
async function carriedOver(calls: Calls, subject: Subject, understood: Understanding, level: Level): Promise<Company | null> {
  const symbol = subject.symbol as string
  const elsewhere = understood.otherLine !== null && (exchangeOf(symbol) === 'US') !== (understood.otherLine === 'US')
  if (!elsewhere) return await bySymbol(calls, symbol, understood, level)
  const other = await otherLineOf(calls, symbol)
  if (other === null)
    throw new Refusal('no_data', `no line of ${symbol} on the other side of the border is known`, {
      parts: t`No line of ${given(symbol, asName)} on the other side of the border is known.`.parts,
    })
  return await bySymbol(calls, other, understood, level)
}

/** The symbol of the line on the other side of the border, by the table of pairs. */
export async function otherLineOf(calls: Calls, symbol: string): Promise<string | null> {
  const reply = await calls.try('list_dual_listings', { symbol, status: 'current' }, { signed: false })
  if (!reply.ok || lengthAt(reply.tree, '/pairs') === 0) return null
  const [toronto, us] = [textOf(reply.tree, '/pairs/0/tsx_symbol'), textOf(reply.tree, '/pairs/0/us_symbol')]
  return toronto === symbol ? us : toronto
}

/** The one company of a question. Refuses if none or several are named. */
export async function findCompany(calls: Calls, understood: Understanding, conversation: Conversation | null, level: Level): Promise<Company> {
  const [company] = await findCompanies(calls, understood, conversation, level)
  if (company !== undefined) return company
  const strange = understood.unknown.find(each => each.text.length >= 4 && !each.meant)
  if (strange !== undefined) throw await unknownCompany(calls, strange.text, understood)
  throw new Refusal('no_subject', 'the question names no company', {
    parts: t`The question names no company that is known here. Please add a ticker symbol or a company name.`.parts,
  })
}

export const emptySubject: Subject = {
  kind: 'market',
  symbol: null,
  us_symbol: null,
  name: null,
  cik: null,
  country: null,
  indicator: null,
  id: null,
}
export const subjectOf = ({ line }: Company): Subject => ({ ...emptySubject, kind: 'listing', symbol: line.symbol, name: line.name, cik: line.cik })
