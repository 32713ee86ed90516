// Terms of the field that a question asks the meaning of ("What is a flow-through share?"), in words without figures.

type Term = { readonly names: readonly string[]; readonly text: string /** A question that this service answers about it. */; readonly try: string }
const term = (names: string, text: string, example: string): Term => ({ names: names.split(';').map(each => each.trim()), text, try: example })

const terms: readonly Term[] = [
  term(
    'flow-through share; flow through share; flow-through; fts',
    'A flow-through share is a new share of a Canadian resource company that renounces its exploration expenses to the buyer, who deducts them from taxable income. The shares that the buyer holds afterwards have a cost of nil.',
    'What do flow-through shares cost me after tax in Ontario?',
  ),
  term(
    'adjusted close; adjusted price; adjusted closing price',
    'An adjusted close is a close divided by the later splits and reduced for the later cash dividends, so that the returns over the series are those of a holder who reinvested. The close as traded is kept next to it.',
    'Close of GLPR.TO on a day, adjusted and as traded?',
  ),
  term(
    'ex-date; ex-dividend date; ex dividend date; ex date',
    'The ex-date is the first session in which a buyer of the share no longer gets the declared dividend.',
    'When is the next ex-dividend date of GLPR.TO?',
  ),
  term('dividend yield', 'A dividend yield is the cash dividends of a share over a year divided by its price.', 'Dividend yield of GLPR.TO?'),
  term(
    'cross-listing; cross listing; dual listing; dual-listed stock; interlisted stock; inter-listed stock; cross-listed stock; cross-listed pair',
    'A cross-listed share is one class of shares that trades on exchanges of different countries, in different currencies. The lines are the same claim, so their prices differ by the exchange rate and a spread.',
    'Spread of GLPR?',
  ),
  term(
    'insider cluster; cluster buy; insider cluster buy',
    'An insider cluster is a number of insiders of one issuer who bought in the open market within a few days. The number of people and of days are parameters here, and the answer states them.',
    'Insider clusters this month?',
  ),
  term(
    'rule 10b5-1 plan; 10b5-1 plan; trading plan',
    'A plan under this rule of the SEC fixes an insider’s later trades in advance, while the insider has no inside information. Form 4 has a box for trades under a plan, and they are listed apart here.',
    'Insider trades of BRLX?',
  ),
  term(
    'form 4; form four',
    'Form 4 is the report to the SEC in which directors, officers and large holders state a change of what they own, due within days of the trade.',
    'Insider trades of BRLX?',
  ),
  term(
    'form 13f; 13f; 13f filing; 13-f',
    'Form 13F is the quarterly report in which large institutional managers state the listed securities that they hold at the end of the quarter. It is due weeks after the quarter and shows no short positions.',
    'Who holds GLPR?',
  ),
  term(
    'schedule 13d; 13d; 13d filing; schedule 13g; 13g; 13g filing',
    'Schedule 13D is filed by a large holder of a class of voting shares who may seek influence; Schedule 13G is the short form of a passive holder.',
    'New activist stakes?',
  ),
  term(
    '10-k; form 10-k; 10k; annual report on form 10-k',
    'Form 10-K is the annual report of a company in the United States: business, risk factors, audited statements. Canadian companies may file Form 40-F, other foreign companies Form 20-F.',
    'Latest annual report of BRLX?',
  ),
  term(
    '10-q; form 10-q; 10q',
    'Form 10-Q is the quarterly report of a company in the United States, with unaudited statements.',
    'Latest quarterly report of BRLX?',
  ),
  term(
    '8-k; form 8-k; 8k; current report',
    'Form 8-K is the current report of an event, such as results, a new agreement, a change of directors or of the auditor. Each kind of event has an item number.',
    'Which companies changed their auditor?',
  ),
  term(
    'risk factor; item 1a',
    'Risk factors are the part of an annual or quarterly report in which the company describes what may harm it. Changes from one report to the next are listed here, factor by factor.',
    'What changed in the risk factors of BRLX?',
  ),
  term(
    'receipt; signed receipt',
    'A receipt is a signed statement about an answer of this service: the request, the release of the data, the sources and the hash of the answer. It can be verified later without this service.',
    'Is this receipt valid? (with its id)',
  ),
  term(
    'release',
    'A release is a numbered, committed state of all data of this service. The same question to the same release has the same answer.',
    'Is the data up to date?',
  ),
  term(
    'rrsp; registered retirement savings plan',
    'An RRSP is a Canadian registered retirement savings plan. Under the tax treaty, dividends of companies in the United States are paid into it without tax withheld; those of other countries are not covered.',
    'Dividends of BRLX after tax in an RRSP?',
  ),
  term(
    'tfsa; tax-free savings account',
    'A TFSA is a Canadian tax-free savings account. The treaty does not cover it: tax of the United States is withheld from dividends of companies there.',
    'Dividends of BRLX after tax in a TFSA?',
  ),
  term(
    'withholding tax; dividend withholding tax; tax withheld',
    'Withholding tax is the part of a dividend that the payer’s country keeps before it reaches the holder. The rate depends on both countries, the treaty and the kind of account.',
    'Dividends of BRLX after tax in an RRSP?',
  ),
  term(
    'aaoifi; aaoifi standard',
    'AAOIFI is the standards body for Islamic finance. Its screen looks at the business of a company, and at its interest-bearing debt and deposits in relation to market value.',
    'Is BRLX halal under AAOIFI?',
  ),
  term(
    'drill intercept; intercept; true width; drill hole',
    'An intercept is a length of drill core with the grades that were measured in it. True width is the thickness of the mineralised body at a right angle; a drilled length can be much longer.',
    'Interpret a line such as: hole A, from, to, grade',
  ),
  term(
    'grams per tonne; g/t',
    'Grams per tonne is the weight of a metal, usually gold or silver, in a tonne of rock.',
    'Interpret a line such as: hole A, from, to, grade',
  ),
  term(
    'blue sky law; blue-sky law; blue sky notice; blue sky',
    'Blue-sky laws are the securities laws of the states. An offering under the federal exemption for private placements still needs a notice and a fee in most states where it is sold.',
    'Which state notices does an offering in Texas need?',
  ),
  term(
    'ipo; initial public offering',
    'An IPO is the first sale of shares of a company to the public, with a registration statement such as Form S-1 or F-1 before it.',
    'IPOs this month?',
  ),
  term(
    'shelf registration; shelf offering; at-the-market offering; atm offering',
    'A shelf registration lets a company sell securities later, in parts, each with a prospectus supplement. In an at-the-market offering the parts are sold at the price of the market.',
    'Offerings of BRLX?',
  ),
  term(
    'market cap; market capitalization; market capitalisation',
    'Market capitalization is the price of a share times the number of shares outstanding of all classes.',
    'Market cap of GLPR.TO?',
  ),
  term('beta', 'Beta is the slope of a share’s returns on those of its market over the same days.', 'Beta of GLPR.TO?'),
  term(
    'rsi; relative strength index',
    'The relative strength index compares the sizes of recent gains and losses of a price on a fixed scale.',
    'RSI of GLPR.TO?',
  ),
  term(
    'vintage; data vintage',
    'A vintage is a published version of a macro figure. Later revisions are added and do not replace it, so that an old question has its old answer.',
    'Inflation in Canada?',
  ),
  term('cusip', 'A CUSIP is the number of a security in North America. Filings on Form 13F use it.', 'CUSIP of GLPR?'),
  term('cik', 'A CIK is the number that the SEC gives to a company or person that files.', 'CIK of BRLX?'),
]

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[“”"'’?!.]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
const byName: ReadonlyMap<string, Term> = new Map(
  terms.flatMap(each => each.names.flatMap(name => [name, `${name}s`].map(spelled => [spelled, each] as const))),
)
const frames: readonly RegExp[] = [
  /^(?:please )?(?:define|explain)(?: the term)?(?: an?)? (.+?)(?: to me| for me| please)?$/,
  /^what does (?:an? |the term )?(.+?) (?:mean|stand for)$/,
  /^what (?:do you mean by|is meant by|is the meaning of|is the definition of|is|are)(?: an?)? (.+)$/,
  /^whats(?: an?)? (.+)$/,
  /^(?:meaning|definition) of (?:an? )?(.+)$/,
  /^how is (?:an? )?(.+?) defined$/,
]

export type Definition = { readonly term: string; readonly text: string; readonly example: string }
/** The term whose meaning the whole question asks for; null for every other question, also for one that only contains a term. */
export function definitionIn(question: string): Definition | null {
  const text = plain(question)
  for (const frame of frames) {
    const name = frame.exec(text)?.[1]
    const found = name === undefined ? undefined : byName.get(name)
    if (name !== undefined && found !== undefined) return { term: found.names[0] ?? name, text: found.text, example: found.try }
  }
  return null
}
