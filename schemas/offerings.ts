// Registration statements and prospectuses (S-1, F-1, S-11, F-10, 424B …): the offered securities, their amount, and the use of the
// proceeds. Offsets (`start`, `end`) count characters of the document's source text, so that each figure can be shown in its place.
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { AccessionNumber, Cik, Count, Currency, Decimal, Flag, Int, IsoDate, Sha256, Text } from './values.ts'

const span = { start: Int, end: Int }
const word = { column: 'VARCHAR' }

/** Categories of a use of proceeds. */
export const UseCategory = z
  .enum([
    'debt_repayment',
    'capex',
    'r_and_d',
    'sales_marketing',
    'acquisitions',
    'working_capital',
    'general_corporate',
    'dividends_to_holders',
    'exploration',
    'tax',
    'other',
  ])
  .meta(word)
export const UseItem = z.object({
  purpose: Text,
  category: UseCategory,
  amount: Decimal.nullable(),
  amount_high: Decimal.nullable(), // where a range is given
  approximate: Flag,
  placeholder: Flag, // an amount is left blank: null, never 0
  pct: Decimal.nullable(), // percent of the proceeds, without the sign
  text: Text,
  ...span,
})
export const Sensitivity = z.object({
  driver: z.enum(['price', 'number']).meta(word), // of the offering price, or of what is sold
  change: Decimal.nullable(), // 1.00, 1000000
  effect: Decimal.nullable(), // on the net proceeds
  approximate: Flag,
  placeholder: Flag,
  text: Text,
  ...span,
})
export const Underwriter = z.object({
  name: Text,
  role: z.enum(['underwriter', 'placement_agent', 'agent', 'dealer_manager']).meta(word),
  lead: Flag, // named first, or under a book-runner's or lead manager's heading
  shares: Decimal.nullable(), // as its line of the underwriting table allots
})
/** Why a document names no firm that sells; stored as a flag of the row with the prefix `no_underwriters_`. */
export const NoUnderwriters = z.enum(['sold_by_holders', 'left_to_supplement', 'sold_by_issuer', 'left_blank', 'not_found']).meta(word)
const OfferedSecurity = z.object({ security: Text, title: Text, count: Decimal.nullable(), ...span })
/** The position in the document that a column's value is read from. */
const Evidence = z.object({ field: Text, text: Text, ...span })

const pair = (name: string) => ({ [name]: Decimal.nullable(), [`${name}_with_option`]: Decimal.nullable() })

export const offerings = defineDataset('offerings', 'Registered offerings', edgarTerms('30 minutes'), {
  description:
    'One row per registration statement or prospectus. Amounts are as the document prints them: null for a blank (placeholder), never 0; *_with_option is with the over-allotment option in full.',
  facts: {
    accession: AccessionNumber,
    cik: Cik,
    company: Text.nullable(), // the issuer's name
    form: Text,
    filed_date: IsoDate,
    file_number: Text.nullable(), // the registration statement's: 333-…
    document: Text.nullable(), // file name of the document that was read
    document_kind: z.enum(['registration', 'prospectus', 'supplement', 'exhibit']).meta(word), // the kind of document
    terms: z.enum(['final', 'preliminary']).meta(word), // a 424B or 253G without blanks is final
    initial: Flag.nullable(), // an initial public offering by its own words
    security: Text.nullable(), // the kind: share, unit, ADS, note, warrant, right, depositary share
    security_title: Text.nullable(), // as printed
    securities: z.array(OfferedSecurity), // every offered security with its count and its place in the document
    shares: Decimal.nullable(), // the number of securities offered
    primary_shares: Decimal.nullable(), // sold by the issuer
    secondary_shares: Decimal.nullable(), // sold by holders
    overallotment_shares: Decimal.nullable(), // the over-allotment option
    overallotment_days: Int.nullable(), // the days within which the option can be exercised
    currency: Currency.nullable(),
    price: Decimal.nullable(), // the price to the public
    price_low: Decimal.nullable(), // the lower end of a range
    price_high: Decimal.nullable(), // the upper end of a range
    price_pct: Decimal.nullable(), // notes: percent of principal
    price_basis: z.enum(['fixed', 'midpoint', 'assumed', 'range', 'market']).nullable().meta(word), // the origin of the price
    /** Gross proceeds. */
    ...(pair('gross') as Record<'gross' | 'gross_with_option', z.ZodNullable<typeof Decimal>>),
    /** Proceeds of a concurrent private placement. */
    ...(pair('private_placement') as Record<'private_placement' | 'private_placement_with_option', z.ZodNullable<typeof Decimal>>),
    /** Gross proceeds and private placement together. */
    ...(pair('total') as Record<'total' | 'total_with_option', z.ZodNullable<typeof Decimal>>),
    /** Underwriting discounts and commissions. */
    ...(pair('underwriting') as Record<'underwriting' | 'underwriting_with_option', z.ZodNullable<typeof Decimal>>),
    /** Expenses of the offering. */
    ...(pair('offering_expenses') as Record<'offering_expenses' | 'offering_expenses_with_option', z.ZodNullable<typeof Decimal>>),
    /** The amount placed in trust (blank cheque companies). */
    ...(pair('trust') as Record<'trust' | 'trust_with_option', z.ZodNullable<typeof Decimal>>),
    /** Net proceeds, exact. */
    ...(pair('net') as Record<'net' | 'net_with_option', z.ZodNullable<typeof Decimal>>),
    /** Net proceeds, printed as `approximately`. */
    ...(pair('net_approx') as Record<'net_approx' | 'net_approx_with_option', z.ZodNullable<typeof Decimal>>),
    net_before_expenses: Decimal.nullable(), // net proceeds before expenses
    selling_holder_proceeds: Decimal.nullable(), // proceeds of the selling holders
    placeholder: Flag, // the amount of the net proceeds is left blank
    selling_holders_only: Flag, // a resale: the issuer receives nothing
    use_of_proceeds_heading: Text.nullable(), // the heading of the section, as printed
    use_of_proceeds_start: Int.nullable(), // the start of the section in the document
    use_of_proceeds_end: Int.nullable(), // the end of the section in the document
    use_of_proceeds_sha256: Sha256.nullable(), // of use_of_proceeds_text
    use_of_proceeds_words: Count.nullable(), // with heading and page footers
    use_of_proceeds_text: Text.nullable(), // the visible text of the section
    use_of_proceeds_summary: Text.nullable(), // the line of the summary, if there is one
    uses: z.array(UseItem), // the purposes with their amounts
    sensitivity: z.array(Sensitivity), // the effect of price or number on the net proceeds, as stated
    broad_discretion: Flag.nullable(), // true: management has broad discretion over the proceeds
    underwriters: z.array(Underwriter), // the firms with their roles
    lock_up_days: Int.nullable(), // of directors, officers and holders
    issuer_lock_up_days: Int.nullable(), // of the issuer
    proposed_symbol: Text.nullable(), // as printed: the present or future symbol
    exchange: Text.nullable(),
    listing: z.enum(['listed', 'proposed', 'none']).nullable().meta(word), // whether the security is listed
    evidence: z.array(Evidence), // the place in the document that each value is read from
    flags: z.array(Text), // oddities: two figures that disagree, a section that was not found
  },
  rows: { key: ['accession', 'cik'], order: ['cik', 'filed_date', 'accession'], time: 'filed_date' },
})
export type Offering = RowOf<typeof offerings>

export const offeringFinancials = defineDataset('offering_financials', 'Pre-IPO financials', edgarTerms('30 minutes'), {
  description:
    'One row per line and column of the financial tables of a registration statement, digits as printed, in the units of its caption; XBRL facts if the filing has them. Pro forma and as adjusted columns are rows of their own basis.',
  facts: {
    accession: AccessionNumber,
    line: Int, // 1, 2, 3 … in the order of the document
    cik: Cik,
    form: Text,
    filed_date: IsoDate,
    taken_from: z.enum(['table', 'xbrl']).meta(word), // the source of the line
    table_number: Int.nullable(), // of the financial tables of the document
    label: Text, // as printed; the concept's name in XBRL
    line_item: Text.nullable(), // normalised: revenue, net_income … null if no rule names it
    non_gaap: Flag, // true for a non-GAAP measure
    basis: z.enum(['actual', 'pro_forma', 'as_adjusted', 'pro_forma_as_adjusted']).meta(word), // the basis of the column
    period_start: IsoDate.nullable(), // the first day of the period
    period_end: IsoDate.nullable(), // the last day of the period, or the instant
    period_months: Int.nullable(), // null: an instant, or not stated
    column_heading: Text, // as printed
    value: Decimal, // as printed, brackets as a minus
    unit: z.enum(['currency', 'per_share', 'shares', 'percent', 'ratio']).meta(word), // the unit of value
    scale: Int, // 1, 1000, 1000000: as stated by the caption
    currency: Currency.nullable(),
    audited: Flag.nullable(), // null: not stated
    difference: Decimal.nullable(), // of a total: printed value less the sum of its lines, if they differ
    flags: z.array(Text),
    ...span,
  },
  rows: { key: ['accession', 'line'], order: ['cik', 'filed_date', 'accession', 'line'], time: 'filed_date' },
})
export type OfferingFinancial = RowOf<typeof offeringFinancials>
