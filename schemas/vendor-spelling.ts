// The spelling of a canonical symbol at each vendor, and back. Nasdaq Trader's three columns follow its table "Ticker Symbol Convention"
// (CQS, NASDAQ Integrated Platform and ACT suffixes). Tiingo's marks were read from its list of 2019-10, the SEC's from
// company_tickers.json. Debentures and warrants of Canada at Yahoo and EODHD follow their preferreds by analogy.
import { type ExchangeCode, joinSymbol, type ParsedSymbol, parseSymbol, parseSymbolOn, splitSymbol } from './spelling.ts'

export type Spelling = {
  /** The vendor's spelling of a canonical symbol; null if the vendor does not cover its exchange. */
  readonly write: (symbol: string) => string | null
  /** The canonical symbol of the vendor's spelling; null if it is not valid. */
  readonly read: (text: string) => ParsedSymbol | null
}

type UsMark =
  | { readonly kind: 'class' | 'preferred' | 'warrant'; readonly letter: string; readonly state: string }
  | { readonly kind: 'right' | 'unit' | 'share'; readonly letter: ''; readonly state: string }

/** The meaning of the marks of a canonical United States symbol. */
function usMark(marks: readonly string[]): UsMark {
  const left = [...marks]
  const state = ['WI', 'WD', 'CL'].includes(left.at(-1) ?? '') ? left.pop()! : ''
  const mark = left[0]
  if (mark === undefined) return { kind: 'share', letter: '', state }
  if (mark.startsWith('WT')) return { kind: 'warrant', letter: mark.slice(2), state }
  if (mark === 'RT') return { kind: 'right', letter: '', state }
  if (mark === 'UN') return { kind: 'unit', letter: '', state }
  if (mark.startsWith('P')) return { kind: 'preferred', letter: mark.slice(1), state }
  return { kind: 'class', letter: mark, state }
}

/** Marks by kind, then the state. `?` is the letter; if a mark without a letter has another form, that form is first. */
type Writing = Readonly<Record<'class' | 'preferred' | 'warrant' | 'right' | 'unit' | 'WI' | 'WD' | 'CL', string>>
function usWriter(writing: Writing): (symbol: string) => string | null {
  return symbol => {
    const { root, marks, exchange } = splitSymbol(symbol)
    if (exchange !== 'US') return null
    const { kind, letter, state } = usMark(marks)
    const [bare = '', lettered = bare] = kind === 'share' ? [] : writing[kind].split('|')
    return root + (letter === '' ? bare : lettered).replace('?', letter) + (state === '' ? '' : writing[state as 'WI' | 'WD' | 'CL'])
  }
}

/** Reads a suffix table whose marks are single signs: `BAC-L`, `ACHR+`, `PSB-T*`. */
function usReader(pattern: RegExp, kinds: Readonly<Record<string, string>>, states: Readonly<Record<string, string>>) {
  return (text: string): ParsedSymbol | null => {
    const match = pattern.exec(text.trim())
    if (!match) return null
    const [, root = '', kind = '', letter = '', state = ''] = match
    const mark = kind === '' ? (letter === '' ? [] : null) : [(kinds[kind] ?? '') + letter]
    if (mark === null || mark[0] === '') return null
    return joinSymbol({ root, marks: [...mark, ...(state === '' ? [] : [states[state] ?? state])], exchange: 'US' })
  }
}

/** The `NASDAQ Symbol` column, the least ambiguous of the three: `BRK.B`, `BAC-L`, `AA-`, `ACHR+`, `GAB^`, `AACT=`, `LDOS#`. */
export const nasdaqIntegrated: Spelling = {
  write: usWriter({ class: '.?', preferred: '-|-?', warrant: '+|+?', right: '^', unit: '=', WI: '#', WD: '$', CL: '*' }),
  read: usReader(
    /^([A-Z0-9]{1,10})([.+^=-]?)([A-Z]?)([#$*]?)$/,
    { '.': '', '-': 'P', '+': 'WT', '^': 'RT', '=': 'UN' },
    { '#': 'WI', $: 'WD', '*': 'CL' },
  ),
}

/**
 * The `ACT Symbol` column: `BRK.B`, `BAC$L`, `AA$`, `ACHR.W`, `GAB.R`, `AACT.U`. It contains less than the other two columns: `.V` is a
 * class V (`MKC.V`) or when issued, `.A` a class A or the first of several warrants (`BAC.A`), and a called line has no mark. Without the
 * other columns it is read as the class.
 */
export const nasdaqAct: Spelling = {
  write: usWriter({ class: '.?', preferred: '$|$?', warrant: '.W|.?', right: '.R', unit: '.U', WI: '.V', WD: '.Z', CL: '' }),
  read: text => (/^[A-Z0-9]+([.$][A-Z]?)?[A-Z]?$/.test(text.trim()) ? parseSymbolOn('US', text) : null),
}

/** The `CQS Symbol` column: `BRK.B` (until 2017 `BRK/B`), `BACpL`, `AAp`, `ACHR.WS`, `GABr`, `AACT.U`, `LDOSw`, `PSBpT.CL`. */
export const cqs: Spelling = {
  write: usWriter({ class: '.?', preferred: 'p|p?', warrant: '.WS|.WS.?', right: 'r', unit: '.U', WI: 'w', WD: '.WD', CL: '.CL' }),
  read: text => {
    const match = /^([A-Z0-9]{1,10})(p[A-Z]?|r|[./](?:WS(?:[./]?[A-Z])?|[A-Z]))?(w|[./](?:CL|WD))?$/.exec(text.trim())
    if (!match) return null
    const [, root = '', mark = '', state = ''] = match
    const bare = mark.replaceAll(/[./]/g, '')
    const warrant = bare.startsWith('WS') ? `WT${bare.slice(2)}` : bare
    const marks = bare === '' ? [] : [bare === 'r' ? 'RT' : bare === 'U' ? 'UN' : warrant.replace(/^p/, 'P')]
    return joinSymbol({ root, marks: [...marks, ...(state === '' ? [] : [state === 'w' ? 'WI' : state.slice(1)])], exchange: 'US' })
  },
}

const tiingoMarks: Writing = { class: '-?', preferred: '-P|-P-?', warrant: '-WS|-WS-?', right: '-R', unit: '-U', WI: '-W', WD: '-WD', CL: '-CL' }
const writeTiingo = usWriter(tiingoMarks)
/** Lower case with dashes, `-p-a`, `-ws`, `-u`, `-r`; `-W` and `-WI` are when issued (AA-W of October 2016). */
export const tiingo: Spelling = {
  write: symbol => writeTiingo(symbol)?.toLowerCase() ?? null,
  read: text => {
    const upper = text.trim().toUpperCase()
    if (!/^[A-Z0-9]{1,10}([-.][A-Z]{1,2}){0,3}$/.test(upper)) return null
    return parseSymbolOn('US', upper.replace(/-W$/, '-WI'))
  },
}

/** The SEC's company_tickers.json: the canonical spelling of the United States itself. */
export const sec: Spelling = {
  write: symbol => (splitSymbol(symbol).exchange === 'US' ? symbol : null),
  read: text => parseSymbolOn('US', text),
}

/** Yahoo joins a Canadian mark with its series: `RY-PZ.TO`, `ENB-PFA.TO`; rights of the United States are `-RI`. */
export const yahoo: Spelling = {
  write: symbol => {
    const { root, marks, exchange } = splitSymbol(symbol)
    if (exchange === 'US') return symbol.replace(/-RT(?=$|-)/, '-RI')
    return `${[root, ...joinedMarks(marks)].join('-')}.${exchange}`
  },
  read: parseSymbol,
}
function joinedMarks(marks: readonly string[]): readonly string[] {
  const [mark, series, ...more] = marks
  if (mark === undefined || series === undefined || more.length > 0 || series.length > 1) return marks
  return [(mark === 'PR' ? 'P' : mark) + series]
}

/** EODHD: `BRK-B.US`, `RY.TO`, `ARL-P.V`, the marks as Yahoo's. */
export const eodhd: Spelling = {
  write: symbol => {
    const written = yahoo.write(symbol)
    return written !== null && splitSymbol(symbol).exchange === 'US' ? `${written}.US` : written
  },
  read: text => (/\.(US|TO|V)$/i.test(text.trim()) ? parseSymbol(text) : null),
}

/** Alpha Vantage: `SHOP.TRT`, `ARL-P.TRV`, United States marks as Tiingo's in capitals. */
export const alphaVantage: Spelling = {
  write: symbol => {
    const { exchange } = splitSymbol(symbol)
    return exchange === 'US' ? writeTiingo(symbol) : (yahoo.write(symbol)?.replace(/\.(TO|V)$/, exchange === 'TO' ? '.TRT' : '.TRV') ?? null)
  },
  read: text => (/\.TR[TV]$/i.test(text.trim()) ? parseSymbol(text) : tiingo.read(text)),
}

/** TMX prints points and no exchange: `CJR.B`, `ARL.P`; the document states the exchange. */
export function readTmx(text: string, exchange: Exclude<ExchangeCode, 'US'>): ParsedSymbol | null {
  const match = /^([A-Z0-9]{1,10})((?:\.[A-Z0-9]{1,3}){0,3})$/.exec(text.trim())
  return match && joinSymbol({ root: match[1]!, marks: match[2]!.split('.').slice(1), exchange })
}
/** The symbol as TMX prints it, without its exchange; null for the United States. */
export function writeTmx(symbol: string): string | null {
  const { root, marks, exchange } = splitSymbol(symbol)
  return exchange === 'US' ? null : [root, ...marks].join('.')
}
