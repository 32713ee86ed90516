// Form 13F: the report with its cover, summary page and reconciliation, and the rows of its information table. `filing_id` is the accession
// number, or `sha256:` and the document's hash if a document arrived without one.
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf, type SortedCopy } from './dataset.ts'
import { AccessionNumber, Cik, Count, Decimal, Flag, Int, IsoDate, Real, Text } from './values.ts'

/** Dollars or thousands of dollars; null in a row: the unit is not known, so `value_usd` is null. */
const ValueUnit = z.enum(['dollars', 'thousands']).meta({ column: 'VARCHAR' })
/**
 * The evidence for the unit: the day of filing (before or since 2023-01-03), the version of the form, the prices that value and shares
 * imply, the ratio of the table's sum to the cover's total, or stored closes (in answers only).
 */
export const UnitSource = z.enum(['filing_date', 'form_version', 'implied_price', 'cover_ratio', 'price']).meta({ column: 'VARCHAR' })
/** The format of the rows. `unreadable`: there is a table and it was refused; `none`: the filing has none. */
const TableKind = z.enum(['xml', 'text', 'none', 'unreadable']).meta({ column: 'VARCHAR' })
/** The stated type of an amendment: RESTATEMENT or NEW HOLDINGS. */
const AmendmentType = z.enum(['restatement', 'new_holdings']).meta({ column: 'VARCHAR' })

/** Another manager as the cover (reporting for this one) or the summary page (included, numbered) names it. */
export const OtherManager = z.object({
  number: Text.nullable(), // as the rows cite it; null on the cover's list
  cik: Cik.nullable(),
  file_number: Text.nullable(),
  crd_number: Text.nullable(),
  sec_file_number: Text.nullable(),
  name: Text.nullable(),
})

export const holdingsReports = defineDataset('holdings_reports', '13F reports', edgarTerms('30 minutes'), {
  description:
    'One row per Form 13F filing: cover, summary page, other managers, the unit of its values with the evidence, and how the rows read reconcile with the totals that the cover states.',
  facts: {
    filing_id: Text, // the accession number, or sha256: and the hash of the document
    accession: AccessionNumber.nullable(),
    manager_cik: Cik,
    manager_name: Text.nullable(), // as filed
    quarter: Text, // 2024Q4, from period_of_report; `unknown` if the filing gives no readable period
    period_of_report: IsoDate.nullable(),
    form: Text, // 13F-HR, 13F-NT, 13F-CTR and amendments
    schema_version: Text.nullable(), // the version of the XML schema
    filed_date: IsoDate.nullable(),
    report_type: Text.nullable(), // 13F HOLDINGS REPORT, 13F NOTICE, 13F COMBINATION REPORT
    is_amendment: Text.nullable(), // as filed: true, false; null if the element is absent
    amendment_number: Text.nullable(), // as filed
    amendment_type: AmendmentType.nullable(), // restatement or additional holdings
    amendment_type_filed: Text.nullable(), // as filed
    confidential_denied_or_expired: Text.nullable(), // confDeniedExpired, as filed: rows that were confidential until now
    date_denied_or_expired: IsoDate.nullable(), // the day on which confidential treatment ended
    date_reported: IsoDate.nullable(), // the day of the confidential report
    reason_for_disclosure: Text.nullable(), // as filed
    confidential_omitted: Text.nullable(), // isConfidentialOmitted, as filed: rows are left out under a request
    file_number: Text.nullable(), // the manager's 13F file number
    crd_number: Text.nullable(), // the manager's CRD number
    sec_file_number: Text.nullable(), // the manager's SEC file number
    street1: Text.nullable(), // address of the manager
    street2: Text.nullable(), // address of the manager
    city: Text.nullable(), // address of the manager
    state: Text.nullable(), // address of the manager
    zip: Text.nullable(), // address of the manager
    additional_information: Text.nullable(), // as filed
    signature_name: Text.nullable(), // as filed
    signature_title: Text.nullable(), // as filed
    signature_date: IsoDate.nullable(), // as filed
    cover_managers: z.array(OtherManager), // other managers reporting for this one
    included_managers: z.array(OtherManager), // numbered, cited by rows
    included_managers_count: Decimal.nullable(), // as filed
    entry_total: Decimal.nullable(), // tableEntryTotal, as filed
    value_total: Decimal.nullable(), // tableValueTotal, as filed
    table: TableKind, // the form of the information table
    rows_read: Count, // rows of the table
    rows_refused: Count, // lines of a plain-text table that look like rows and could not be read
    placeholders: Count, // of rows_read: zero or confidential placeholders, which are not holdings
    put_rows: Count, // rows of put options
    call_rows: Count, // rows of call options
    value_sum: Decimal, // of all rows, as filed
    entry_difference: Int.nullable(), // rows_read - entry_total; null if the cover gives none
    value_difference: Decimal.nullable(), // value_sum - value_total, as filed
    unit: ValueUnit.nullable(), // of the rows' values
    unit_source: UnitSource.nullable(), // the evidence for unit
    unit_by_rule: ValueUnit.nullable(), // the unit by filing date or form version only
    cover_unit: ValueUnit.nullable(), // of value_total, if it is known separately from the rows'
    implied_price_median: Real.nullable(), // of value / shares as filed, options and principal amounts left out
    implied_price_high: Real.nullable(), // its ninth decile
    implied_prices: Count, // rows that it is made of
    flags: z.array(Text),
  },
  rows: { key: ['filing_id'], order: ['manager_cik', 'quarter', 'filing_id'], time: 'period_of_report' },
})
export type HoldingsReport = RowOf<typeof holdingsReports>

export const holdings = defineDataset('holdings', '13F holdings', edgarTerms('30 minutes'), {
  description:
    'One row per line of a 13F information table, every column as filed and the value in dollars by the report’s unit. Amendments are separate rows: holdings_reports states which filings count. Placeholders are kept and marked.',
  facts: {
    quarter: Text, // 2024Q4
    manager_cik: Cik.nullable(), // null: a table without a manager
    filing_id: Text, // the accession number, or sha256: and the hash of the document
    line: Int, // 1, 2, 3 … in the order of the table
    accession: AccessionNumber.nullable(),
    period_of_report: IsoDate.nullable(),
    issuer_name: Text.nullable(), // as filed
    issuer_key: Text, // the name without case, punctuation, abbreviations and legal form: what holders are found by
    class_title: Text.nullable(), // as filed
    cusip: Text.nullable(), // nine characters if it could be completed, else as filed; null if there is none
    cusip_filed: Text.nullable(), // if it differs from cusip
    figi: Text.nullable(), // the FIGI, as filed
    value: Decimal.nullable(), // as filed
    value_usd: Decimal.nullable(), // by the report's unit
    shares: Decimal.nullable(), // shares or principal amount, as filed
    shares_type: z.enum(['SH', 'PRN']).nullable().meta({ column: 'VARCHAR' }), // SH: shares; PRN: principal amount
    put_call: z.enum(['put', 'call']).nullable().meta({ column: 'VARCHAR' }), // null for a position that is not an option
    discretion: Text.nullable(), // SOLE, DFND, OTR
    other_managers_filed: Text.nullable(), // the cell as filed: 01,04
    other_managers: z.array(z.object({ number: Text, name: Text.nullable(), cik: Cik.nullable() })), // resolved; name null: dangling
    voting_sole: Decimal.nullable(), // shares with sole voting authority
    voting_shared: Decimal.nullable(), // shares with shared voting authority
    voting_none: Decimal.nullable(), // shares without voting authority
    placeholder: Flag, // zero value and shares, or a line marked as confidential or none: not a holding
    flags: z.array(Text),
  },
  // A filing's table never changes: what amends it is another filing.
  rows: {
    key: ['filing_id', 'line'],
    order: ['quarter', 'manager_cik', 'filing_id', 'line'],
    time: 'period_of_report',
    appended_once: true,
    same_in_document: [
      ...(['quarter', 'manager_cik', 'filing_id', 'accession', 'period_of_report'] as const),
      ...(['known_from', 'known_basis', 'source', 'raw_sha256', 'withdrawn'] as const),
    ],
  },
})
export type Holding = RowOf<typeof holdings>

/**
 * The holders of a security: `holdings` by CUSIP, rows without one by issuer. A file of `holdings` is sorted by manager, so the holders of
 * one security are in every row group of it.
 */
export const holdingsBySecurity: SortedCopy = {
  name: 'holdings_by_security',
  dataset: holdings.name,
  columns: [
    'quarter',
    'manager_cik',
    'filing_id',
    'line',
    'issuer_name',
    'issuer_key',
    'class_title',
    'cusip',
    'value',
    'value_usd',
    'shares',
    'shares_type',
    'put_call',
    'discretion',
    'placeholder',
    'flags',
    'known_from',
    'release_from',
  ],
  order: ['quarter', 'cusip nulls last', 'case when cusip is null then issuer_key end', 'manager_cik', 'filing_id', 'line'],
  // A widely held security fills a tenth of a group. Smaller groups make the footer larger, which every question reads.
  row_group: 40_960,
  least_rows: 51_200,
}
