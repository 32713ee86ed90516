// The auditor's jurisdiction under the Holding Foreign Companies Accountable Act, and where an issuer is based.
import type { DelistingRules, Jurisdiction } from '../../rulesets/delisting/rules.ts'
import { countries, findCountry } from '../../rulesets/macro/rules.ts'
import { didYouMean, keyOf, nearestRows, quoted, refused } from '../../rulesets/named.ts'

export type Flag = { readonly flag: string; readonly status: 'raised' | 'clear' | 'unknown'; readonly explanation: string }
export type AuditorVerdict = {
  readonly auditor_jurisdiction: string
  readonly audit_firm_name: string | null
  readonly operations_country: string
  /** breach: identified by the PCAOB; watch: formerly identified; clear: never identified. */
  readonly status: 'breach' | 'watch' | 'clear'
  readonly prohibition_years: number
  readonly rule: string
  readonly explanation: string
  readonly flags: readonly Flag[]
}
export type AuditorNumbers = { readonly operations_country: string; readonly auditor_jurisdiction: string; readonly audit_firm_name: string }

/** `headquartered in` decides, never `affiliate of`. Throws `BadRequest` (422) for an unknown country. */
export function evaluateAuditor(
  requested: AuditorNumbers,
  rules: DelistingRules,
  cues: { readonly vie: Flag['status']; readonly changed: Flag['status'] },
): AuditorVerdict {
  const auditor = countryOf('auditor_jurisdiction', requested.auditor_jurisdiction, rules)
  const operations = countryOf('operations_country', requested.operations_country, rules)
  const row = jurisdictionOf(auditor, rules)
  const based = jurisdictionOf(operations, rules)
  const firm = requested.audit_firm_name.trim()
  const status = row?.auditor === 'identified' ? 'breach' : row?.auditor === 'watch' ? 'watch' : 'clear'
  const chinese = based?.china_based === true
  return {
    auditor_jurisdiction: auditor,
    audit_firm_name: firm === '' ? null : firm,
    operations_country: operations,
    status,
    prohibition_years: rules.auditor.prohibition_years,
    rule: rules.auditor.rule,
    explanation: row
      ? `an auditor headquartered in ${auditor}: ${row.note}; to be checked at each annual determination`
      : `no determination has named ${auditor}`,
    flags: [
      { flag: 'auditor_not_pcaob_registered', status: 'unknown', explanation: rules.auditor.unregistered_reason },
      { flag: 'auditor_recently_changed', status: cues.changed, explanation: 'by filings on form 8-K with item 4.01' },
      {
        flag: 'china_based_issuer',
        status: chinese ? 'raised' : 'clear',
        explanation: `operations in ${operations}${chinese ? `: ${based?.note}` : ''}`,
      },
      { flag: 'vie_structure', status: cues.vie, explanation: 'by the words of the press release' },
    ],
  }
}

const jurisdictionOf = (country: string, rules: DelistingRules): Jurisdiction | null =>
  rules.jurisdictions.find(each => each.country === country) ?? null

/** ISO 3166-1 alpha-2 of a code or a usual name. Throws `BadRequest` (422) that proposes the nearest. */
function countryOf(member: string, text: string, rules: DelistingRules): string {
  const named = [...rules.jurisdictions, ...rules.country_names, ...countries.map(({ country, name }) => ({ country, names: [name] }))]
  const key = keyOf(text)
  const found = findCountry(text.trim()) ?? named.find(({ country, names }) => keyOf(country) === key || names.some(name => keyOf(name) === key))
  if (found) return found.country
  const rows = named.map(({ country, names }) => ({ name: `${country} (${names[0]})`, spellings: names }))
  const hint = `${didYouMean(nearestRows(text, rows, 2))}an ISO 3166-1 alpha-2 code such as US, CA, CN or HK, or the name`
  throw refused(member, `no country ${quoted(text)} is known`, hint)
}
