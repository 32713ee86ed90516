// The spellings of a symbol. Canonical: US bare, Toronto `.TO`, TSX Venture `.V`, marks after a dash.
//
// United States marks are spelled as the SEC and Yahoo do: class `BRK-B`, preferred `BAC-PL` (`AA-P` without a series, as is the one class P, `VALE.P`),
// warrant `ACHR-WT` (`OUST-WTA`), right `GAB-RT`, unit `AACT-UN`; then `-WI` when issued, `-WD` when distributed, `-CL` called.
// Canadian marks are TMX's own with dashes for dots: `CJR-B.TO`, `BEP-UN.TO`, `HISU-U.TO`, `RY-PR-Z.TO`, `X-WT-A.TO`, `ARL-P.V`.
// `BRK.A` does not determine a country: `symbolReadings` lists the possible meanings, most likely first, for callers with a directory.

export type ExchangeCode = 'US' | 'TO' | 'V'
export type ParsedSymbol = { readonly symbol: string; readonly exchange: ExchangeCode }
/** A canonical symbol taken apart: `BAC-PL` is root `BAC` with the mark `PL`; `RY-PR-Z.TO` has the marks `PR` and `Z`. */
export type SymbolParts = { readonly root: string; readonly marks: readonly string[]; readonly exchange: ExchangeCode }

const canonicalShape = /^[A-Z0-9][A-Z0-9.-]{0,15}$/
const rootShape = /^[A-Z0-9]{1,10}$/
const exchangeNames: Readonly<Record<string, readonly ExchangeCode[]>> = {
  ...named(['US'], 'US NYSE NASDAQ NASDAQGS NASDAQGM NASDAQCM NYSEARCA NYSEAMERICAN NYSEMKT ARCA AMEX BATS CBOE IEX OTC OTCMKTS PINK'),
  ...named(['US'], 'XNYS XNAS XASE ARCX XNGS XNMS XNCM IEXG OTCM'),
  ...named(['TO'], 'TO TSX TSE TOR XTSE TRT CT'),
  ...named(['V'], 'V TSXV TSX-V TSXVENTURE CVE CDNX XTSX TRV VN'),
  ...named(['TO', 'V'], 'CA CN'), // a country only
}
function named(exchanges: readonly ExchangeCode[], names: string): Record<string, readonly ExchangeCode[]> {
  return Object.fromEntries(names.split(' ').map(name => [name, exchanges]))
}
/** Endings after a point that name an exchange. `.CN` is Yahoo's CSE and `.NE` its Cboe Canada: neither is covered. */
const dottedEndings = ['TO', 'V', 'US', 'TRT', 'TRV', 'TSX', 'TSXV', 'CA']

const suffixOf = (exchange: ExchangeCode): string => (exchange === 'US' ? '' : `.${exchange}`)

/** The exchange of a canonical symbol. */
export const exchangeOf = (symbol: string): ExchangeCode => (symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US')

/** Takes a canonical symbol apart; the inverse of `joinSymbol`. */
export function splitSymbol(symbol: string): SymbolParts {
  const exchange = exchangeOf(symbol)
  const [root = '', ...marks] = symbol.slice(0, symbol.length - suffixOf(exchange).length).split('-')
  return { root, marks, exchange }
}
/** The canonical symbol of the parts; null if it is not a valid symbol. */
export function joinSymbol({ root, marks, exchange }: SymbolParts): ParsedSymbol | null {
  const symbol = [root, ...marks].join('-') + suffixOf(exchange)
  return rootShape.test(root) && canonicalShape.test(symbol) ? { symbol, exchange } : null
}

/** The most likely symbol for any usual spelling (`tsx:ry`, `RY:CA`, `BRK/B`, `BAC$L`, `TECK.B.TO`); null if there is none. */
export function parseSymbol(text: string): ParsedSymbol | null {
  return symbolReadings(text)[0] ?? null
}

/**
 * Everything that a spelling can mean, most likely first, without repetition. Three forms are ambiguous: dotted marks (`CJR.B`), `.V` (TSX
 * Venture, else the class V of `MKC.V`), and `:CA` (either Canadian exchange).
 */
export function symbolReadings(text: string): ParsedSymbol[] {
  const trimmed = text.trim()
  if (trimmed.length === 0 || trimmed.length > 32 || !/^[\x20-\x7e]+$/.test(trimmed)) return []
  // The consolidated tape's lower-case p: `AAp`, `BACpL`. One capital before it is a phone's `Up`, not a preferred.
  const tape = /^([A-Z]{2,6})p([A-Z]?)$/.exec(trimmed) ?? /^([A-Z])p([A-Z])$/.exec(trimmed)
  if (tape) return distinct([joinSymbol({ root: tape[1]!, marks: [`P${tape[2]}`], exchange: 'US' })])
  const upper = trimmed.replace(/^\$(?=[A-Za-z])/, '').toUpperCase()
  const { exchanges, rest } = exchangeStated(upper)
  if (exchanges === null) return []
  const readings = exchanges.length > 0 ? exchanges.map(exchange => readOn(exchange, rest, true)) : readAnywhere(rest)
  if (upper.endsWith('.V') && !upper.includes(':')) readings.push(readOn('US', upper, false))
  return distinct(readings)
}

/**
 * A spelling whose exchange the document states, so that no part of the text is read as an exchange: in a US document, `MKC.V` is the class
 * V and `CBOE` a company. The suffix of the stated exchange is accepted (`RY.TO`, `AAPL.US`).
 */
export function parseSymbolOn(exchange: ExchangeCode, text: string): ParsedSymbol | null {
  const upper = text.trim().toUpperCase()
  if (upper.length > 32) return null
  const ending = `.${exchange}`
  return readOn(exchange, upper.endsWith(ending) ? upper.slice(0, -ending.length) : upper, true)
}

function distinct(readings: readonly (ParsedSymbol | null)[]): ParsedSymbol[] {
  const seen = new Map<string, ParsedSymbol>()
  for (const reading of readings) if (reading && !seen.has(reading.symbol)) seen.set(reading.symbol, reading)
  return [...seen.values()]
}

/** The exchange in a prefix, a suffix or a last word; `exchanges` is null if a colon names one that is not covered. */
function exchangeStated(text: string): { readonly exchanges: readonly ExchangeCode[] | null; readonly rest: string } {
  const colon = text.indexOf(':')
  if (colon >= 0) {
    const before = text.slice(0, colon).replaceAll(/[ _]/g, '')
    const after = text.slice(colon + 1).trim()
    // After the colon, a country decides (`CA:US` is the symbol CA); otherwise the exchange before it (`NYSE:TRV`), otherwise the one after
    // it.
    const country = ['US', 'CA', 'CN'].includes(after) && !(exchangeNames[before] && before.length > 2)
    const suffixed = country || !exchangeNames[before] ? exchangeNames[after] : undefined
    if (suffixed) return { exchanges: suffixed, rest: text.slice(0, colon).trim() }
    return withoutEnding(exchangeNames[before] ?? null, after)
  }
  const words = text.replace(/ EQUITY$/, '').split(' ')
  const last = words.length > 1 ? exchangeNames[words.at(-1)!] : undefined
  if (last && ['US', 'CN', 'CT', 'CA', 'TSX'].includes(words.at(-1)!)) return { exchanges: last, rest: words.slice(0, -1).join(' ') }
  return withoutEnding([], text)
}

/** `TSX:RY.TO` and `RY.TO`: a dotted suffix that names an exchange is removed, and decides if nothing else did. */
function withoutEnding(stated: readonly ExchangeCode[] | null, text: string): { exchanges: readonly ExchangeCode[] | null; rest: string } {
  const point = text.lastIndexOf('.')
  const ending = text.slice(point + 1)
  const named = point > 0 && dottedEndings.includes(ending) ? exchangeNames[ending]! : null
  if (!named || stated === null) return { exchanges: stated, rest: text }
  const agree = stated.length === 0 ? named : named.filter(exchange => stated.includes(exchange))
  return agree.length > 0 ? { exchanges: agree, rest: text.slice(0, point) } : { exchanges: stated, rest: text }
}

function tokensOf(text: string): { readonly root: string; readonly marks: string[]; readonly preferred: boolean } | null {
  const match = /^([A-Z0-9]{1,10})(\$?)([A-Z0-9.\-/_ ]*)$/.exec(text)
  if (!match) return null
  const [, root = '', dollar, tail = ''] = match
  const marks = tail === '' ? [] : tail.replace(/^[.\-/_ ]/, '').split(/[.\-/_ ]/)
  if (marks.length > 4 || marks.some(mark => mark === '') || (tail !== '' && dollar === '' && !/^[.\-/_ ]/.test(tail))) return null
  return { root, marks, preferred: dollar === '$' }
}

function readOn(exchange: ExchangeCode, text: string, stated: boolean): ParsedSymbol | null {
  const tokens = tokensOf(text)
  if (!tokens) return null
  const { root, preferred } = tokens
  // `AA$` has no series; `PR` alone would be read as the series R.
  const marks = preferred ? [exchange === 'US' ? 'PFD' : 'PR', ...tokens.marks] : tokens.marks
  const canonical = exchange === 'US' ? usMarks(marks) : canadianMarks(marks, stated)
  return canonical && joinSymbol({ root, marks: canonical, exchange })
}

/** Without an exchange: marks that only TMX writes with points mean Canada first, everything else the United States. */
function readAnywhere(text: string): (ParsedSymbol | null)[] {
  const us = readOn('US', text, false)
  const tail = /^[A-Z0-9]{1,10}([.\-/_ $].*)$/.exec(text)?.[1]
  if (tail === undefined) return [us]
  const toronto = readOn('TO', text, false)
  const venture = readOn('V', text, false)
  if (tail === '.P') return [venture, us, toronto]
  if (/^\.(UN|U|WT|DB|NT|PR|PF|RT)(\.[A-Z])?$/.test(tail)) return [toronto, us, venture]
  return [us, toronto, venture]
}

/** Marks of the United States in canonical form; null if they are not valid. */
function usMarks(marks: readonly string[]): string[] | null {
  const left = [...marks]
  const state = left.length > 0 && ['WI', 'WD', 'CL'].includes(left.at(-1)!) ? [left.pop()!] : []
  const [first, second, ...more] = left
  if (first === undefined) return state
  if (more.length > 0 || (second !== undefined && !/^[A-Z]$/.test(second))) return null
  const series = second ?? ''
  const match = /^(PR|PFD|WS|WT)([A-Z]?)$/.exec(first)
  // `-PR` alone is the series R (Yahoo, SEC); `PR` and a series are two tokens or one (`BAC.PR.L`, `BAC PRL`).
  if (match?.[1] === 'PR' && match[2] === '' && series === '') return ['PR', ...state]
  if (match) return series !== '' && match[2] !== '' ? null : [`${match[1]!.startsWith('P') ? 'P' : 'WT'}${match[2]}${series}`, ...state]
  if (/^P[A-Z]$/.test(first) && series === '') return [first, ...state]
  if (first === 'P') return [`P${series}`, ...state]
  if (['RT', 'RI', 'RTS', 'R'].includes(first) && series === '') return ['RT', ...state]
  if (['UN', 'UT', 'U'].includes(first) && series === '') return ['UN', ...state]
  if (first === 'W') return [`WT${series}`, ...state]
  return /^[A-Z]$/.test(first) && series === '' ? [first, ...state] : null
}

const tmxMarks = /^([A-Z]|UN|PR|PF|WT|WS|WR|RT|DB|NT|IR|SR)$/
/** TMX's marks, one per token; Yahoo's joined ones (`PZ`, `PFA`, `WTA`) are separated. Unusual ones only if the exchange is stated. */
function canadianMarks(marks: readonly string[], stated: boolean): string[] | null {
  const apart = marks.flatMap((mark, index) => {
    const joined = /^(PR|PF|WT|WS|RT|DB|NT)([A-Z])$/.exec(mark)
    if (joined) return [joined[1]!, joined[2]!]
    // Yahoo's `-PZ` is TMX's `.PR.Z`; its `-PF` and `-PR` are the series F and R unless a series follows.
    const preferred = /^P([A-Z])$/.exec(mark)
    return preferred && marks.length === 1 && index === 0 ? ['PR', preferred[1]!] : [mark]
  })
  const shape = stated ? /^[A-Z0-9]{1,3}$/ : tmxMarks
  return apart.length <= 3 && apart.every(mark => shape.test(mark)) ? apart : null
}

/**
 * Known symbols that are similar to the text, nearest first, for hints: with one or two typing errors, or with the text as beginning. Takes
 * about 20 ms for 51,000 candidates.
 */
export function nearestSymbols(text: string, candidates: Iterable<string>, limit: number): string[] {
  const wanted = (parseSymbol(text)?.symbol ?? text.trim().toUpperCase()).slice(0, 16)
  if (wanted === '') return []
  const most = wanted.length < 4 ? 1 : 2
  const near: { readonly symbol: string; readonly distance: number }[] = []
  for (const symbol of candidates) {
    const apart = Math.abs(symbol.length - wanted.length) > most ? most + 1 : slips(wanted, symbol, most)
    const distance = apart <= most ? apart : symbol.startsWith(wanted) ? most + 0.5 : null
    if (distance !== null) near.push({ symbol, distance })
  }
  near.sort((a, b) => a.distance - b.distance || a.symbol.length - b.symbol.length || (a.symbol < b.symbol ? -1 : 1))
  return near.slice(0, limit).map(({ symbol }) => symbol)
}

/** Names that are similar to the text, nearest first: with changes in at most a third of their letters, or beginning with it; in any case. */
export function nearestNames(text: string, names: readonly string[], limit: number): string[] {
  const wanted = text.trim().toLowerCase().slice(0, 100)
  if (wanted === '') return []
  const near = names.flatMap((name, place) => {
    const own = name.toLowerCase()
    const most = Math.max(1, Math.floor(own.length / 3))
    const apart = Math.abs(own.length - wanted.length) > most ? most + 1 : slips(wanted, own, most)
    const distance = apart <= most ? apart : own.startsWith(wanted) ? most + 0.5 : null
    return distance === null ? [] : [{ name, distance, place }]
  })
  return near
    .sort((a, b) => a.distance - b.distance || a.place - b.place)
    .slice(0, limit)
    .map(({ name }) => name)
}

/** Edit distance; swapped neighbouring letters count as one change. A distance above `most` is returned as `most + 1`. */
export function slips(a: string, b: string, most: number): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1)
      row.push(cost)
      least = Math.min(least, cost)
    }
    if (least > most) return most + 1
    before = above
    above = row
  }
  return above[b.length]!
}
