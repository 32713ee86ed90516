// The meaning of a question: topic, inputs, subjects and period, read by the lexicon and by patterns, without a call.

import type { Conversation } from '#schemas/assistant.ts'
import { utcDay } from '#schemas/days.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type Entry, entries, stopwords, type Topic } from './lexicon.ts'
import { type FoundPeriod, findPeriods } from './periods.ts'
import { accounts, countries, provinces, standards, states } from './vocabulary.ts'

type Token = {
  readonly word: string
  /** For a mark: the words that it was read from. */
  readonly spelled: string | null
  readonly start: number
  readonly end: number
  readonly mark: string | null
  readonly capital: boolean
  readonly inName: boolean
}
export type Understanding = {
  readonly question: string
  readonly topic: Topic | null
  readonly score: number
  /** The topic was taken from the previous question. */
  readonly carried: boolean
  readonly fields: readonly string[]
  readonly items: readonly string[]
  readonly indicators: readonly string[]
  /** Symbols as spelled in the question, canonical. */
  readonly symbols: readonly string[]
  /** Names to look up, most likely first: capitalised words, then the remaining words. */
  readonly names: readonly string[]
  readonly ciks: readonly string[]
  readonly accession: string | null
  readonly receipt: string | null
  readonly period: FoundPeriod | null
  readonly periods: readonly FoundPeriod[]
  /** A day or year that does not exist or is outside of the data, as written in the question. */
  readonly badPeriod: string | null
  readonly otherLine: 'US' | 'CA' | null
  readonly pronoun: boolean
  readonly followUp: boolean
  readonly plural: boolean
  readonly accounts: readonly string[]
  readonly standards: readonly string[]
  readonly states: readonly string[]
  readonly provinces: readonly string[]
  readonly countries: readonly string[]
  readonly forms: readonly string[]
  readonly shares: string | null
  readonly money: readonly { readonly value: string; readonly currency: string | null }[]
  readonly numbers: readonly string[]
  readonly words: ReadonlySet<string>
  /** Only a name was recognised, and no phrase of a topic. */
  readonly byName: boolean
  /** Words in lower case that no phrase of the topic used and that are not part of a name. */
  readonly unread: readonly string[]
  /** Numbers, as written in the question, that no phrase of the topic used. */
  readonly loose: readonly string[]
}

const acronyms = new Set(
  `I A US USA UK EU CA CAD USD EUR GBP TSX TSXV NYSE NASDAQ AMEX OTC SEC CIK CUSIP ISIN IPO IPOS ETF ETFS REIT REITS CPI GDP PPI PCE FOMC FED BOC ECB RRSP TFSA RRIF LIRA FHSA RESP RDSP LIF IRA HSA
  AAOIFI DJIM MSCI FTSE SP SEDAR SEDI EPS PE PB PS EV EBITDA RSI SMA ATR ROE ROA FCF TTM YTD YOY QOQ MOM HALAL CEO CFO COO CTO BID ASK EOD OHLC CEE METC CMETC FTS NI QP AU AG CU PB ZN
  AUEQ CUEQ AGEQ GT M G T OK AND OR THE IS IN OF TO ON FOR VS V WHAT WHO HOW WHY WHEN WHICH WHERE DOES DID ITS ALL ANY NEW NR R D S P Q FY AM PM UTC EST ET FX BPS WTI M2 ARB MCP API SIC N NY LLC LP INC CORP LTD
  CO PLC TAX DRIP ESG DUE NOT CAN HAS HAD WAS ARE BY AT IT AS AN BE DO IF MY NO SO UP WE YOU ME BC ON QC AB SK MB NB NS PEI NL YT NT NU DC TX FL WA CIO DDH RC DD ADR ADRS BRK`.split(
    /\s+/,
  ),
)

const stem = (word: string): string =>
  word.length > 3 && word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)
      ? word.slice(0, -1)
      : word

const contractions: Readonly<Record<string, string>> = {
  "what's": 'what is',
  "who's": 'who is',
  "where's": 'where is',
  "how's": 'how is',
  "when's": 'when is',
  "it's": 'it is',
  "that's": 'that is',
  "didn't": 'did not',
  "doesn't": 'does not',
  "isn't": 'is not',
  "i'm": 'i am',
  "i'd": 'i would',
  "i've": 'i have',
  "let's": 'let us',
  "there's": 'there is',
}

type Marked = { readonly start: number; readonly end: number; readonly mark: string }
type Span = Marked & { readonly value: string }

/** The parts of a question with a form of their own: each span is read once, by the first pattern that fits. */
function readSpans(question: string, now: Date) {
  const spans: Span[] = []
  const free = (start: number, end: number): boolean => !spans.some(each => start < each.end && end > each.start)
  const take = (mark: string, pattern: RegExp, read: (match: RegExpExecArray) => string | null): string[] => {
    const values: string[] = []
    for (const match of question.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      const value = free(start, end) ? read(match as RegExpExecArray) : null
      if (value === null) continue
      spans.push({ start, end, mark, value })
      values.push(value)
    }
    return values
  }

  const [receipt = null] = take('<receipt>', /\br1_[a-z2-7]{52}\b/g, match => match[0])
  const [accession = null] = take('<accession>', /\b(\d{10})-?(\d{2})-?(\d{6})\b/g, ([, a, b, c]) => `${a}-${b}-${c}`)
  const ciks = take('<cik>', /\bCIK\s*#?\s*(\d{1,10})\b/gi, match => (match[1] ?? '').padStart(10, '0'))
  const forms = take(
    '<form>',
    /\b(10-?[KQ]|8-?K|20-?F|40-?F|6-?K|[SF]-[134](?![\d.])|424B\d|DEF 14A|proxy statement|annual report|quarterly report|current report)s?\b(?:\/A)?/gi,
    match => formOf(match[1] ?? ''),
  )
  take('<rule>', /\b(?:rule\s*)?(50[46]\s?\(?[bc]?\)?|reg(?:ulation)? [ad]\+?)(?=\s|$|[.,?])/gi, match => match[0])
  const symbols = symbolsIn(question, take)
  const periods = findPeriods(blanked(question, spans), utcDay(now))
  const badPeriod = unreadDay(question) ?? findBadPeriod(blanked(question, [...spans, ...periods.map(each => ({ ...each, mark: '' }))]))
  for (const period of periods) spans.push({ start: period.start, end: period.end, mark: '<period>', value: period.words })
  const countedShares = take(
    '<count>',
    /\b(\d[\d,]*(?:\.\d+)?)(?:\s*(?:more\s+)?(?:shares?|units?)\b|(?=\s+(?:flow[- ]through|fts|[A-Z.]{2,8}\s+shares?)\b))/gi,
    match => (match[1] ?? '').replaceAll(',', ''),
  )
  const money: { value: string; currency: string | null }[] = []
  take('<money>', /(US\$|C\$|CA\$|\$|CAD|USD)\s?(\d[\d,]*(?:\.\d+)?)\s*(k|m|mm|million|billion|thousand)?\b/gi, match =>
    moneyOf(match[2], match[3], match[1], money),
  )
  take('<money>', /\b(\d[\d,]*(?:\.\d+)?)\s*(k|million|billion|thousand)?\s*(dollars|bucks|CAD|USD|cad|usd)\b/g, match =>
    moneyOf(match[1], match[2], match[3], money),
  )
  const dictionary = (mark: string, words: Readonly<Record<string, string>>): string[] => {
    const values: string[] = []
    for (const phrase of Object.keys(words).sort((a, b) => b.length - a.length)) {
      const pattern = new RegExp(`(?<![\\w-])${phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, /^[A-Z]{2}$/.test(phrase) ? 'g' : 'gi')
      values.push(...take(mark, pattern, () => words[phrase] ?? null))
    }
    return [...new Set(values)]
  }
  const found = {
    accounts: dictionary('<account>', accounts),
    standards: dictionary('<standard>', standards),
    states: dictionary('<state>', states),
    provinces: dictionary('<province>', provinces),
    countries: dictionary('<country>', countries),
  }
  const numbers = take('<num>', /(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:\s?(?:%|percent\b|per cent\b|x\b))?(?![\w]|-\w)/g, match =>
    match[0].replaceAll(/[,\s]|%|percent|per cent|x/g, ''),
  )
  return { spans, receipt, accession, ciks, forms, symbols, periods, badPeriod, countedShares, money, found, numbers }
}

export function understand(requested: string, now: Date, conversation: Conversation | null): Understanding {
  const question = withDays(requested.normalize('NFKC')).replaceAll(/[‘’ʼ]/g, "'").replaceAll(/[“”]/g, '"').replaceAll(/[‐‑‒]/g, '-')
  const { spans, receipt, accession, ciks, forms, symbols, periods, badPeriod, countedShares, money, found, numbers } = readSpans(question, now)
  const names = capitalised(question, spans)
  const managers = names.filter(
    each =>
      /\b(?:capital|management|advisors?|advisers|partners|asset|fund|investments?|advisory)\b/i.test(each.value) &&
      !/\b(?:power|income)\b/i.test(each.value),
  )
  for (const manager of managers) spans.push({ ...manager, mark: '<manager>' })
  for (const name of names) if (!managers.includes(name)) spans.push({ ...name, mark: '<name>' })
  const tokens = tokensOf(question, spans)
  const scored = scoreTopics(tokens)
  const wordSet = new Set(tokens.map(each => each.word))
  const followUp =
    /^(?:and|but|or|also|same|what about|how about|ok|okay|now|then|so|under|in|for|with|since|as of|on|at|how (?:does|did) (?:that|it|this) compare)\b/i.test(
      question.trim(),
    )
  const pronoun =
    /\b(?:it|its|it's|they|their|them|that (?:company|stock|one)|this (?:company|stock|one)|the (?:company|stock|shares?)|there|same)\b/i.test(
      question,
    )
  const otherLine = requestedLine(question.toLowerCase())
  const best = decide(scored, {
    tokens,
    wordSet,
    followUp,
    otherLine,
    conversation,
    symbols,
    names,
    found,
    numbers,
    ranged: periods.some(each => each.kind !== 'ahead' && each.from !== utcDay(now)),
    requestsAmount: /\b(?:how much|what (?:would|do|does|is|are)|cost|worth|if i)\b/i.test(question),
    pronoun,
  })
  const chosen = scored.filter(each => each.entry.topic === best.topic)
  const pick = (name: string, topic: Topic): string[] => [
    ...new Set(
      scored
        .filter(each => each.entry.topic === topic && each.entry.inputs?.[name] !== undefined)
        .sort((a, b) => a.at - b.at)
        .map(each => each.entry.inputs?.[name] ?? ''),
    ),
  ]
  const used = new Set(chosen.flatMap(each => each.places))
  return {
    question,
    ...best,
    fields: pick('field', 'statistic'),
    items: pick('item', 'line_item'),
    indicators: pick('indicator', 'macro'),
    symbols,
    names: [...names.map(each => each.value), ...leftOver(question, tokens, used)],
    ciks,
    accession,
    receipt,
    period: periods[0] ?? null,
    periods,
    badPeriod,
    otherLine,
    pronoun,
    followUp,
    plural: /\b(?:stocks|companies|names|listings|shares that|etfs|issuers|securities|tickers|banks|miners|reits)\b/i.test(question),
    ...found,
    forms: [...new Set(forms)],
    shares: countedShares[0] ?? null,
    money,
    numbers,
    words: wordSet,
    byName: best.topic === 'overview' && !chosen.some(each => each.entry.topic === 'overview'),
    unread: tokens.flatMap(({ word, mark, inName }, at) =>
      mark !== null || inName || used.has(at) || word.length < 2 || stopwords.has(word) || stopwords.has(`${word}s`) || entryGlue.has(word)
        ? []
        : [word],
    ),
    loose: tokens.flatMap(({ mark, spelled }, at) => (mark === '<num>' && !used.has(at) && spelled !== null ? [spelled] : [])),
  }
}
/** Words around a name without a meaning of their topic. */
const entryGlue = new Set(['stock', 'share', 'company', 'ticker', 'about', 'please', 'info', 'detail'])

/** Days with slashes as ISO days if only one reading exists; the others stay, and are refused as ambiguous. */
const withDays = (text: string): string =>
  text.replace(/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4})(?![\d/])/g, (whole, a: string, b: string, year: string) => {
    const [first, second] = [Number(a), Number(b)]
    if (first > 12 && second <= 12) return `${year}-${b.padStart(2, '0')}-${a.padStart(2, '0')}`
    return first <= 12 && (second > 12 || first === second) ? `${year}-${a.padStart(2, '0')}-${b.padStart(2, '0')}` : whole
  })
/** A day that is not named by a date (Christmas 2025), or by one with two readings (5/6/2026). */
const unreadDay = (question: string): string | null => {
  const named = /\bon\s+(?!the\b|a\b|its\b|my\b)([A-Za-z]{3,})\s+(?:19|20)\d\d\b(?!-)/.exec(question)
  const isMonth = named !== null && /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)/i.test(named[1] ?? '')
  return /(?<![\d/])\d{1,2}\/\d{1,2}\/\d{4}(?![\d/])/.exec(question)?.[0] ?? (named === null || isMonth ? null : named[0].replace(/^on\s+/i, ''))
}

const findBadPeriod = (rest: string): string | null =>
  /(?<![\w-])\d{4}-\d{1,2}-\d{1,2}(?![\w-])/.exec(rest)?.[0] ??
  /\b(?:in|during|since|before|after|until|fiscal|year)\s+(\d{4})\b(?![.,]\d|\s*(?:shares|units|dollars|%))/i.exec(rest)?.[1] ??
  null

function formOf(text: string): string {
  const plain = text.toUpperCase()
  if (plain === 'ANNUAL REPORT') return 'annual'
  if (plain === 'QUARTERLY REPORT') return '10-Q'
  if (plain === 'CURRENT REPORT') return '8-K'
  if (plain === 'PROXY STATEMENT') return 'DEF 14A'
  return plain.replace(/^(10|8|20|40|6)-?([A-Z])$/, '$1-$2')
}
const scaleOf: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, mm: 1e6, million: 1e6, billion: 1e9 }
function moneyOf(digits = '', scale: string | undefined, sign = '', all: { value: string; currency: string | null }[]): string | null {
  const plain = digits.replaceAll(',', '')
  const factor = scale === undefined ? 1 : (scaleOf[scale.toLowerCase()] ?? 1)
  const value = factor === 1 ? plain : String(Math.round(Number(plain) * factor * 100) / 100)
  const currency = /^(?:US\$|USD)$/i.test(sign) ? 'USD' : /^(?:C\$|CA\$|CAD)$/i.test(sign) ? 'CAD' : null
  all.push({ value, currency })
  return value
}

/** The text with the read parts blanked out, of the same length. */
function blanked(text: string, spans: readonly Marked[]): string {
  return spans.reduce((left, { start, end }) => left.slice(0, start) + ' '.repeat(end - start) + left.slice(end), text)
}

type Take = (mark: string, pattern: RegExp, read: (match: RegExpExecArray) => string | null) => string[]
/** Symbols with an exchange, a dollar sign or brackets in any case; bare ones in capitals only, unless the whole question is in capitals. */
function symbolsIn(question: string, take: Take): string[] {
  const canonical = (text: string): string | null => parseSymbol(text)?.symbol ?? null
  const shouted = !/[a-z]/.test(question)
  const marked = [
    ...take('<symbol>', /\b(?:TSXV|TSX-V|TSX|NYSE|NASDAQ|AMEX|TSE|CVE)\s?:\s?([A-Za-z][A-Za-z0-9.-]{0,9})\b/gi, match =>
      canonical(match[0].replaceAll(/\s/g, '').toUpperCase()),
    ),
    ...take('<symbol>', /\b[A-Za-z][A-Za-z0-9]{0,5}(?:[.-][A-Za-z]{1,2}){0,2}(?:\.(?:TO|V|TSX|TSXV)|:(?:CA|US))(?![\w])/gi, match =>
      /^(?:U\.S|v\.)/i.test(match[0]) ? null : canonical(match[0].toUpperCase()),
    ),
    ...take('<symbol>', /\$([A-Za-z]{1,5}(?:[.-][A-Za-z]{1,2})?)\b/g, match => canonical((match[1] ?? '').toUpperCase())),
  ]
  const bare = take('<symbol>', /(?<![\w.&-])[A-Z]{1,5}(?:[.-][A-Z]{1,2})?(?![\w&])/g, match => {
    const text = match[0]
    if (acronyms.has(text) || acronyms.has(text.split(/[.-]/)[0] ?? '') || (text.length === 1 && !text.includes('-'))) return null
    if (shouted && stopwords.has(text.toLowerCase())) return null
    if (shouted && entryWords.has(stem(text.toLowerCase()))) return null
    return canonical(text)
  })
  return [...new Set([...marked, ...bare])]
}

/** Sequences of capitalised words that may be a name, longest first. */
function capitalised(question: string, spans: readonly Span[]): (Marked & { value: string })[] {
  const text = blanked(question, spans)
  const runs: (Marked & { value: string })[] = []
  const word = "[A-Z][\\p{L}'’.-]*[\\p{L}]"
  for (const match of text.matchAll(new RegExp(`${word}(?:\\s+(?:(?:&|of|and|the|de)\\s+)?${word})*`, 'gu'))) {
    const value = trimmedName(match[0].replace(/'s$/i, ''), match.index === 0 || /[.?!]\s*$/.test(text.slice(0, match.index)))
    if (value === '') continue
    const start = match.index + match[0].indexOf(value)
    runs.push({ start, end: start + value.length, mark: '<name>', value: value.replace(/[.,]+$/, '') })
  }
  return runs.sort((a, b) => b.value.length - a.value.length)
}
/** Without a first word that begins a sentence, and without words at either end that are not part of names. */
function trimmedName(text: string, first: boolean): string {
  const words = text.split(/\s+/)
  const common = (each: string | undefined): boolean => {
    const plain = (each ?? '')
      .toLowerCase()
      .replace(/'s$/, '')
      .replace(/[^\p{L}&-]/gu, '')
    return (
      plain === '' ||
      stopwords.has(plain) ||
      plain.split('-').every(each => stopwords.has(each)) ||
      acronyms.has((each ?? '').replace(/[^A-Za-z]/g, '')) ||
      plain === '&'
    )
  }
  while (words.length > 0 && common(words[0])) words.shift()
  while (words.length > 0 && common(words.at(-1))) words.pop()
  // A verb or noun of a question begins a sentence in capitals too: "Insiders of …", "Compare …".
  if (
    first &&
    words.length > 0 &&
    words.length === text.split(/\s+/).length &&
    entryWords.has(stem((words[0] ?? '').toLowerCase().replace(/'s$/, '')))
  )
    words.shift()
  while (words.length > 0 && common(words[0])) words.shift()
  if (words.length === 1 && (entryWords.has(stem((words[0] ?? '').toLowerCase())) || monthOrDay.test(words[0] ?? ''))) return ''
  return words.join(' ').replace(/'s$/, '')
}
const monthOrDay =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|thanksgiving)$/i

function tokensOf(question: string, spans: readonly Span[]): Token[] {
  const tokens: Token[] = []
  const pattern = /[\p{L}\d][\p{L}\d&/.'-]*[\p{L}\d]|[\p{L}\d]/gu
  const text = blanked(
    question,
    spans.filter(each => each.mark !== '<name>'),
  )
  for (const match of text.matchAll(pattern)) {
    const lower = match[0].toLowerCase()
    const expanded = contractions[lower] ?? lower.replace(/'s?$/, '').replace(/'(?:re|ve|ll|d|m)$/, '')
    const inName = spans.some(each => each.mark === '<name>' && match.index >= each.start && match.index < each.end)
    for (const word of expanded.split(' '))
      tokens.push({
        word: stem(word),
        spelled: null,
        start: match.index,
        end: match.index + match[0].length,
        mark: null,
        capital: /^\p{Lu}/u.test(match[0]),
        inName,
      })
  }
  for (const span of spans)
    if (span.mark !== '<name>')
      tokens.push({
        word: span.mark,
        spelled: stem(question.slice(span.start, span.end).toLowerCase()),
        start: span.start,
        end: span.end,
        mark: span.mark,
        capital: false,
        inName: false,
      })
  // Words of a form or an account count as words too: "annual report" is both.
  return tokens.sort((a, b) => a.start - b.start)
}

type Phrase = { readonly words: readonly (readonly string[] | '*')[]; readonly weight: number }
type Compiled = { readonly entry: Entry; readonly phrases: readonly Phrase[] }
const compiled: readonly Compiled[] = entries.map(entry => ({
  entry,
  phrases: entry.phrases.map(text => {
    const words = text
      .split(/\s+/)
      .map((word): readonly string[] | '*' => (word === '*' ? '*' : word.startsWith('<') ? [word] : word.split('|').map(stem)))
    const counted = words.filter(word => word !== '*').length
    return { words, weight: counted + (counted - 1) * 0.5 }
  }),
}))
const entryWords = new Set(compiled.flatMap(({ phrases }) => phrases.flatMap(({ words }) => words.flatMap(word => (word === '*' ? [] : word)))))

type Scored = { readonly entry: Entry; readonly score: number; readonly at: number; readonly places: readonly number[] }

function scoreTopics(tokens: readonly Token[]): Scored[] {
  return compiled.flatMap(({ entry, phrases }) => {
    const matches = phrases.flatMap(phrase => {
      const places = match(phrase, tokens)
      return places === null ? [] : [{ weight: phrase.weight, places }]
    })
    if (matches.length === 0) return []
    const best = matches.reduce((a, b) => (b.weight > a.weight ? b : a))
    const more = matches.filter(each => each !== best && each.places.some(place => !best.places.includes(place)))
    const extra = Math.min(
      1,
      more.reduce((sum, each) => sum + each.weight * 0.2, 0),
    )
    return [
      { entry, score: best.weight + extra + (entry.bonus ?? 0), at: best.places[0] ?? 0, places: [...new Set(matches.flatMap(each => each.places))] },
    ]
  })
}
function match({ words }: Phrase, tokens: readonly Token[]): number[] | null {
  for (let start = 0; start < tokens.length; start += 1) {
    const places = matchFrom(words, 0, tokens, start)
    if (places !== null) return places
  }
  return null
}
function matchFrom(words: Phrase['words'], index: number, tokens: readonly Token[], place: number): number[] | null {
  const word = words[index]
  if (word === undefined) return []
  if (word === '*') {
    // The words of a name are skipped as one.
    for (let [skipped, next] = [0, place]; skipped <= 4 && next <= tokens.length; next += 1) {
      const rest = matchFrom(words, index + 1, tokens, next)
      if (rest !== null) return rest
      if (tokens[next]?.inName !== true || tokens[next + 1]?.inName !== true) skipped += 1
    }
    return null
  }
  const token = tokens[place]
  if (token === undefined || !(word.includes(token.word) || (token.spelled !== null && word.includes(token.spelled)))) return null
  const rest = matchFrom(words, index + 1, tokens, place + 1)
  return rest === null ? null : [place, ...rest]
}

type Context = {
  readonly tokens: readonly Token[]
  readonly wordSet: ReadonlySet<string>
  readonly followUp: boolean
  readonly otherLine: 'US' | 'CA' | null
  readonly conversation: Conversation | null
  readonly symbols: readonly string[]
  readonly names: readonly { readonly value: string }[]
  readonly found: { readonly countries: readonly string[] }
  readonly numbers: readonly string[]
  /** A period other than today or a time ahead is named. */
  readonly ranged: boolean
  /** The question asks for a price or an amount. */
  readonly requestsAmount: boolean
  readonly pronoun: boolean
}
type Decision = Pick<Understanding, 'topic' | 'score' | 'carried'>

/** Fields that are computed over fixed spans: with a period in the question, it is about daily bars. */
const spanFields: ReadonlySet<string> = new Set([
  'return_ytd_pct',
  'return_1m_pct',
  'return_1y_pct',
  'high_52w',
  'low_52w',
  'change_1d_pct',
  'volume',
])
const superlatives = [
  'top',
  'highest',
  'lowest',
  'biggest',
  'largest',
  'smallest',
  'best',
  'worst',
  'cheapest',
  'gainer',
  'loser',
  'mover',
  'rank',
  'screen',
]
const many = ['stock', 'company', 'listing', 'name', 'etf', 'share', 'bank', 'miner', 'reit', 'issuer', 'ticker']

/** The topic: the one with the best score, after the few rules that need more than words. */
function decide(scored: readonly Scored[], context: Context): Decision {
  const scores = new Map<Topic, number>()
  for (const { entry, score } of scored) scores.set(entry.topic, Math.max(scores.get(entry.topic) ?? 0, score))
  const { conversation, symbols, names, followUp, otherLine, tokens, ranged, wordSet } = context
  const scoreOf = (topic: Topic): number => scores.get(topic) ?? 0
  const raise = (topic: Topic, by: number): void => void scores.set(topic, scoreOf(topic) + by)
  const before = (conversation?.measure ?? null) as Topic | null
  // "same for its US line": the measure stays, the line changes.
  const [top] = [...scores.entries()].sort((a, b) => b[1] - a[1])
  if (
    before !== null &&
    followUp &&
    otherLine !== null &&
    (top === undefined || top[0] === 'other_line' || top[0] === 'listing' || top[0] === 'pairs')
  )
    return { topic: before, score: 1, carried: true }
  // "What would it cost if I buy …" is a question; "buy …" is an order.
  if (context.requestsAmount) scores.delete('write')
  const named = symbols.length > 0 || names.length > 0
  const about = named || (conversation?.subject?.kind === 'listing' && !many.some(each => wordSet.has(each)))
  const statistic = scoreOf('statistic')
  const fields = scored.filter(each => each.entry.topic === 'statistic').map(each => each.entry.inputs?.['field'] ?? '')
  // A superlative without a company is a screen; with one company it is its highest and lowest price.
  if (named) raise('screen', -2)
  else if (statistic > 0 && scoreOf('screen') > 0 && (!about || superlatives.some(each => wordSet.has(each)) || many.some(each => wordSet.has(each))))
    raise('screen', statistic + 1)
  if (about && ranged && (scoreOf('history') > 0 || (statistic > 0 && fields.every(each => spanFields.has(each))))) {
    if (fields.every(each => spanFields.has(each))) scores.set('history', Math.max(scoreOf('history'), statistic) + 0.5)
  }
  // "cash" alone is a line of the balance sheet only with a company.
  if (!named && conversation?.subject?.kind !== 'listing' && !context.found.countries.length) raise('line_item', -0.5)
  if (named && scoreOf('macro') > 0 && context.found.countries.length === 0) raise('macro', -1)
  if (
    conversation?.subject?.kind === 'manager' &&
    !named &&
    ['buy', 'bought', 'sell', 'sold', 'add', 'added', 'trim', 'trimmed', 'change'].some(each => wordSet.has(each))
  )
    raise('manager_changes', 3)
  const [best] = [...scores.entries()].filter(([, score]) => score > 0.6).sort((a, b) => b[1] - a[1])
  if (best === undefined) {
    // Only a follow-up takes the topic of the conversation, and not one that is unrelated to listings if it names a listing.
    const fitting = !named || conversation?.subject?.kind === 'listing'
    if (before !== null && fitting && (followUp || context.pronoun || tokens.length <= 3)) return { topic: before, score: 0.5, carried: true }
    return named ? { topic: 'overview', score: 0.5, carried: false } : { topic: null, score: 0, carried: false }
  }
  // A word of another topic in a short follow-up does not change the topic: "and the prior year?".
  if (before !== null && followUp && best[1] <= 1.5 && tokens.length <= 5 && ['listing', 'screen', 'history', 'market_hours'].includes(best[0]))
    return { topic: before, score: best[1], carried: true }
  return { topic: best[0], score: best[1], carried: best[0] === before && followUp }
}

/** The line that a question requests by its market. */
function requestedLine(lower: string): 'US' | 'CA' | null {
  if (
    /\b(?:us|u\.s\.|american|new york|nyse|nasdaq)[- ](?:line|listing|listed|shares?|symbol|ticker|stock|one|quote|price)\b|\bin new york\b|\bon (?:the )?(?:nyse|nasdaq)\b|\bin the (?:us|u\.s\.|states)\b/.test(
      lower,
    )
  )
    return 'US'
  return /\b(?:canadian|toronto|tsx|tsxv|venture)[- ](?:line|listing|listed|shares?|symbol|ticker|stock|one|quote|price)\b|\bin toronto\b|\bon (?:the )?tsx\b|\bin canada\b/.test(
    lower,
  )
    ? 'CA'
    : null
}

/** Sequences of words that no phrase of the topic used and that may be a name, as spelled in the question: names in lower case. */
function leftOver(question: string, tokens: readonly Token[], used: ReadonlySet<number>): string[] {
  const runs: string[] = []
  let run: Token[] = []
  const close = (): void => {
    const [first, last] = [run[0], run.at(-1)]
    if (first !== undefined && last !== undefined) runs.push(question.slice(first.start, last.end).replace(/'s$/, ''))
    run = []
  }
  for (const [index, token] of tokens.entries()) {
    const { word, mark, capital } = token
    const last = run.at(-1)
    if (mark !== null || used.has(index) || stopwords.has(word) || stopwords.has(`${word}s`) || word.length < 2 || capital) close()
    else {
      if (last !== undefined && !/^\s*&?\s*$/.test(question.slice(last.end, token.start))) close()
      run.push(token)
    }
  }
  close()
  return runs.sort((a, b) => b.length - a.length)
}
