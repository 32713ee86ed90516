// The meaning of a question: topic, inputs, subjects and period, read by the lexicon and by patterns, without a call.

import type { Conversation } from '#schemas/assistant.ts'
import { utcDay } from '#schemas/days.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type Decision, decide } from './decide-topic.ts'
import { definitionIn } from './definitions.ts'
import { stopwords, type Topic } from './lexicon.ts'
import { type FoundPeriod, findPeriods } from './periods.ts'
import { entryWords, isKnown, meantBy, scoreTopics } from './score-topics.ts'
import { acronyms } from './symbol-words.ts'
import { blanked, type Marked, type Span, stem, type Token, tokensOf } from './tokens.ts'
import { accounts, countries, provinces, standards, states } from './vocabulary.ts'

export type Understanding = {
  readonly question: string
  readonly topic: Topic | null
  readonly score: number
  /** The topic was taken from the previous question. */
  readonly carried: boolean
  readonly fields: readonly string[]
  /** Where the question names each of `fields`: the offset of its first word. */
  readonly fieldPlaces: ReadonlyMap<string, number>
  readonly items: readonly string[]
  /** Item numbers of Form 8-K for the events that the question names. */
  readonly events: readonly string[]
  readonly indicators: readonly string[]
  /** Symbols as spelled in the question, canonical. */
  readonly symbols: readonly string[]
  /** Names to look up, most likely first: capitalised words, then the remaining words. */
  readonly names: readonly string[]
  /** Words that belong to no question: names, and what is misspelled. With their places. */
  readonly unknown: readonly Unknown[]
  /** Names and symbols that were looked up and found. */
  readonly located: readonly string[]
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

/** A part of a question that the directories know: the words of a company's name, a symbol in lower case, or a manager of 13F filings. */
export type Located = { readonly start: number; readonly end: number; readonly kind: 'company' | 'symbol' | 'manager'; readonly value: string }

/** The parts of a question with a form of their own: each span is read once, by the first pattern that fits. */
function readSpans(question: string, now: Date, conversation: Conversation | null, located: readonly Located[]) {
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
  const ciks = take('<cik>', /\b(?:CIK\s*#?\s*(\d{1,10})|(?:manager|filer)\s+#?(\d{6,10}))\b/gi, match =>
    (match[1] ?? match[2] ?? '').padStart(10, '0'),
  )
  const forms = take(
    '<form>',
    /\b(10-?[KQ]|8-?K|20-?F|40-?F|6-?K|[SF]-[134](?![\d.])|424B\d|DEF 14A|proxy statement|annual (?:report|filing)|yearly (?:report|filing)|quarterly (?:report|filing)|current report)s?\b(?:\/A)?/gi,
    match => formOf(match[1] ?? ''),
  )
  take('<rule>', /\b(?:rule\s*)?(50[46]\s?\(?[bc]?\)?|reg(?:ulation)? [ad]\+?)(?=\s|$|[.,?])/gi, match => match[0])
  for (const { start, end, kind, value } of located) if (kind === 'symbol') spans.push({ start, end, mark: '<symbol>', value })
  const symbols = [...symbolsIn(question, take), ...located.flatMap(({ kind, value }) => (kind === 'symbol' ? [value] : []))]
  for (const { start, end, kind, value } of located) {
    if (kind === 'company') spans.push({ start, end, mark: '<name>', value })
    if (kind === 'manager') spans.push({ start, end, mark: '<manager>', value })
  }
  const periodless = [...spans]
  const read = findPeriods(blanked(question, spans), utcDay(now)).map(each => relativeTo(each, conversation?.period ?? null))
  const badPeriod = unreadDay(question) ?? findBadPeriod(blanked(question, [...spans, ...read.map(each => ({ ...each, mark: '' }))]))
  for (const period of read) spans.push({ start: period.start, end: period.end, mark: '<period>', value: period.words })
  const countedShares = take(
    '<count>',
    /\b(\d[\d,]*(?:\.\d+)?)(?:\s*(?:more\s+)?(?:shares?|units?)\b|(?=\s+(?:flow[- ]?throughs?|fts|[A-Z.]{2,8}\s+shares?)\b))/gi,
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
  return { spans, receipt, accession, ciks, forms, symbols, read, periodless, badPeriod, countedShares, money, found, numbers }
}

const isManager = ({ value }: Span): boolean =>
  /\b(?:capital|management|advisors?|advisers|partners|asset|fund|investments?|advisory)\b/i.test(value) && !/\b(?:power|income)\b/i.test(value)

/** `located`: parts of the question that were looked up as names after a first reading. */
export function understand(requested: string, now: Date, conversation: Conversation | null, located: readonly Located[] = []): Understanding {
  const question = withDays(withDigits(requested.normalize('NFKC')))
    .replaceAll(/[‘’ʼ]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‐‑‒]/g, '-')
  const { spans, receipt, accession, ciks, forms, symbols, read, periodless, badPeriod, countedShares, money, found, numbers } = readSpans(
    question,
    now,
    conversation,
    located,
  )
  const capitals = capitalised(question, spans)
  const names: Span[] = [...capitals, ...spans.filter(each => each.mark === '<name>')]
  const managers = capitals.filter(isManager)
  for (const manager of managers) spans.push({ ...manager, mark: '<manager>' })
  for (const name of capitals) if (!managers.includes(name)) spans.push({ ...name, mark: '<name>' })
  const tokens = tokensOf(question, spans, meantBy)
  const scored = scoreTopics(tokens)
  const unknown = unknownRuns(question, tokens)
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
  const best = topicOf(question, scored, {
    tokens,
    wordSet,
    followUp,
    otherLine,
    conversation,
    symbols,
    names,
    found,
    numbers,
    ranged: read.some(each => each.kind !== 'ahead' && each.from !== utcDay(now)),
    requestsAmount: /\b(?:how much|what (?:would|do|does|is|are)|cost|worth|if i)\b/i.test(question),
    pronoun,
    strangers: unknown.some(each => !each.meant && each.text.length >= 4),
  })
  // A calendar is of days ahead: a day without a year is the next one.
  const periods = calendars.has(best.topic) ? findPeriods(blanked(question, periodless), utcDay(now), true) : read
  const chosen = scored.filter(each => each.entry.topic === best.topic)
  const used = new Set(chosen.flatMap(each => each.places))
  return {
    question,
    ...best,
    fields: inputsOf(scored, 'field', 'statistic'),
    fieldPlaces: placesOf(scored, tokens),
    items: inputsOf(scored, 'item', 'line_item'),
    events: inputsOf(scored, 'event', 'filings'),
    indicators: inputsOf(scored, 'indicator', 'macro'),
    symbols,
    names: [...names, ...located.filter(each => each.kind === 'manager')].map(each => each.value).concat(leftOver(question, tokens, used)),
    unknown,
    located: located.map(each => each.value),
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
    ...unusedOf(tokens, used),
  }
}
/** The topic of the question: the meaning of a term if the whole question asks for it, else what its words fit best. */
const topicOf = (question: string, ...given: Parameters<typeof decide>): Decision =>
  definitionIn(question) === null ? decide(...given) : { topic: 'definition', score: 3, carried: false }

/** Where the question names each field of the screener: the offset of the first word of its phrase. */
const placesOf = (scored: ReturnType<typeof scoreTopics>, tokens: readonly Token[]): ReadonlyMap<string, number> =>
  new Map(
    scored.flatMap(({ entry, at }) => {
      const field = entry.topic === 'statistic' ? entry.inputs?.['field'] : undefined
      return field === undefined ? [] : [[field, tokens[at]?.start ?? 0] as const]
    }),
  )
/** The values of an input of the phrases of a topic, in the order of the question. */
const inputsOf = (scored: ReturnType<typeof scoreTopics>, name: string, topic: Topic): string[] => [
  ...new Set(
    scored
      .filter(each => each.entry.topic === topic && each.entry.inputs?.[name] !== undefined)
      .sort((a, b) => a.at - b.at)
      .map(each => each.entry.inputs?.[name] ?? ''),
  ),
]
/** Words and numbers that no phrase of the topic used. */
function unusedOf(tokens: readonly Token[], used: ReadonlySet<number>): Pick<Understanding, 'unread' | 'loose'> {
  return {
    unread: tokens.flatMap(({ word, mark, inName }, at) =>
      mark !== null || inName || used.has(at) || word.length < 2 || stopwords.has(word) || stopwords.has(`${word}s`) || entryGlue.has(word)
        ? []
        : [word],
    ),
    loose: tokens.flatMap(({ mark, spelled }, at) => (mark === '<num>' && !used.has(at) && spelled !== null ? [spelled] : [])),
  }
}
const calendars: ReadonlySet<Topic | null> = new Set<Topic | null>(['report_calendar', 'economic_calendar', 'ipo_calendar', 'market_hours'])
/** "The year before" is relative to the year of the previous answer, if it was about one. */
function relativeTo(period: FoundPeriod, before: Conversation['period']): FoundPeriod {
  const year = before?.from?.slice(0, 4)
  if (year === undefined || !/^(?:the year before(?: that)?|a year earlier|previous year|prior year)$/i.test(period.words)) return period
  const wanted = Number(year) - 1
  return { ...period, from: `${wanted}-01-01`, to: `${wanted}-12-31` }
}
/** Words around a name without a meaning of their topic. */
const entryGlue = new Set(['stock', 'share', 'company', 'ticker', 'about', 'please', 'info', 'detail'])

const countWords =
  'one two three four five six seven eight nine ten eleven twelve fifteen twenty twenty-five thirty forty fifty sixty seventy eighty ninety hundred'.split(
    ' ',
  )
const counts: Readonly<Record<string, string>> = Object.fromEntries(
  countWords.map((word, at) => [word, String(at < 12 ? at + 1 : [15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100][at - 12])]),
)
const comparison = new RegExp(
  `\\b(above|over|below|under|than|at least|at most|exceeding|exceeds|between|top|first|best|largest|biggest)\\s+(${[...countWords].sort((a, b) => b.length - a.length).join('|')})\\b(?![- ](?:day|week|month|year|quarter|session|minute|hundred|thousand))`,
  'gi',
)
/** Writes number words after a comparison as digits: "above five percent". */
const withDigits = (text: string): string =>
  text.replace(comparison, (_whole, before: string, word: string) => `${before} ${counts[word.toLowerCase()]}`)

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
  if (/^(?:ANNUAL|YEARLY) /.test(plain)) return 'annual'
  if (/^QUARTERLY /.test(plain)) return '10-Q'
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
    if (shouted && entryWords().has(stem(text.toLowerCase()))) return null
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
    entryWords().has(stem((words[0] ?? '').toLowerCase().replace(/'s$/, '')))
  )
    words.shift()
  while (words.length > 0 && common(words[0])) words.shift()
  if (words.length === 1 && (entryWords().has(stem((words[0] ?? '').toLowerCase())) || monthOrDay.test(words[0] ?? ''))) return ''
  return words.join(' ').replace(/'s$/, '')
}
const monthOrDay =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|thanksgiving)$/i

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

export type Unknown = { readonly start: number; readonly end: number; readonly text: string; readonly meant: boolean }
/** Sequences of words that no phrase contains and that are not common in questions, as spelled in the question. */
function unknownRuns(question: string, tokens: readonly Token[]): Unknown[] {
  const runs: Unknown[] = []
  for (const token of tokens) {
    const { start, end, mark, inName, word, meant } = token
    const text = question.slice(start, end)
    if (mark !== null || inName || word.length < 2 || /^\d/.test(word) || isKnown(text.toLowerCase().replace(/'s?$/, ''))) continue
    const last = runs.at(-1)
    if (last !== undefined && /^\s*&?\s*$/.test(question.slice(last.end, start)))
      runs[runs.length - 1] = { start: last.start, end, text: question.slice(last.start, end), meant: last.meant && meant !== null }
    else runs.push({ start, end, text, meant: meant !== null })
  }
  return runs
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
