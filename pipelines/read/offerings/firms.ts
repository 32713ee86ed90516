// Names of firms that sell securities: which text is one, where a text names them, and when two names refer to the same firm.

export type Mention = { readonly name: string; readonly start: number; readonly end: number }

/** Legal forms at the end of a name: `LLC`, `Inc.`, `L.P.`, `& Co.` … */
const legalForm = String.raw`(?:L\.?\s?L\.?\s?C\b\.?|L\.?L\.?P\b\.?|L\.?P\b\.?|Inc(?:orporated\b|\b\.?)|INC(?:ORPORATED\b|\b\.?)|Corp(?:oration\b|\b\.?)|CORP(?:ORATION\b|\b\.?)|Ltd\b\.?|LTD\b\.?|Limited\b|LIMITED\b|Co\b\.?|CO\b\.?|Company\b|COMPANY\b|PLC\b|plc\b|p\.l\.c\.|N\.A\.|N\.V\.|AG\b|S\.A\.|SE\b|GmbH\b|ULC\b|A\/S\b|ASA\b|AB\b|B\.S\.C\.|PJSC\b|P\.J\.S\.C\.|S\.p\.A\.|K\.K\.|B\.V\.|Plc\b|National Association\b)`
/** Forms with which no heading, caption or kind of security ends, unlike `Company` and `Limited`. */
const ownForm =
  /[\s,](?:L\.?L\.?C\.?|Inc\.?|INC\.?|Incorporated|INCORPORATED|Corp\.?|CORP\.?|L\.?P\.?|L\.?L\.?P\.?|Ltd\.?|LTD\.?|PLC|plc|AG|N\.V\.|S\.A\.)$/
const endsInForm = new RegExp(`(?:^|[\\s,&.])${legalForm}$`)

/** Last words of the names of dealers and banks without a legal form: `Brookline Capital Markets`, `Tungsten Advisors`. */
const trade =
  /\b(?:Securities|SECURITIES|Capital(?: Markets?| Partners| Group| Securities)?|CAPITAL(?: MARKETS?| PARTNERS)?|Markets|MARKETS|Partners|PARTNERS|Advisors|Advisers|ADVISORS|Bank|BANK|Bancorp|Investments|Financial(?: Services| Group| Markets)?|FINANCIAL|Group|GROUP|Associates|Brothers|BROTHERS|Equities|Brokers(?:age)?|Investment Bank(?:ing)?)$/

/** Firms whose short names on covers show neither a form nor a trade. Compared as letters and digits only. */
const houses = new RegExp(
  `^(?:${[
    'jpmorgan|goldmansachs|morganstanley|bofa|merrilllynch|citi|citigroup|barclays|creditsuisse|deutschebank|ubs|wellsfargo|rbc|td|tdcowen|cowen|bmo',
    'cibc|scotiabank|hsbc|bnpparibas|societegenerale|creditagricole|creditagricolecib|natixis|ing|santander|bbva|mizuho|mufg|scotia|smbc|smbcnikko|nomura|daiwa',
    'jefferies|leerink|svbleerink|pipersandler|piperjaffray|williamblair|stifel|raymondjames|baird|rwbaird|evercore|evercoreisi|lazard|moelis|pjtpartners',
    'guggenheim|oppenheimer|oppenheimerco|needham|needhamcompany|btig|cantor|cantorfitzgerald|canaccordgenuity|keybanc|truist|suntrust|huntington|citizens',
    'usbancorp|capitalone|keefebruyettewoods|kbw|sandleroneill|stephens|janney|janneymontgomeryscott|hovde|dadavidson|ladenburgthalmann',
    'northland|craighallum|lakestreet|roth|rothmkm|maxim|thinkequity|aegis|hcwainwright|agp|agpallianceglobalpartners|allianceglobalpartners|efhutton',
    'kingswood|benchmark|chardan|earlybirdcapital|imperial|briley|brileyfbr|fbr|jmp|jmpsecurities|wedbush|compasspoint|berenberg|bernstein',
    'academy|macquarie|clarksons|dnbmarkets|dnb|nordea|seb|pareto|danskebank|commerzbank|unicredit|rabobank|abnamro|lloyds|natwest|rbs|standardchartered',
    'dbs|icbc|haitong|cicc|clsa|futu|noble|simmons|clearstreet|lucid|univest|boustead|spartan|dboral|westpark|josephgunnar|viewtrade|dominari|newbridge',
    'lehmanbrothers|bearstearns|salomonbrothers|salomonsmithbarney|smithbarney|donaldsonlufkinjenrette|dlj|painewebber|deanwitter|kidderpeabody|dillonread',
    'hambrechtquist|robertsonstephens|alexbrown|alexbrownsons|btalexbrown|firstboston|csfirstboston|creditsuissefirstboston|wachovia|agedwards|leggmason',
    'thomasweisel|sgcowen|ubswarburg|dainrauscher|morgankeegan|furmanselz|bnpparibasexane|eightcapital|cormark|desjardins|peterscolimited|sprott',
  ].join('|')})$`,
)

/** Firms named after several families, which commas separate as they separate two firms. */
const withCommas =
  /(?<![\w&])(?:Merrill Lynch, Pierce, Fenner|Keefe, Bruyette|Stifel, Nicolaus|Goldman, Sachs|Bear, Stearns|Donaldson, Lufkin|Kidder, Peabody|Dillon, Read|Robertson, Stephens|Hambrecht, Quist|Ladenburg, Thalmann|Friedman, Billings, Ramsey|Wheat, First|Hanifen, Imhoff|Wessels, Arnold|Ferris, Baker|Punk, Ziegel|Josephthal, Lyon|Smith Barney, Harris Upham|Crowell, Weedon|Miller, Johnson|Sandler, O['’]Neill|Alex, Brown)(?= ?(?:&|and|Watts|Butcher|Securities|Ziegel|Lyon|Weedon|Upham|Brown|,))/gi
/** Replaces a comma inside a name while a text is split; of the same length, so that positions stay. */
const held = '\u0001'

const first = String.raw`(?:[A-Z][\w.&'’®™/-]*|\d[A-Z][\w-]*)`
const next = String.raw`(?:[A-Z][\w.'’®™/\u0001-]*|&)`
const country = String.raw` \((?:USA|US|U\.S\.A?\.?|America|Americas|Canada|Asia|Europe|UK|U\.K\.|HK|Hong Kong|Pty|Pte|Japan|China|France|London|Int['’]l|International|Australia|Singapore)\)`
const division = `(?:,? (?:an? )?(?:division|business|business unit|trading name) of (?:${first}(?: ${next}){0,6})(?:, ?${legalForm})?)`
/** A bank that sells through its branch in one city: `Deutsche Bank AG, London Branch`. */
const branch = '(?:,? (?:acting through its )?(?:[A-Z][a-z]+ ){1,2}(?:Branch|branch))'
const run = new RegExp(
  `${first}\\u0001?(?:(?: (?:(?:and|of|of the|de|und|e|van) )?(?!(?:As|To|For|The|By)\\b)${next}\\u0001?)|${country})*(?:, ?${legalForm}(?![\\w]))*${branch}?${division}?`,
  'g',
)

/** Words before a name that are not part of it: the first word of a sentence, an article. */
const leading =
  /^(?:(?:The|Our|We|Each|Neither|None|Both|All|If|When|While|Where|Under|With|Since|Because|Although|Pursuant|Subject|In|On|At|As|By|For|From|To|Upon|Through|And|Or|Of|Messrs\.|Mr\.|Agents?|Underwriters?|Dealers?|Representatives?|Managers?|Purchasers?|Affiliates?|However|Additionally|Further|Furthermore|Moreover|Also|Accordingly|Certain|Such|This|That|These|Those|Any|Either|Prior|After|Before|During|Notwithstanding)\s+)+/
/** A firm whose name begins with an article. */
const articled =
  /^The (?:[A-Z][\w.&-]+(?: [A-Z][\w.&-]+)? (?:Company|Group),|Bank of|Toronto-Dominion|Robinson-Humphrey|Ohio Company|Chicago Corporation|Huntington|Williams Capital|Hongkong|Northern Trust|Nikko)/

/** Words for securities, roles, documents and places of a prospectus, which are not firms. */
const generic =
  /\b(?:risks?|factors?|summary|terms?|contents|offering|offerings|prospectus|supplement|shares?|underlyings?|index|indices|maturity|investors?|investing|investments? (?:description|summary|considerations)|proceeds|discounts?|commissions?|fees?|underwriters?|underwriting|managers?|agents?|dealers?|dealer|representatives?|purchasers?|agreement|distribution|description|information|statement|registration|securit(?:y|ies) (?:act|and|exchange|offered|law|laws|regulation)|exchange act|commission|act of|warrants?|notes?|bonds?|debentures?|certificates?|officers?|trustee|depositary|depository|guarantor|guarantee|issuer|company['’]s|holders?|stockholders?|shareholders?|annex|appendix|exhibit|subject|preliminary|fdic|insured|approximately|redemption|considerations|structuring|valuation|related|conflicts?|calculation|denominations?|cusip|isin)\b/i
/** Words that may be part of a firm's name if it ends with a legal form: `Prime Number Capital LLC`, `March Capital Corp.` */
const ambiguous =
  /\b(?:placement|table|price|prices|amounts?|dates?|dated|units?|stock|linked|principal|expenses|purchase|plan|total|number|percent|percentage|name|names|rights|option|options|member|directors?|selling|section|rule|item|form|schedule|january|february|march|april|may|june|july|august|september|october|november|december|per|completion|not|value|payment|interest|coupon|yield|call|barrier|threshold|level|levels|features?|material|general|overview)\b/i
/** Classes of securities, which end with a word of the trade. */
const securities =
  /^(?:debt|equity|exchange|registered|offered|global|preferred|trust|subordinated|senior|convertible|unregistered|registrable|underlying|initial|private|public|capital|units?|common|government|treasury|book-entry|certificated|definitive|restricted|our|the|these|such|other|additional|company|parent|holding|working|share|venture|tangible|purchase|money|stock|financial|foreign|new|old|target|acquired|resale|placement|management|advisory|control|affiliated|consolidated|working|limited|general|us|u\.s\.|regulatory)(?:\s(?:debt|equity|convertible|preferred|common|subordinated|senior|junior|trust|backed|linked|capital|loan|note|partnership|income|hybrid|market|money|stock|share|asset|selling|general|limited|registrable|exchange))? (?:securities|capital|markets|partners?|investments|group|associates|equities|advisors)$/i
const authorities =
  /financial industry|securities dealers|stock exchange|securities exchange|nasdaq|\bnyse\b|securities and exchange|commission|depository trust|\bdtc\b|cede|clearstream|euroclear|transfer|trust company|\bllp\b|reuters|bloomberg|standard & poor|s&p|moody|fitch|dow jones|ftse|msci|morningstar|blackrock|ishares|vanguard|\bindex\b|indices/i

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
const forms = /(?:\b(?:llc|inc|incorporated|corp|corporation|ltd|limited|lp|llp|plc|ulc|na|nv|ag|sa|se|gmbh|co|company)\b\s*)+$/
const words = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[®™*†]/g, '')
    .replace(/\b([a-z])\.\s?(?=[a-z]\b)/g, '$1')
    .replace(/\bl\.?\s?l\.?\s?c\b\.?/g, 'llc')
    .replace(/\s+and\s+|&|\s\+\s/g, ' & ')
    .replace(/[^a-z0-9& ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** A name without its legal form, articles and punctuation: the common part of two spellings. */
export const stem = (name: string): string => {
  const plain = words(name.replace(new RegExp(`${division}$`), '').replace(new RegExp(`${branch}$`), '')).replace(/^the /, '')
  const bare = plain.replace(forms, '').trim().replace(/ &$/, '')
  return bare === '' ? plain : bare
}

/** A name without its legal form only: `Morgan Stanley & Co. LLC` stays distinct from `Morgan Stanley`. */
export const withoutForm = (name: string): string => {
  const plain = words(name).replace(/^the /, '')
  return plain.replace(/(?: (?:llc|inc|incorporated|corp|corporation|ltd|limited|lp|llp|plc|ulc|na|nv|ag|sa|se|gmbh))+$/, '')
}

const firstWord = (name: string): string => stem(name).split(' ')[0] ?? ''
/** Banks with a first word that no other firm has. */
const banks = /^(?:ubs|bmo|rbc|cibc|scotia|scotiabank|hsbc|td|mufg|smbc|mizuho|citigroup|barclays|natixis|ing|bbva|kbw|btig)$/

/**
 * The same firm in two spellings: `BofA Securities` and `BofA Securities, Inc.`, `Barclays` and `Barclays Capital Inc.`, `Goldman, Sachs
 * & Co.` and `Goldman Sachs & Co. LLC`, `KBW` and `Keefe, Bruyette & Woods, Inc.`
 */
export function sameFirm(left: string, right: string): boolean {
  const [a, b] = [stem(left), stem(right)]
  if (letters(a) === letters(b)) return true
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (letters(short).length < 2) return false
  const flat = (text: string): string => text.replace(/[& ]+/g, ' ').trim()
  const parts = flat(long).split(' ')
  if (parts.some((_, at) => letters(parts.slice(0, at + 1).join('')) === letters(short))) return true
  const initials = parts.map(word => word[0]).join('')
  if (/^[a-z]{3,5}$/.test(short) && initials.startsWith(short)) return true
  // A bank's brand on the cover and its dealer in the text: `UBS Investment Bank` and `UBS Securities LLC`, `Scotiabank` and `Scotia Capital Inc.`
  if (hasForm(left) !== hasForm(right)) {
    const [brand, dealer] = (hasForm(left) ? [firstWord(right), firstWord(left)] : [firstWord(left), firstWord(right)]) as [string, string]
    if (banks.test(dealer) && (brand === dealer || brand === `${dealer}bank`)) return true
  }
  // `GS&Co.` for `Goldman Sachs & Co. LLC`
  if (/^[a-z]{2}$/.test(short) && initials === short && [left, right].every(name => /&\s?Co\b|\band Co/i.test(name))) return true
  // The family name of a firm only: `Baird` for `Robert W. Baird & Co.`
  return !short.includes(' ') && short.length > 4 && houses.test(short) && parts.includes(short)
}

/** A firm by its name: it has a legal form, a word of the trade, or is known by its short name. */
export function isFirm(name: string): boolean {
  const text = name.trim()
  if (
    text.length < 2 ||
    text.length > 110 ||
    !/^[A-Z\d]/.test(text) ||
    /[:;?!“”"]|(?<!\b(?:Co|Inc|Corp|Ltd|Bros|St))\.\s+[A-Z][a-z]+\s[a-z]|,$|^An? .*\bCompany$/.test(text)
  )
    return false
  if (houses.test(letters(text))) return true
  if (securities.test(text) || authorities.test(text)) return false
  const own = text.replace(new RegExp(`${division}$`), '').replace(new RegExp(`${branch}$`), '')
  const bare = own.replace(new RegExp(`(?:,? ?${legalForm})+$`), '').trim()
  if (bare === '' || /^(?:the|our|a|an|this|such|each)$/i.test(bare) || /^(?:name|the company|company|corporation)$/i.test(own)) return false
  if (generic.test(bare) || (ambiguous.test(bare) && !ownForm.test(own)) || !/[A-Za-z]{2}/.test(bare)) return false
  if (houses.test(letters(stem(own)))) return true
  return (
    endsInForm.test(own) ||
    (trade.test(own) && !/(?<!Bank|BANK) (?:of|OF|for|FOR|and the|AND THE) /.test(own) && /\s|^[A-Z]\w*[a-z](?:Capital|Markets|Partners)$/.test(own))
  )
}

/** The name ends with a legal form. */
export const hasForm = (name: string): boolean => endsInForm.test(name)

/** A firm that its name alone identifies: by a legal form, or as a known firm. */
export const isKnown = (name: string): boolean => isFirm(name) && (hasForm(name) || houses.test(letters(name)) || houses.test(letters(stem(name))))

/** Words that may be the name of a firm without showing it: accepted below a heading of the cover, and only if the text confirms it. */
export function isPlausible(name: string): boolean {
  const parts = name.trim().split(/\s+/)
  return (
    parts.length <= 5 &&
    /^[A-Z]/.test(name) &&
    !/[:;,.?!“”"$%\d]$/.test(name) &&
    !/\d/.test(name) &&
    !generic.test(name) &&
    !ambiguous.test(name) &&
    !authorities.test(name) &&
    // A comma separates the families of a house: `Wessel, Knot & Curlew`.
    parts.every((part, at) =>
      /^(?:[A-Z][\w.'’/-]*|&|and|of)$/.test(/^[A-Z][a-z'’]+,$/.test(part) && parts.includes('&', at) ? part.slice(0, -1) : part),
    )
  )
}

/**
 * The beginning of a name of several families: `Bean, Curlew & Knot, Incorporated`, `Bean Lynch, Rook, Curlew & Knot`. A family name before
 * the comma is not a separate firm, so it belongs to the following name.
 */
function withFamilyNames(whole: string, printed: string, start: number): number {
  if (!/^[A-Z][\w'’-]+ (?:&|and) [A-Z]/.test(printed)) return start
  let from = start
  for (let turns = 0; turns < 3; turns += 1) {
    const before = whole.slice(Math.max(0, from - 60), from)
    const alone = /(?:^|[,;:(\n] ?|(?:^|\s)(?:[a-z][\w'’-]*|\S*\)) )([A-Z][a-z'’]+[\w'’-]*), $/.exec(before)
    const pair = turns === 0 ? null : /(?:^|[,;:(\n] ?|(?:^|\s)(?:[a-z][\w'’-]*|\S*\)) )([A-Z][\w.'’-]+ [A-Z][a-z'’]+[\w'’-]*), $/.exec(before)
    const name = alone?.[1] ?? pair?.[1]
    if (name === undefined || isFirm(name) || endsInForm.test(name) || leading.test(`${name} `) || generic.test(name) || ambiguous.test(name)) break
    from -= name.length + 2
  }
  return from
}

/** A full stop that is not part of an abbreviation: a name does not continue after it. */
const sentenceEnd = /(?<=[a-z]{3})(?<!\b(?:Corp|Bros|Alex|Assoc))\. (?=[A-Z])/g

/** The firms that a text names, in order; `from` is added to their positions. */
export function firmsIn(text: string, from = 0): Mention[] {
  const whole = text.replace(withCommas, name => name.replaceAll(', ', `${held} `)).replace(sentenceEnd, '.\n')
  const found: Mention[] = []
  for (const match of whole.matchAll(run)) {
    let printed = match[0]
    let start = match.index
    if (!articled.test(printed)) {
      const lead = leading.exec(printed)?.[0].length ?? 0
      printed = printed.slice(lead)
      start += lead
    }
    const earlier = withFamilyNames(whole, printed, start)
    if (earlier < start) [printed, start] = [whole.slice(earlier, start).replaceAll(', ', `${held} `) + printed, earlier]
    for (const piece of apart(printed, start)) {
      const name = tidy(piece.name.replaceAll(held, ','))
      if (isFirm(name)) found.push({ name, start: from + piece.start, end: from + piece.start + piece.name.length })
    }
  }
  return found
}

/** `Jefferies LLC and Cowen and Company, LLC` is one run of capitals: it is split after a legal form that `and` follows. */
function apart(printed: string, start: number): { name: string; start: number }[] {
  const cut = new RegExp(`(${legalForm}) and (?!(?:Company|Co|Sons|Associates|Partners)\\b)(?=[A-Z])`).exec(printed)
  const bare = cut ?? / and (?!(?:Company|Co|Sons|Associates|Partners)\b)(?=[A-Z])/.exec(printed)
  if (bare === null) return [{ name: printed, start }]
  const at = bare.index + bare[0].length - ' and '.length
  return [{ name: printed.slice(0, at), start }, ...apart(printed.slice(at + 5), start + at + 5)]
}

/** A name without footnote marks, leader dots and the blanks of its line; the stop of `Inc.` and `Co.` stays. */
export const tidy = (text: string): string =>
  text
    .replace(/\s*(?:\((?:\d{1,2}|[a-z])\)|[†‡*]+|[®™])\s*$/g, '')
    .replace(/\b(Inc|Co|Corp|Ltd|L\.P|L\.L\.C|N\.A|S\.A)\.{2,}.*$/i, '$1.')
    .replace(/(?:\s*\.){2,}\s*$|[\s…,]+$/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\b(?:inc|co|corp|ltd|bros|[a-z]))\.$/i, '')
    .replace(/\b(Inc|INC|Co|CO|Corp|CORP|Ltd|LTD|L\.P|L\.L\.C|N\.A|S\.A)$/, '$1.')
