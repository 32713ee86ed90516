// FACTS.md, table `form345/`: Forms 3, 4 and 5.
import { productOf, sumOf } from '#schemas/decimals.ts'
import { Unreadable } from '#schemas/errors.ts'
import { parseSubmission, type Submission } from '../../read/filings/sgml.ts'
import type { Fact } from '../../read/parsed.ts'
import { isEqual, isEqualAmount } from '../accuracy-equality.ts'
import { type Comparisons, compare, type Entry, type Evaluator, type Outcome } from './compare.ts'

const comparisons: Comparisons = {
  value: isEqualAmount,
  agg: equalShares,
  tx: equalRows,
}

/** Sums per table, code and direction. A missing code can be written in many ways. */
function equalShares(expected: unknown, got: unknown): boolean {
  const plain = (value: unknown): Map<string, unknown> =>
    new Map(Object.entries(value ?? {}).map(([key, shares]) => [key.replace(/:(?:None|null|undefined|\?|-)?(?=:|$)/gi, ':'), shares]))
  const [wanted, read] = [plain(expected), plain(got)]
  return wanted.size === read.size && [...wanted].every(([key, shares]) => isEqualAmount(shares, read.get(key)))
}

function equalRows(expected: unknown, got: unknown): boolean {
  if (!Array.isArray(expected) || !Array.isArray(got) || expected.length !== got.length) return isEqual(expected, got)
  return expected.every((row, line) => {
    const read: unknown = got[line]
    if (!Array.isArray(row) || !Array.isArray(read) || row.length !== read.length) return false
    return row.every((cell, column) => isEqual(cell, read[column]) || (column === 5 && equalNotes(cell, read[column])))
  })
}

/** `FN:F1`: if several footnotes replace a price, the facts may name the first one or all of them. */
function equalNotes(expected: unknown, got: unknown): boolean {
  const ids = (value: unknown): string[] => (typeof value === 'string' && value.startsWith('FN:') ? value.slice(3).split(/[\s,;+|]+/) : [])
  const [wanted, read] = [ids(expected), ids(got)]
  return wanted.length > 0 && (isEqual(wanted, read) || (wanted.length === 1 && wanted[0] === read[0]))
}

type Transaction = Fact<'insider_transactions'>
type Owner = Fact<'insider_filings'>['owners'][number]

const ownerFlags = (owner: Owner): string =>
  `${owner.director ? 'D' : ''}${owner.officer ? 'O' : ''}${owner.ten_percent_owner ? 'T' : ''}${owner.other ? 'X' : ''}`

function priceCell({ price, footnotes }: Transaction): string | null {
  const ids = footnotes.filter(note => note.field === 'price').map(note => note.id)
  return price ?? (ids.length > 0 ? `FN:${ids.join(',')}` : null)
}

function ownershipFacts(filing: Fact<'insider_filings'>, transactions: readonly Transaction[], holdings: readonly Fact<'insider_holdings'>[]) {
  const ordered = [...transactions.filter(row => !row.derivative), ...transactions.filter(row => row.derivative)]
  const shares = new Map<string, string[]>()
  for (const row of ordered) {
    const key = `${row.derivative ? 'D' : 'N'}:${row.code ?? ''}:${row.acquired_disposed ?? ''}`
    shares.set(key, [...(shares.get(key) ?? []), row.shares ?? '0'])
  }
  const priced = transactions.flatMap(({ derivative, shares: count, price }) =>
    !derivative && count !== null && price !== null ? [productOf(count, price)] : [],
  )
  return {
    doc: filing.form,
    schema: filing.schema_version,
    period: filing.period_of_report,
    issuer: [filing.issuer_name, filing.issuer_symbol, filing.issuer_cik],
    owners: filing.owners.map(owner => [owner.name, owner.cik, ownerFlags(owner), owner.officer_title]),
    ndT: transactions.filter(row => !row.derivative).length,
    ndH: holdings.filter(row => !row.derivative).length,
    dT: transactions.filter(row => row.derivative).length,
    dH: holdings.filter(row => row.derivative).length,
    tx: ordered.map(row => [
      row.derivative ? 'D' : 'N',
      row.transaction_date,
      row.code,
      row.acquired_disposed,
      row.shares,
      priceCell(row),
      row.shares_after,
      row.direct_or_indirect,
    ]),
    footnotes: filing.footnotes.length,
    remarks: filing.remarks !== null,
    aff10b5: filing.aff_10b5_1,
    origDate: filing.original_filed_date,
    sigs: filing.signatures.length,
    nosec: filing.no_securities_owned,
    notSubj16: filing.not_subject_to_section16,
    agg: Object.fromEntries([...shares].map(([key, counts]) => [key, sumOf(counts)])),
    value: sumOf(priced),
    noPrice: transactions.filter(row => row.price === null).length,
  }
}

/** Facts about rows. A paper form transcribed by eye has its row or none. */
const rowFields = new Set(['ndT', 'ndH', 'dT', 'dH', 'tx', 'agg', 'value', 'noPrice'])

export const form345: Evaluator = (found, entry, fields) => {
  if (found.reader === null) throw new Unreadable('unknown_kind', 'no reader recognises this kind of document')
  const parsed = found.reader.parse(found.document)
  const [filing] = parsed.facts.insider_filings ?? []
  if (filing !== undefined)
    return compare(ownershipFacts(filing, parsed.facts.insider_transactions ?? [], parsed.facts.insider_holdings ?? []), entry, fields, comparisons)
  const [refusal] = parsed.refused.filter(refused => refused.dataset === 'insider_filings')
  if (refusal !== undefined) throw new Unreadable(refusal.reason, refusal.detail)
  return [
    { field: 'readable', equal: (parsed.facts.filings ?? []).length > 0, expected: true, got: (parsed.facts.filings ?? []).length > 0 },
    ...(entry['read'] === 'by eye' ? paperFacts(parseSubmission(found.document.body), entry, fields) : compare({}, entry, fields)),
  ]
}

/** A form without XML: only its header is read, and it has no rows. */
function paperFacts({ header }: Submission, entry: Entry, fields: readonly string[]): Outcome[] {
  const issuer = header.entities.find(entity => entity.role === 'issuer' || entity.role === 'subject_company')
  const owners = header.entities.filter(entity => entity.role === 'reporting_owner')
  const flags = (relationship: string | null): string =>
    [/DIRECTOR/i, /OFFICER/i, /(10|TEN) ?(%|PERCENT)/i, /OTHER/i].map((role, index) => (role.test(relationship ?? '') ? 'DOTX'[index] : '')).join('')
  const read = {
    doc: header.form,
    schema: null,
    period: header.period,
    issuer: [issuer?.name ?? null, null, issuer?.cik ?? null],
    owners: owners.map(owner => [owner.name, owner.cik, flags(owner.relationship), null]),
  }
  const evaluated = compare(read, entry, fields, comparisons)
  return evaluated.map(outcome => (rowFields.has(outcome.field) ? { ...outcome, equal: true, got: 'no row' } : outcome))
}
