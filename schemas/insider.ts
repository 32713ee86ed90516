// Forms 3, 4 and 5 (ownership XML, `ownershipDocument`): the filing, its transactions and its holdings. `filing_id` is the accession
// number, or `sha256:` and the document's hash if a document arrived without one.
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { AccessionNumber, Cik, Count, Decimal, Flag, Int, IsoDate, Text } from './values.ts'

/** The meaning of a transaction code for signals; `unknown` keeps a missing or invalid code. */
export const CodeClass = z
  .enum(['open_market_buy', 'open_market_sell', 'compensation', 'tax', 'plan', 'derivative', 'gift', 'other', 'corporate', 'unknown'])
  .meta({ column: 'VARCHAR' })

/** A footnote as cited: `field` is the record's own field, `id` the filing's (F1), `text` null if the filing defines none. */
const CitedFootnote = z.object({ field: Text, id: Text, text: Text.nullable() })
export const ReportingOwner = z.object({
  cik: Cik.nullable(),
  name: Text.nullable(),
  director: Flag,
  officer: Flag,
  ten_percent_owner: Flag,
  other: Flag,
  officer_title: Text.nullable(),
  other_text: Text.nullable(),
  street1: Text.nullable(),
  street2: Text.nullable(),
  city: Text.nullable(),
  state: Text.nullable(),
  zip: Text.nullable(),
})
const OwnerSignature = z.object({ name: Text.nullable(), date: IsoDate.nullable() })

const filingId = { filing_id: Text, accession: AccessionNumber.nullable() }
const issuer = { issuer_cik: Cik, issuer_name: Text.nullable(), issuer_symbol: Text.nullable() }

export const insiderFilings = defineDataset('insider_filings', 'Insider filings', edgarTerms('30 minutes'), {
  description:
    'One row per Form 3, 4, 5 or amendment: issuer, reporting owners, footnotes, signatures and remarks. A joint filing is one row with n owners.',
  facts: {
    ...filingId,
    ...issuer, // issuer_symbol as filed: NONE, N/A and the like are kept here and null in `symbol` of the rows
    form: Text, // 3, 4, 5, 3/A, 4/A, 5/A
    schema_version: Text.nullable(), // the version of the XML schema, such as X0508
    period_of_report: IsoDate.nullable(),
    filed_date: IsoDate.nullable(),
    original_filed_date: IsoDate.nullable(), // dateOfOriginalSubmission of an amendment
    no_securities_owned: Text.nullable(), // as filed (1, 0, true, false); null if the element is absent
    not_subject_to_section16: Text.nullable(), // as filed
    aff_10b5_1: Text.nullable(), // aff10b5One as filed, since schema X0407
    plan_10b5_1: z.enum(['yes', 'no', 'unknown']).meta({ column: 'VARCHAR' }), // whether the trades were made under a Rule 10b5-1 plan
    plan_10b5_1_source: z.enum(['checkbox', 'footnote']).nullable().meta({ column: 'VARCHAR' }), // where the filing states it
    plan_adopted_date: IsoDate.nullable(), // from the footnote or remark that names it
    owners: z.array(ReportingOwner), // the reporting owners with their roles and addresses
    owner_ciks: z.array(Cik),
    footnotes: z.array(z.object({ id: Text, text: Text })),
    remarks: Text.nullable(), // as filed
    signatures: z.array(OwnerSignature), // names and days
    transactions: Count, // the number of transaction lines
    holdings: Count, // the number of holding lines
    flags: z.array(Text), // oddities of the filing that were kept, e.g. missing_transaction_coding, symbol_none
  },
  rows: { key: ['filing_id'], order: ['issuer_cik', 'filing_id'], time: 'period_of_report' },
})
export type InsiderFiling = RowOf<typeof insiderFilings>

const rowFacts = {
  ...filingId,
  line: Int, // 1, 2, 3 … in the order of the document, transactions and holdings counted together
  form: Text,
  derivative: Flag, // table II
  ...issuer,
  owner_ciks: z.array(Cik),
  owner_names: z.array(Text), // as filed
  security_title: Text.nullable(), // as filed
  conversion_or_exercise_price: Decimal.nullable(), // of a derivative
  exercise_date: IsoDate.nullable(), // the first day of exercise
  expiration_date: IsoDate.nullable(), // the last day of exercise
  underlying_title: Text.nullable(), // the underlying security of a derivative
  underlying_shares: Decimal.nullable(), // the number of underlying shares
  underlying_value: Decimal.nullable(), // the value of the underlying, if no number is filed
  shares_after: Decimal.nullable(), // sharesOwnedFollowingTransaction
  value_after: Decimal.nullable(), // valueOwnedFollowingTransaction
  direct_or_indirect: z.enum(['D', 'I']).nullable().meta({ column: 'VARCHAR' }), // D: owned directly; I: indirectly
  nature_of_ownership: Text.nullable(), // the form of indirect ownership, as filed
  footnotes: z.array(CitedFootnote),
  flags: z.array(Text),
}

export const insiderTransactions = defineDataset('insider_transactions', 'Insider transactions', edgarTerms('30 minutes'), {
  description:
    'One row per transaction line of table I or II of a Form 4 or 5 (or 3), digits as filed. Null is not zero: a price that only a footnote gives is null.',
  facts: {
    ...rowFacts,
    transaction_date: IsoDate.nullable(), // the day of the trade
    deemed_execution_date: IsoDate.nullable(), // the deemed day of execution, if it differs
    transaction_form_type: Text.nullable(), // the form on which the transaction is reported: 3, 4 or 5
    code: Text.nullable(), // null if transactionCoding is missing
    code_class: CodeClass, // the class of the transaction code
    equity_swap: Flag.nullable(), // true: an equity swap is involved
    timeliness: Text.nullable(), // E early, L late, null on time
    shares: Decimal.nullable(), // the number of shares, as filed
    total_value: Decimal.nullable(), // transactionTotalValue
    price: Decimal.nullable(), // transactionPricePerShare
    price_low: Decimal.nullable(), // if a footnote states the range of a weighted average
    price_high: Decimal.nullable(), // the upper end of that range
    acquired_disposed: z.enum(['A', 'D']).nullable().meta({ column: 'VARCHAR' }), // A: acquired; D: disposed
  },
  rows: { key: ['filing_id', 'line'], order: ['issuer_cik', 'filing_id', 'line'], time: 'transaction_date' },
})
export type InsiderTransaction = RowOf<typeof insiderTransactions>

export const insiderHoldings = defineDataset('insider_holdings', 'Insider holdings', edgarTerms('30 minutes'), {
  description: 'One row per holding line (a position reported without a transaction) of table I or II of a Form 3, 4 or 5.',
  facts: rowFacts,
  rows: { key: ['filing_id', 'line'], order: ['issuer_cik', 'filing_id', 'line'], time: 'filing_id' },
})
