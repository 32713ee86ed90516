// Registration statements and prospectuses (S-1, F-1, S-11, F-10, 424B …): the offered securities, their amount, and the use of the
// proceeds. Offsets (`start`, `end`) count characters of the document's source text, so that each figure can be shown in its place.
import { z } from 'zod'
import { defineDataset, type RowOf } from './dataset.ts'
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

export const offerings = defineDataset({
  name: 'offerings',
  title: 'Registered offerings',
  description:
    'One row per registration statement or prospectus. Amounts are as the document prints them: null for a blank (placeholder), never 0; *_with_option is with the over-allotment option in full.',
  facts: {
    accession: AccessionNumber,
    cik: Cik,
    company: Text.nullable(),
    form: Text,
    filed_date: IsoDate,
    file_number: Text.nullable(), // the registration statement's: 333-…
    document: Text.nullable(), // file name of the document that was read
    document_kind: z.enum(['registration', 'prospectus', 'supplement', 'exhibit']).meta(word),
    terms: z.enum(['final', 'preliminary']).meta(word), // a 424B or 253G without blanks is final
    initial: Flag.nullable(), // an initial public offering by its own words
    security: Text.nullable(), // share, unit, ADS, note, warrant, right, depositary share
    security_title: Text.nullable(),
    securities: z.array(OfferedSecurity),
    shares: Decimal.nullable(),
    primary_shares: Decimal.nullable(),
    secondary_shares: Decimal.nullable(),
    overallotment_shares: Decimal.nullable(),
    overallotment_days: Int.nullable(),
    currency: Currency.nullable(),
    price: Decimal.nullable(),
    price_low: Decimal.nullable(),
    price_high: Decimal.nullable(),
    price_pct: Decimal.nullable(), // notes: percent of principal
    price_basis: z.enum(['fixed', 'midpoint', 'assumed', 'range', 'market']).nullable().meta(word),
    ...(pair('gross') as Record<'gross' | 'gross_with_option', z.ZodNullable<typeof Decimal>>),
    ...(pair('private_placement') as Record<'private_placement' | 'private_placement_with_option', z.ZodNullable<typeof Decimal>>),
    ...(pair('total') as Record<'total' | 'total_with_option', z.ZodNullable<typeof Decimal>>),
    ...(pair('underwriting') as Record<'underwriting' | 'underwriting_with_option', z.ZodNullable<typeof Decimal>>),
    ...(pair('offering_expenses') as Record<'offering_expenses' | 'offering_expenses_with_option', z.ZodNullable<typeof Decimal>>),
    ...(pair('trust') as Record<'trust' | 'trust_with_option', z.ZodNullable<typeof Decimal>>),
    ...(pair('net') as Record<'net' | 'net_with_option', z.ZodNullable<typeof Decimal>>), // exact
    ...(pair('net_approx') as Record<'net_approx' | 'net_approx_with_option', z.ZodNullable<typeof Decimal>>), // printed as `approximately`
    net_before_expenses: Decimal.nullable(),
    selling_holder_proceeds: Decimal.nullable(),
    placeholder: Flag, // the amount of the net proceeds is left blank
    selling_holders_only: Flag, // a resale: the issuer receives nothing
    use_of_proceeds_heading: Text.nullable(),
    use_of_proceeds_start: Int.nullable(),
    use_of_proceeds_end: Int.nullable(),
    use_of_proceeds_sha256: Sha256.nullable(), // of use_of_proceeds_text
    use_of_proceeds_words: Count.nullable(), // with heading and page footers
    use_of_proceeds_text: Text.nullable(),
    use_of_proceeds_summary: Text.nullable(), // the line of the summary, if there is one
    uses: z.array(UseItem),
    sensitivity: z.array(Sensitivity),
    broad_discretion: Flag.nullable(),
    underwriters: z.array(Underwriter),
    lock_up_days: Int.nullable(), // of directors, officers and holders
    issuer_lock_up_days: Int.nullable(),
    proposed_symbol: Text.nullable(), // as printed: the present or future symbol
    exchange: Text.nullable(),
    listing: z.enum(['listed', 'proposed', 'none']).nullable().meta(word),
    evidence: z.array(Evidence),
    flags: z.array(Text), // oddities: two figures that disagree, a section that was not found
  },
  key: ['accession', 'cik'],
  order: ['cik', 'filed_date', 'accession'],
  time: 'filed_date',
  freshness: '30 minutes',
  licence: 'public domain (SEC EDGAR)',
})
export type Offering = RowOf<typeof offerings>

export const offeringFinancials = defineDataset({
  name: 'offering_financials',
  title: 'Pre-IPO financials',
  description:
    'One row per line and column of the financial tables of a registration statement, digits as printed, in the units of its caption; XBRL facts if the filing has them. Pro forma and as adjusted columns are rows of their own basis.',
  facts: {
    accession: AccessionNumber,
    line: Int, // 1, 2, 3 … in the order of the document
    cik: Cik,
    form: Text,
    filed_date: IsoDate,
    taken_from: z.enum(['table', 'xbrl']).meta(word),
    table_number: Int.nullable(), // of the financial tables of the document
    label: Text, // as printed; the concept's name in XBRL
    line_item: Text.nullable(), // normalised: revenue, net_income … null if no rule names it
    non_gaap: Flag,
    basis: z.enum(['actual', 'pro_forma', 'as_adjusted', 'pro_forma_as_adjusted']).meta(word),
    period_start: IsoDate.nullable(),
    period_end: IsoDate.nullable(),
    period_months: Int.nullable(), // null: an instant, or not stated
    column_heading: Text,
    value: Decimal, // as printed, brackets as a minus
    unit: z.enum(['currency', 'per_share', 'shares', 'percent', 'ratio']).meta(word),
    scale: Int, // 1, 1000, 1000000: as stated by the caption
    currency: Currency.nullable(),
    audited: Flag.nullable(), // null: not stated
    difference: Decimal.nullable(), // of a total: printed value less the sum of its lines, if they differ
    flags: z.array(Text),
    ...span,
  },
  key: ['accession', 'line'],
  order: ['cik', 'filed_date', 'accession', 'line'],
  time: 'filed_date',
  freshness: '30 minutes',
  licence: 'public domain (SEC EDGAR)',
})
export type OfferingFinancial = RowOf<typeof offeringFinancials>
