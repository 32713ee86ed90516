// Symbol and exchange, from a sentence or a line of the summary about the security of the issuer. The symbol of what a note is linked to
// (an index, a fund, another company's share) is not the issuer's.
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { sentencesIn } from './amounts.ts'
import type { Evident, Place } from './cover.ts'
import { stem } from './firms.ts'

const venues =
  /\b(?:The )?((?:Nasdaq|NASDAQ)(?: (?:Global Select|Global|Capital|National|Stock|SmallCap))?(?: Market)?(?:,? (?:LLC|Inc\.?))?|New York Stock Exchange|NYSE(?: (?:American|Arca|MKT|Amex|Texas))?|American Stock Exchange|Toronto Stock Exchange|TSX(?: Venture Exchange)?|Cboe(?: \w+)?|OTC(?:QB|QX| Pink)?(?: (?:Venture )?Market(?:s|place)?)?|NEO Exchange|Canadian Securities Exchange)/
export type Listed = {
  readonly symbol: string | null
  readonly exchange: string | null
  readonly listing: 'listed' | 'proposed' | 'none' | null
  readonly evidence: Evident | null
}
export type Issuer = {
  /** Its names as the document prints them. */
  readonly names: readonly string[]
  /** The offer is of notes whose payments follow an index, a fund or another company's share. */
  readonly linked: boolean
  /** What it offers, as `offerings.security` names it: of several securities the symbol of this one counts. */
  readonly security?: string | null
  /** Its title as printed: the symbol of preferred shares is not that of the common ones. */
  readonly title?: string | null
}

/** Securities that trade in addition to the issuer's shares. */
const besides: Readonly<Record<string, RegExp>> = {
  ADS: /\b(?:ADSs?|American depositary (?:shares?|receipts?))\b/gi,
  note: /\b(?:notes|debentures|bonds|ETNs)\b/gi,
  unit: /\bunits\b/gi,
  'depositary share': /\bdepositary shares?\b/gi,
}
const ofShares = /\b(?:common|ordinary|preferred|preference|capital|voting) (?:stock|shares?)\b|\bwarrants\b/i

const preferred = /\b(?:preferred|preference) (?:stock|shares?)\b/gi
const ofPreferred = /\b(?:preferred|preference)\b/i
const ofCommon = /\b(?:common|ordinary) (?:stock|shares?)\b|\bwarrants\b/i

/** The sentence gives the symbol to the security that is offered, and not to the shares that it represents or converts to. */
function isOfOffered(text: string, symbol: string, { security, title }: Issuer): boolean {
  const kind = security === 'share' && ofPreferred.test(title ?? '') ? preferred : besides[security ?? '']
  if (kind === undefined) return false
  const before = text.slice(0, Math.max(0, text.indexOf(symbol)))
  const last = [...before.matchAll(kind)].at(-1)
  return last !== undefined && !(kind === preferred ? ofCommon : ofShares).test(before.slice(last.index))
}

const kind = String.raw`(?:common (?:stock|shares?|units?)|ordinary shares?|capital stock|(?:trust )?preferred (?:stock|shares?|units?|securities)|capital securities|American depositary (?:shares?|receipts?)|depositary shares?|subordinate voting shares?|voting shares?|trust units?|limited partnership (?:units?|interests?)|common limited partner\w* interests?|stock|shares?|units?|ADSs?|ADRs?|warrants?|rights|notes?|ETNs|debentures|securities)`
const classes = String.raw`(?:(?:public |new |existing |outstanding |issued |Class [A-Z]|class [a-z]|Series [A-Z]|series [a-z]|redeemable |convertible |listed |and |[\d.]+% )\s?)*`
const ours = new RegExp(`\\b(?:our|the (?:company|registrant|corporation|partnership|trust|fund|bank|issuer)['’]s)\\s+${classes}(?:${kind})\\b`, 'i')
const theSecurity = new RegExp(`\\b(?:the|such|these)\\s+${classes}${kind}\\b`, 'i')
const ourSymbol = /\b(?:our|the company['’]s) (?:\w+ ){0,3}(?:ticker|trading|stock|proposed)? ?symbol/i
/** `the symbol “KTEA” for purposes of listing our ordinary shares` */
const listingOurs =
  /^symbol[^.]{0,20}[”"'’](?:[^.]{0,80}\b(?:listing|list|trading|quotation) (?:of )?our\b| for our (?:\w+ ){0,3}(?:stock|shares|units|ADSs|securities)\b)/i
/** `We have applied to list it`: refers to the security of the previous sentence. */
const weList = /\b(?:we|the company) (?:\w+ ){1,5}?(?:to )?(?:list|listing|have|quote)\w* (?:of )?(?:it|them)\b/i
/** The underlying of a security, and the sources of its level. */
const reference =
  /\b(?:index|indices|underlyings?(?! (?:ordinary|common|class)\b)|underliers?|market measure|reference (?:asset|stock|share|index|fund|compan\w+|issuer)|basket|bloomberg|reuters|component|constituent|etfs?|tracks?|linked)\b/i

const quotedSymbol =
  /\b(?:symbols?|tickers?)\b[^“"‘'(]{0,80}?[“"‘']\s?([A-Z][A-Z0-9]{0,5}(?:[.\-/ ][A-Z0-9]{1,3}|[ .-]?P[rR][. -]?[A-Z])?)\s?[.,;]?\s?[”"’']/
const bareSymbol =
  /\bsymbols?(?: is| of| will be)?:? (?!OTC\b|NYSE\b|NASDAQ\b|TSX\b|AND\b|THE\b|ON\b|FOR\b)([A-Z]{2,5}(?:[.\-/][A-Z]{1,3})?)(?![\w“"’])/
const inBrackets =
  /\((?:NASDAQ|Nasdaq|NYSE|AMEX|TSX|TSXV|TSX-V|OTC\w*|Cboe|CSE|NEO)(?: ?[A-Z][\w ]{0,20})?: ?[“"]?([A-Z]{1,5}(?:[.\-/][A-Z]{1,3})?)[”"]?\)/

/** Names in a sentence that issued a security: `Dow common stock`, `common stock of Apple Inc.` */
const ownerBefore = /((?:[A-Z][\w&.’'-]*\s+){1,6}?)(?=(?:Class [A-Z] )?(?:common stock|common shares|ordinary shares|ADSs|common units))/g
const ownerBehind = /\b(?:common stock|common shares|ordinary shares|ADSs|shares|units) of ((?:[A-Z][\w&.’'-]*,?\s?){1,6})/g
const noOwner =
  /^(?:(?:The|Our|Its|If|Upon|When|Shares|Class|Series|[A-Z]|Each|Such|While|Although|New|All|Of|On|Nasdaq|NYSE|Exchange|Market|Global|Select|Capital|American|Depositary|Subordinate|Voting|Company['’]s|Registrant['’]s)\s*)*$/

function ownersIn(text: string): string[] {
  return [...text.matchAll(ownerBefore), ...text.matchAll(ownerBehind)]
    .map(match => (match[1] as string).replace(/['’]s?\s*$/, '').trim())
    .filter(owner => !noOwner.test(`${owner} `) && owner.length > 1)
}

/** True if one of the names is the issuer's, or begins like it. */
function isIssuer(name: string, issuer: Issuer): boolean {
  const own = stem(name).split(' ')
  return issuer.names.some(each => {
    const other = stem(each).split(' ')
    return own[0] !== undefined && own[0].length > 1 && own[0] === other[0] && (own.length === 1 || own[1] === other[1] || other.length === 1)
  })
}

/** 2: the sentence is about the issuer's security; 1: about a security that nothing assigns to another company; 0: neither. */
function ownness(before: string, issuer: Issuer): 0 | 1 | 2 {
  const own = ours.test(before) || ourSymbol.test(before) || weList.test(before)
  const owners = ownersIn(before)
  const issuers = owners.some(owner => isIssuer(owner, issuer))
  if ((reference.test(before) && !own) || /\b(?:our|its|the) (?:\w+ )?(?:parent|guarantor|sponsor|affiliate|subsidiary|subsidiaries)\b/i.test(before))
    return 0
  if (owners.length > 0 && !issuers && !own) return 0
  if (issuer.linked) return own || issuers || /\b(?:the|these) (?:notes|ETNs|securities)\b[^.]{0,60}\b(?:listed|list|trade)/i.test(before) ? 2 : 0
  if (own || issuers) return 2
  return theSecurity.test(before) ? 1 : 0
}

/** Symbol and exchange from the sentence that names the symbol; applied for, approved or already traded. */
export function listingIn(prose: Prose, place: Place, issuer: Issuer): Listed {
  let bare: Listed | null = null
  let likely: Listed | null = null
  let sure: Listed | null = null
  for (const sentence of sentencesIn(prose.text, place.start, place.end)) {
    const { text } = sentence
    const exchange = venues.exec(text)?.[1]?.replace(/,? (?:LLC|Inc\.?)$/, '') ?? null
    const proposed =
      /\bappl(?:y|ied|ication)|\bapproved\b|\bintends?\b|\bexpects?\b|\banticipates?\b|will (?:be|begin|apply)|\bpropos|\bconditionally|\bsubject to (?:official )?notice/i.test(
        text,
      )
    const found = symbolIn(text, issuer)
    if (found !== null) {
      const listed: Listed = {
        symbol: found.symbol,
        exchange,
        listing: proposed ? 'proposed' : 'listed',
        evidence: { field: 'proposed_symbol', start: sentence.start, end: sentence.end },
      }
      if (isOfOffered(text, found.symbol, issuer)) return listed
      if (found.own === 2) sure ??= listed
      else likely ??= listed
    }
    if (reference.test(text) && issuer.linked) continue
    if (bare === null && exchange !== null && proposed && /\blist/i.test(text) && !/\bnot (?:intend|expect|plan|be)\b/i.test(text))
      bare = { symbol: null, exchange, listing: 'proposed', evidence: { field: 'exchange', start: sentence.start, end: sentence.end } }
    if (
      bare === null &&
      /\bnot (?:be )?list|no (?:established )?(?:public )?(?:trading )?market|do not intend to (?:apply|list)/i.test(text) &&
      /\bnotes\b/i.test(text)
    )
      bare = { symbol: null, exchange: null, listing: 'none', evidence: { field: 'exchange', start: sentence.start, end: sentence.end } }
  }
  return sure ?? likely ?? bare ?? { symbol: null, exchange: null, listing: null, evidence: null }
}

/** `The trading or “ticker” symbol of the Common Shares is “WMI”`, `The symbol for the units is WCF.U`: the security follows the word. */
const symbolOf =
  /\b(?:[Tt]he|[Ii]ts|[Oo]ur) (?:[\w“”"]+ ){0,4}symbols? (?:of|for) ((?:the|our|its)(?: [\w’'-]+){1,6}?) (?:is|will be|are|shall be) [“"]?\s?([A-Z]{1,6}(?:[.\-/][A-Z]{1,3})?)[.,]?\s?[”"]?(?=$|[\s,;.])/

/** The first symbol in a sentence about the issuer's security; a line of the summary (`Nasdaq symbol`, `“VIGL”`) can have no other. */
function symbolIn(text: string, issuer: Issuer): { readonly symbol: string; readonly own: 1 | 2 } | null {
  const line =
    /^((?:proposed |trading |ticker |stock )*[\w ,()&-]{0,60}?(?:trading |ticker |stock )?symbols?[\w ,()&-]{0,40}):?\t\s*(.{1,160})$/i.exec(text)
  if (line?.[1] !== undefined && line[2] !== undefined && !issuer.linked && !reference.test(text)) {
    const symbol =
      /^[^“"A-Z]{0,20}[“"]?\s?([A-Z]{1,6}(?:[.\-/][A-Z]{1,3})?)[.,]?[”"]?(?:$|[\s,;.])/.exec(line[2])?.[1] ??
      /[“"]([A-Z]{1,6}(?:[.\-/ ][A-Z]{1,3})?)[.,]?[”"]/.exec(line[2])?.[1]
    const owners = ownersIn(line[2])
    if (symbol !== undefined && !/^(?:NYSE|NASDAQ|OTC|TSX|THE|NONE|N\/A)$/.test(symbol) && owners.every(owner => isIssuer(owner, issuer)))
      return { symbol, own: 1 }
  }
  const named = symbolOf.exec(text)
  if (named?.[1] !== undefined && named[2] !== undefined) {
    const own = ownness(named[1], issuer)
    if (own > 0 && !reference.test(text)) return { symbol: named[2], own: own as 1 | 2 }
  }
  for (const match of text.matchAll(new RegExp(quotedSymbol, 'g'))) {
    const before = text.slice(0, match.index)
    const own = ownness(before, issuer) || (listingOurs.test(text.slice(match.index)) && !reference.test(before) ? 2 : 0)
    if (own > 0 && match[1] !== undefined) return { symbol: match[1].trim(), own: own as 1 | 2 }
  }
  // In a text of capitals, every word looks like a symbol.
  const small = text.replace(/[^a-z]/g, '').length
  const match = small > text.length / 3 ? (bareSymbol.exec(text) ?? inBrackets.exec(text)) : null
  if (match?.[1] === undefined) return null
  const before = text.slice(0, match.index)
  const own = match[0].startsWith('(')
    ? ours.test(before.slice(-90)) || issuer.names.some(name => before.trimEnd().endsWith(name))
      ? 2
      : 0
    : ownness(before, issuer)
  return own > 0 ? { symbol: match[1], own: own as 1 | 2 } : null
}
