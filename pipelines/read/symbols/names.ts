// Compares names of issuers and securities: whether two are the same issuer, and the kind of an instrument.
import type { FactsOf } from '../parsed.ts'

export type InstrumentType = FactsOf<'symbols'>['type']

const legal = new Set(
  'INC INCORPORATED CORP CORPORATION CO COMPANY LTD LIMITED LIMITEE LTEE PLC SA NV AG SE AB ASA LP LLC LLP ULC TRUST THE AND OF'.split(' '),
)
/** Words that many issuers share, so that one of them in two names is no evidence. */
const common = new Set(
  'HOLDINGS HOLDING GROUP INTERNATIONAL GLOBAL CAPITAL RESOURCES RESOURCE MINING MINES MINERALS GOLD SILVER ENERGY OIL GAS PHARMACEUTICALS PHARMA THERAPEUTICS TECHNOLOGIES TECHNOLOGY FINANCIAL BANCORP BANK FUND FUNDS ETF INDEX ACQUISITION CLASS SERIES COMMON STOCK SHARES SHARE ORDINARY AMERICAN DEPOSITARY UNITS UNIT WARRANTS WARRANT PREFERRED EACH REPRESENTING ONE INCOME REAL ESTATE INVESTMENT PARTNERS CANADA CANADIAN US USA INTL NORTH SOUTH WEST EAST FIRST NATIONAL UNITED SYSTEMS SOLUTIONS INDUSTRIES PROPERTIES MANAGEMENT VENTURES CORPORATE BOND EQUITY GROWTH DIVIDEND MUNICIPAL DAILY EXPLORATION'.split(
    ' ',
  ),
)

function words(name: string): string[] {
  const plain = name
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .replaceAll('&', ' AND ')
    .replace(/['’.]/g, '')
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()
  return plain === '' ? [] : plain.split(' ')
}

/** A name without case, punctuation and legal form: `Abrasilver Resource Corp.` and `AbraSilver Resource Corporation` are one. */
export function nameKey(name: string): string {
  const all = words(name)
  const kept = all.filter(word => !legal.has(word))
  return (kept.length > 0 ? kept : all).join(' ')
}

/** The words of a name that distinguish an issuer from others. */
export function tellingWords(name: string): Set<string> {
  return new Set(words(name).filter(word => word.length > 1 && !legal.has(word) && !common.has(word)))
}

const security =
  /\b(?:new |class [a-z] |series [a-z0-9]+ |redeemable |subordinated? |cumulative |perpetual |\d+(?:\.\d+)?% )*(?:common stock|common shares?|common units?|ordinary shares?|american deposit[ao]ry|depositary shares?|units?,? (?:each )?consisting|warrants?\b|preferred|preference|rights to|shares of beneficial|subordinate voting|class [a-z] (?:common|ordinary|subordinate|shares?)|notes due|debentures due)/i

/**
 * The issuer's name inside a security's name of Nasdaq Trader: the part before ` - ` (Nasdaq) or before the kind of
 * security (NYSE and the others). Null if the two cannot be separated.
 */
export function issuerInName(name: string): string | null {
  const beginning = name.slice(0, 300)
  const dash = beginning.indexOf(' - ')
  const cut = dash > 0 ? dash : (security.exec(beginning)?.index ?? -1)
  const issuer =
    cut > 0
      ? beginning
          .slice(0, cut)
          .replace(/[\s,;-]+$/, '')
          .trim()
      : ''
  return issuer.length > 1 ? issuer : null
}

/** The class letter that a name states (`Class A Common Stock`), else an empty text. */
export const classInName = (name: string): string => /\bclass ([a-z])\b/i.exec(name.slice(0, 400))?.[1]?.toUpperCase() ?? ''

type Described = { readonly marks: readonly string[]; readonly name: string; readonly issuer: string | null }

/** The type of a United States listing by its marks, the directory's flags and the words of its name. */
export function usType({ marks, name, issuer }: Described, flags: { readonly etf: boolean; readonly nextShares: boolean }): InstrumentType {
  const text = name.slice(issuer === null ? 0 : issuer.length, 500)
  const mark = marks[0] ?? ''
  if (/\bnotes?\b.{0,40}\bdue\b|\bnotes?$|debentures?|\bbonds? due\b|\bdue \d{4}\b/i.test(text)) return 'note'
  if (mark.startsWith('WT')) return 'warrant'
  if (mark === 'RT') return 'right'
  if (mark === 'UN') return 'unit'
  if (/^P./.test(mark)) return 'preferred'
  if (flags.etf) return 'etf'
  if (flags.nextShares) return 'fund'
  if (/\bunits\b|\bunit\s*$|\bunit,/i.test(text)) return 'unit'
  if (/\bpreferred\b|\bpreference\b|\bpfd\b/i.test(text)) return 'preferred'
  if (/\bwarrants?\b/i.test(text)) return 'warrant'
  if (/\brights?\b/i.test(text)) return 'right'
  if (/american deposit[ao]ry|\bADSs?\b|\bADRs?\b/i.test(text)) return 'adr'
  if (/\bfund\b/i.test(name)) return 'fund'
  return 'common'
}

const byTmxMark: Readonly<Record<string, InstrumentType>> = {
  PR: 'preferred',
  PF: 'preferred',
  WT: 'warrant',
  WS: 'warrant',
  WR: 'warrant',
  RT: 'right',
  DB: 'note',
  NT: 'note',
  R: 'other', // subscription receipts
  IR: 'other', // instalment receipts
}
/** The type of a listing in Canada: TMX's mark decides, then the name; `.P` on TSX Venture is a capital pool company. */
export function tmxType({ marks, name, issuer }: Described, exchange: 'TO' | 'V'): InstrumentType {
  const mark = marks[0] ?? ''
  const byMark = byTmxMark[mark]
  if (byMark) return byMark
  if (mark === 'P' && exchange === 'V') return 'capital_pool'
  const text = `${issuer ?? ''} ${name}`
  if (/\bETFs?\b/i.test(text)) return 'etf'
  if (mark === 'UN') return 'trust_unit'
  return /\bfund\b/i.test(text) ? 'fund' : 'common'
}

/** TMX's lines in United States dollars end in the mark U, a second series of them in V (`ENB.PR.V`, `ZUS.V`). */
export const tmxCurrency = (marks: readonly string[]): 'USD' | 'CAD' => (['U', 'V'].includes(marks.at(-1) ?? '') ? 'USD' : 'CAD')
