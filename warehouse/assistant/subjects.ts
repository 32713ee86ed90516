// Finds the company and its lines for the words of a question, with the search of the service. If several issuers fit, they become
// candidates, as do several classes of one issuer if the question is about one line.
import type { Candidate, Conversation, Subject } from '#schemas/assistant.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import type { Calls, Result } from './calls.ts'
import { name as asName, type Figure, given, must } from './claims.ts'
import { lengthAt, textOf } from './json-values.ts'
import { Refusal } from './refusal.ts'
import type { Understanding } from './understand.ts'
import { listed, t } from './writer.ts'

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

async function search(calls: Calls, query: string): Promise<Line[]> {
  const reply = await calls.try('list_symbols', { query: query.slice(0, 60), limit: 20 }, { signed: false })
  if (!reply.ok) return []
  return Array.from({ length: lengthAt(reply.tree, '/symbols') }, (_, index) => lineAt(reply, `/symbols/${index}`))
}

/** Words that select one line among several. */
function preferred(lines: readonly Line[], { words }: Understanding): readonly Line[] {
  const requested = words.has('preferred') || words.has('pref') ? 'preferred' : words.has('warrant') ? 'warrant' : null
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
  const candidates = shown.map(
    (line): Candidate => ({
      kind: 'listing',
      symbol: line.symbol,
      cik: line.cik,
      name: line.name,
      exchange: line.exchange,
      question: withSymbol(understood, line.symbol),
    }),
  )
  return new Refusal('ambiguous', `${what}: ${shown.map(each => each.symbol).join(', ')}`, {
    parts: [{ text: `${what}: ` }, ...listed(shown.map(labelOf), 'or').parts, { text: '. Which one is meant?' }],
    candidates,
  })
}
function withSymbol({ question, names, symbols }: Understanding, symbol: string): string {
  const spelled = names.find(each => question.includes(each)) ?? symbols.find(each => question.includes(each))
  return spelled === undefined ? `${question} (${symbol})` : question.replace(spelled, () => symbol)
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
  const found = (await search(calls, root)).filter(each => each.symbol.split('.')[0] === root)
  if (found.length === 0) return null
  const issuers = new Set(found.map(each => keyOf(each.name)))
  if (issuers.size > 1) throw ambiguous(found, understood, `No listing has exactly this symbol; these are near`)
  return choose(found, understood, level)
}

/** The company that a name refers to: the directory's name contains every word of it. Null if none fits. */
async function byName(calls: Calls, text: string, understood: Understanding, level: Level): Promise<Company | null> {
  const words = text.split(/\s+/).filter(each => each.length > 1)
  // The directory is searched for the whole name, then without its last words, because legal forms have many spellings.
  const attempts = [...new Set([text, words.slice(0, -1).join(' '), words[0] ?? ''])].filter(each => each.length >= 3).slice(0, 3)
  for (const attempt of attempts) {
    const found = (await search(calls, attempt)).filter(each => fits(each, words))
    if (found.length === 0) continue
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
function fits(line: Line, words: readonly string[]): boolean {
  const own = line.name.toLowerCase().split(/[^\p{L}\d&]+/u)
  const wanted = words.flatMap(each => each.toLowerCase().split(/[^\p{L}\d&]+/u)).filter(each => each !== '' && !legalForms.has(each))
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
  for (const symbol of understood.symbols.slice(0, most)) {
    const company = await bySymbol(calls, symbol, understood, level)
    if (company === null) {
      throw new Refusal('unknown_subject', `no listing ${symbol} is known`, { parts: t`No listing ${given(symbol, asName)} is known here.`.parts })
    }
    found.push(company)
  }
  if (found.length > 0) return found
  for (const cik of understood.ciks.slice(0, 1)) {
    const company = await bySymbol(calls, cik, understood, level)
    if (company !== null) return [company]
  }
  const capital = understood.names.filter(each => /^\p{Lu}/u.test(each))
  for (const name of understood.names) {
    if (found.length >= most || calls.made.length >= 5) break
    // Words in lower case are a name only if there is no other.
    if (found.length > 0 && !capital.includes(name)) break
    const whole = await byName(calls, name, understood, level)
    // "Northgate and Ridgeback" are two names if no directory has a name like it.
    const parts = whole === null ? name.split(/\s+(?:and|or|vs\.?|versus)\s+/i) : []
    const each =
      whole !== null ? [whole] : parts.length < 2 ? [] : await Promise.all(parts.slice(0, 2).map(one => byName(calls, one, understood, level)))
    const companies = each.filter(one => one !== null)
    // If one company of a comparison is unknown, the question is not answered for the other one.
    const missing = capital.includes(name) && companies.length > 0 ? parts[each.indexOf(null)] : undefined
    if (missing !== undefined) throw unknownCompany(missing)
    for (const company of companies) if (!found.some(each => each.line.symbol === company.line.symbol)) found.push(company)
  }
  if (found.length > 0) return found.sort((a, b) => placeOf(understood, a) - placeOf(understood, b))
  if (capital[0] !== undefined) throw unknownCompany(capital[0])
  const subject = conversation?.subject
  const strange = understood.names.find(each => each.length >= 4)
  if (subject?.symbol && strange !== undefined && !understood.pronoun && !understood.followUp) {
    // If a name is unknown, the question is not answered for the company of the previous question.
    throw new Refusal('unknown_subject', `no company "${strange.slice(0, 60)}" is known`, {
      parts: t`No company called ${given(strange.slice(0, 60), asName)} is known here.`.parts,
    })
  }
  if (subject?.kind === 'listing' && subject.symbol !== null) {
    const company = await carriedOver(calls, subject, understood, level)
    if (company !== null) return [company]
  }
  return []
}
const unknownCompany = (name: string): Refusal =>
  new Refusal('unknown_subject', `no company "${name}" is known`, {
    parts: t`No company called ${given(name, asName)} is known here. A ticker symbol or more of the name helps.`.parts,
  })
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
