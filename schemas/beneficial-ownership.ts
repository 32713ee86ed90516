// Schedules 13D and 13G: the statement of a holder of more than five percent of a class, and each reporting person on its cover.
// `filing_id` is the accession number, or `sha256:` and the document's hash if a document arrived without one.
import { z } from 'zod'
import { defineDataset, edgarTerms, type RowOf } from './dataset.ts'
import { AccessionNumber, Cik, Count, Decimal, Flag, Int, IsoDate, Real, Text } from './values.ts'

export const ScheduleKind = z.enum(['13D', '13G']).meta({ column: 'VARCHAR' })
export type ScheduleKind = z.infer<typeof ScheduleKind>

/** Where a field of an unstructured document was read: character offsets in the document as filed, and the confidence of the rule. */
export const FieldEvidence = z.object({
  field: Text, // the record's own field
  confidence: Real, // 0 to 1, by rule
  start: Int,
  end: Int,
  printed: Text, // as printed there, with runs of blanks reduced to one, at most 200 characters
})
export type FieldEvidence = z.infer<typeof FieldEvidence>

/** An item that the filing has. `text` is null if it is left empty; `words` counts runs without blanks, the heading left out. */
const ScheduleItem = z.object({
  item: Text, // 1 to 7 of a Schedule 13D, 1 to 10 of a 13G
  title: Text.nullable(),
  text: Text.nullable(),
  words: Count.nullable(),
  not_applicable: Flag.nullable(), // the box of a structured 13G
})
/** `block`: 1, 2, 3 … one per signing person; several may sign for one. */
const ScheduleSignature = z.object({
  block: Int,
  person: Text.nullable(),
  signature: Text.nullable(),
  title: Text.nullable(),
  date: IsoDate.nullable(),
})

const filingId = { filing_id: Text, accession: AccessionNumber.nullable() }
/** The issuer's CIK; `cusip:` and a CUSIP, or `filing:` and the filing, if a document without its submission states no CIK. */
const issuer = { issuer_key: Text, issuer_cik: Cik.nullable() }

export const ownershipSchedules = defineDataset('ownership_schedules', 'Schedules 13D and 13G', edgarTerms('30 minutes'), {
  description:
    'One row per Schedule 13D or 13G or amendment, structured (XML, since December 2024) or read from its HTML or text cover page. Persons are rows of ownership_persons; their holdings overlap and are never summed.',
  facts: {
    ...filingId,
    ...issuer,
    issuer_name: Text.nullable(), // as filed
    form: Text.describe('As filed: SC 13D/A, SCHEDULE 13G …'),
    schedule: ScheduleKind, // the kind of schedule
    amendment: Flag, // true for an amendment
    amendment_number: Text.nullable(), // as filed
    layout: z.enum(['xml', 'html', 'text']).meta({ column: 'VARCHAR' }), // the form of the document
    schema_version: Text.nullable(), // X0101, X0202; null if the document does not state it
    recovered: Flag.describe('The XML was not well-formed and was read as far as it is certain'),
    filed_date: IsoDate.nullable(),
    filer_cik: Cik.nullable().describe('Who filed it: the lead filer of a joint filing'),
    previous_accession: AccessionNumber.nullable().describe('The filing that this one amends, as the filing names it'),
    cusips: z.array(Text).describe('As printed, blanks and dashes taken out'),
    class_title: Text.nullable(), // the class of securities, as filed
    event_date: IsoDate.nullable(), // the day of the event that requires the filing
    event_date_printed: Text.nullable(), // event_date as the document prints it
    rules: z.array(Text).describe('Rule 13d-1(b), 13d-1(c) or 13d-1(d), as ticked'),
    previously_filed_13g: Flag.nullable().describe('The box of a Schedule 13D whose filer reported on 13G before'),
    persons: Count, // the number of reporting persons
    items: z.array(ScheduleItem), // the items with title and text
    purpose: Text.nullable().describe('Item 4 of a Schedule 13D'),
    purpose_words: Count.nullable(), // the number of words of purpose
    funds_source: Text.nullable().describe('Item 3 of a Schedule 13D'),
    signatures: z.array(ScheduleSignature), // the signatures with name, title and day
    evidence: z.array(FieldEvidence).describe('Of an unstructured document: where each field of the cover was read'),
    flags: z.array(Text),
  },
  rows: { key: ['filing_id'], order: ['issuer_key', 'filing_id'], time: 'filed_date' },
})
export type OwnershipSchedule = RowOf<typeof ownershipSchedules>

export const ownershipPersons = defineDataset('ownership_persons', 'Reporting persons of Schedules 13D and 13G', edgarTerms('30 minutes'), {
  description:
    'One row per reporting person of a filing, in the order of the cover pages. The same shares appear on the pages of several persons, so do not sum amounts and percentages over a filing. Null is not zero.',
  facts: {
    ...filingId,
    line: Int, // 1, 2, 3 … in the order of the document
    ...issuer,
    name: Text.nullable(), // as filed
    cik: Cik.nullable(),
    no_cik: Flag.nullable().describe('The filer states that the person has no CIK'),
    sole_voting: Decimal.nullable(), // shares with sole voting power
    shared_voting: Decimal.nullable(), // shares with shared voting power
    sole_dispositive: Decimal.nullable(), // shares with sole dispositive power
    shared_dispositive: Decimal.nullable(), // shares with shared dispositive power
    aggregate: Decimal.nullable(), // shares beneficially owned
    excludes_shares: Flag.nullable().describe('The aggregate leaves certain shares out'),
    percent: Decimal.nullable().describe('Of the class, as printed, without the sign'),
    percent_printed: Text.nullable(), // if it is not a plain number: "less than 1"
    types: z.array(Text).describe('BD, BK, IC, IV, IA, EP, HC, SA, CP, CO, PN, IN, FI, OO'),
    citizenship: Text.nullable(), // citizenship or place of organization, as filed
    group_box: z.enum(['a', 'b']).nullable().meta({ column: 'VARCHAR' }), // the ticked box of row 2: a member of a group (a) or not (b)
    fund_sources: z.array(Text).describe('SC, BK, AF, WC, PF, OO (Schedule 13D)'),
    legal_proceedings: Flag.nullable(), // the ticked box about legal proceedings
    comment: Text.nullable(), // the remark of the person, as filed
    confidence: Real.describe('Lowest confidence over the fields that were read; 1 for structured documents'),
    evidence: z.array(FieldEvidence),
    flags: z.array(Text),
  },
  rows: { key: ['filing_id', 'line'], order: ['issuer_key', 'filing_id', 'line'], time: 'filing_id' },
})
export type OwnershipPerson = RowOf<typeof ownershipPersons>
