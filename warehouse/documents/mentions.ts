// Symbols and names of issuers as a document prints them; answer.ts looks up their listings.

export type PrintedSymbol = {
  readonly printed: string
  readonly venue: string
  readonly ticker: string
  readonly page: number
  readonly start: number
  readonly end: number
}
export type PrintedIssuer = {
  readonly printed: string
  /** The ticker in brackets after the name, as `VENUE: TICKER`. */
  readonly behind: PrintedSymbol | null
  readonly mentions: number
  readonly page: number
  readonly start: number
  readonly end: number
}
const most = 500
const venue = String.raw`TSX[\s.-]?V(?:enture)?(?:\sExchange)?|TSX\sVenture\sExchange|TSXV|TSX|NYSE\s(?:American|Arca|MKT)|NYSE|NASDAQ(?:\s?(?:GS|GM|CM))?|Nasdaq|AMEX|OTCQX|OTCQB|OTC(?:\sPink)?|CSE|CNSX|NEO|Cboe\sCanada|ASX|LSE|AIM|FSE|FRA|FWB|Frankfurt|JSE|BVL`
const symbolPattern = new RegExp(
  String.raw`\b(?<venue>${venue})(?:\sand\s(?:${venue}))?\s?[:–-]\s?[“"']?(?<ticker>[A-Z0-9]{1,6}(?:[.-][A-Z]{1,3})?)\b`,
  'g',
)

export function symbolsIn(text: string, page: number, start: number): PrintedSymbol[] {
  return [...text.matchAll(symbolPattern)].map(match => ({
    printed: match[0],
    venue: match.groups?.['venue'] ?? '',
    ticker: match.groups?.['ticker'] ?? '',
    page,
    start: start + match.index,
    end: start + match.index + match[0].length,
  }))
}

const form = String.raw`(?:Incorporated|Inc|Corporation|Corp|Limited|Ltd|Lt[ée]e|PLC|plc|LLC|LLP|L\.P\.|ULC|N\.V\.|S\.A\.|AG|SE)`
const word = String.raw`(?:[A-Z0-9À-Þ][\w&À-ÿ’'.-]*|&)`
const issuerPattern = new RegExp(String.raw`(?<![\w.])${word}(?:\s(?:${word}|of|de|du|the|and)){0,6}?,?\s${form}\b\.?`, 'g')

/** The length of the years of a copyright notice in front of a name: `© 2001-2022 Free Software Foundation, Inc.` */
function copyrightYears(text: string, at: number, name: string): number {
  const years = /^(?:(?:19|20)\d\d[\s,–-]*)+\s(?=\S+\s)/.exec(name)?.[0].length ?? 0
  // Some fonts draw the copyright sign in two parts, which are read as "©c".
  return /(?:©|\bcopyright)[^\p{L}]{0,4}c?[^\p{L}]*$|\(c\)[\s\d,–-]*$/iu.test(text.slice(Math.max(0, at - 60), at)) ? years : 0
}

/** Names that end with a legal form, each once with the number of its mentions. */
export function issuersIn(
  texts: readonly { readonly text: string; readonly page: number; readonly start: number }[],
  symbols: readonly PrintedSymbol[],
): PrintedIssuer[] {
  const found = new Map<string, PrintedIssuer>()
  for (const { text, page, start } of texts)
    for (const match of text.matchAll(issuerPattern)) {
      const skipped = copyrightYears(text, match.index, match[0])
      const printed = match[0].slice(skipped).replace(/\s+/g, ' ')
      const key = printed.toLowerCase().replace(/[.,]/g, '')
      const known = found.get(key)
      const end = match.index + match[0].length
      // The bracket directly after the name: `Timberline Gold Corp. (TSX-V: TMB; OTCQX: TMBXF)`.
      const behind =
        symbols.find(
          each => each.page === page && each.start >= start + end && each.start - (start + end) <= 24 && /^[\s,]{0,3}\(/.test(text.slice(end)),
        ) ?? null
      if (known) found.set(key, { ...known, mentions: known.mentions + 1, behind: known.behind ?? behind })
      else if (found.size < most) found.set(key, { printed, behind, mentions: 1, page, start: start + match.index + skipped, end: start + end })
    }
  return [...found.values()]
}
