// Chooses the two filings of a family to compare, and explains when there is no pair.
import type { DiffRules } from '../../rulesets/rfdiff/rules.ts'
import type { SectionFiling } from './risk-factors.ts'

/** Base forms that are compared with one another, by the requested form. */
const families: Readonly<Record<string, readonly string[]>> = {
  '10-K': ['10-K', '10-K405', '10-KSB', '10-KSB40', '10-KT', '10-KT405'],
  '10-Q': ['10-Q', '10-QSB', '10-QT'],
  '20-F': ['20-F', '20FR12B', '20-FR12B', '20-FR12G'],
  '40-F': ['40-F', '40-FR12B', '40-FR12G'],
  'S-1': ['S-1'],
  'F-1': ['F-1'],
  'S-11': ['S-11'],
  'F-10': ['F-10'],
}
/** The forms of a family, amendments among them. */
export const formsOf = (form: string): string[] => (families[form] ?? [form]).flatMap(base => [base, `${base}/A`])
/** The family that a form belongs to; empty if it is not compared. */
export function diffFamily(form: string): string {
  const base = form.replace(/\/A$/, '')
  return Object.keys(families).find(family => families[family]?.includes(base)) ?? ''
}
const isAmendment = (form: string): boolean => form.endsWith('/A')
/** A registration statement's amendments are its versions. */
const isRegistration = (form: string): boolean => /^(?:S-1|F-1|S-11|F-10)(?:\/A)?$/.test(form)

/** The item as the dataset of items calls it, and whether its text is risk factors. `1A` is the risk factors of any form. */
export function itemOfForm(form: string, item: string): { readonly stored: string; readonly factors: boolean } {
  const risk = form === '20-F' ? '3.D' : form === '10-K' || form === '10-Q' ? '1A' : 'risk_factors'
  const factors = item === '1A' || item === risk
  return { stored: factors ? risk : item, factors }
}

/** True if the section is printed, in full or as an update. A registration statement's has no row among the items. */
export const hasContent = (filing: SectionFiling): boolean =>
  filing.status === 'full' || filing.status === 'update' || (filing.status === null && filing.factors > 0)

type Common = { readonly old: SectionFiling | null; readonly new: SectionFiling | null; readonly warnings: readonly string[] }
export type Chosen =
  | (Common & { readonly kind: 'pair'; readonly old: SectionFiling; readonly new: SectionFiling })
  | (Common & { readonly kind: 'no_update' | 'not_required' | 'one_filing' | 'no_filing' | 'not_read' })
  | (Common & { readonly kind: 'unknown_accession'; readonly accession: string })
  | (Common & { readonly kind: 'section_missing'; readonly filing: SectionFiling; readonly others: readonly string[] })

type Query = { readonly old?: string | undefined; readonly new?: string | undefined }

/** `filings` oldest first, of one family. */
export function choosePair(filings: readonly SectionFiling[], requested: Query, rules: Pick<DiffRules, 'restated_words'>): Chosen {
  const named = (accession: string | undefined): SectionFiling | null => filings.find(filing => filing.accession === accession) ?? null
  const nothing: Common = { old: null, new: null, warnings: [] }
  for (const accession of [requested.old, requested.new]) {
    if (accession !== undefined && named(accession) === null) return { ...nothing, kind: 'unknown_accession', accession }
  }
  if (filings.length === 0) return { ...nothing, kind: 'no_filing' }
  const counting = filings.filter(filing => counts(filing, rules))
  const recent = named(requested.new) ?? counting.findLast(filing => filing.was_read || filing.factors > 0) ?? null
  if (recent === null) return { ...nothing, kind: 'not_read' }
  const older = counting.filter(filing => filings.indexOf(filing) < filings.indexOf(recent) && !isAmendedBy(filing, recent))
  const old = named(requested.old) ?? older.findLast(hasContent) ?? older.at(-1) ?? null
  const common: Common = { old, new: recent, warnings: warningsOf(filings, older, old, recent) }
  const missing = (filing: SectionFiling): Chosen => ({
    ...common,
    kind: 'section_missing',
    filing,
    others: filings
      .filter(hasContent)
      .map(each => each.accession)
      .reverse(),
  })
  if (statesNoChange(recent)) return { ...common, kind: 'no_update' }
  if (recent.status === 'not_required') return { ...common, kind: 'not_required' }
  if (!hasContent(recent)) return missing(recent)
  if (old === null) return { ...common, kind: 'one_filing' }
  if (hasContent(old)) return { ...common, kind: 'pair', old, new: recent }
  // Only stubs came before: this is the first stored filing that prints the section.
  return requested.old === undefined && (statesNoChange(old) || old.status === 'not_required') ? { ...common, kind: 'one_filing' } : missing(old)
}

/** States that nothing changed, or is a quarterly report that only points to the last annual one. */
const statesNoChange = ({ status, form }: SectionFiling): boolean =>
  status === 'no_material_change' || (status === 'incorporated_by_reference' && /^10-?Q/.test(form))

/** A report that a later amendment restates for the same period: the comparison is with the previous period. */
function isAmendedBy(filing: SectionFiling, amendment: SectionFiling): boolean {
  if (!isAmendment(amendment.form) || isRegistration(amendment.form)) return false
  return filing.period_of_report !== null && filing.period_of_report === amendment.period_of_report
}

/** An amendment counts if it restates the section; others correct a part that is not compared here. */
function counts(filing: SectionFiling, rules: Pick<DiffRules, 'restated_words'>): boolean {
  if (!isAmendment(filing.form) || isRegistration(filing.form)) return true
  return hasContent(filing) && (filing.words ?? 0) >= rules.restated_words
}

function warningsOf(filings: readonly SectionFiling[], older: readonly SectionFiling[], old: SectionFiling | null, recent: SectionFiling): string[] {
  const behind = filings.slice(filings.indexOf(recent) + 1)
  const between = old === null ? [] : older.slice(older.indexOf(old) + 1)
  const amended = filings.filter(filing => filing !== old && filings.indexOf(filing) < filings.indexOf(recent) && isAmendedBy(filing, recent))
  return [
    ...behind
      .filter(filing => isAmendment(filing.form))
      .map(filing => `${filing.accession} (${filing.form}, filed ${filing.filed_date}) amends it later and is not compared`),
    ...behind
      .filter(filing => !isAmendment(filing.form) && !filing.was_read && filing.factors === 0)
      .map(filing => `${filing.accession} (${filing.form}, filed ${filing.filed_date}) is newer; its document has not been read yet`),
    ...(older.includes(old as SectionFiling)
      ? between.map(
          filing =>
            `${filing.accession} (${filing.form}, filed ${filing.filed_date}) lies between and was left out: ${filing.status ?? 'section not found'}`,
        )
      : []),
    ...amended.map(filing => `${recent.accession} (${recent.form}) restates the section of ${filing.accession} and stands in its place`),
    ...(recent.status === 'update' ? [`${recent.accession} prints new or changed factors only: a removed one may still stand`] : []),
    ...(old?.status === 'update' ? [`${old.accession} prints new or changed factors only: a new one may be older`] : []),
  ]
}
