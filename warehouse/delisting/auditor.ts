// The auditor's jurisdiction under the Holding Foreign Companies Accountable Act, and where an issuer is based (domain-rules.md e.3).
import { BadRequest } from '#schemas/errors.ts'
import type { DelistingRules, Jurisdiction } from '../rulesets/delisting/rules.ts'
import { countries, findCountry } from '../rulesets/macro/rules.ts'

export type Flag = { readonly flag: string; readonly status: 'raised' | 'clear' | 'unknown'; readonly explanation: string }
export type AuditorJudgement = {
  readonly auditor_jurisdiction: string
  readonly audit_firm_name: string | null
  readonly operations_country: string
  /** breach: identified by the PCAOB; watch: it once was; clear: never was. */
  readonly status: 'breach' | 'watch' | 'clear'
  readonly prohibition_years: number
  readonly rule: string
  readonly explanation: string
  readonly flags: readonly Flag[]
}
export type AuditorNumbers = { readonly operations_country: string; readonly auditor_jurisdiction: string; readonly audit_firm_name: string }

/** `headquartered in` decides, never `affiliate of`. Throws `BadRequest` (422) for a country that nobody knows. */
export function judgeAuditor(
  asked: AuditorNumbers,
  rules: DelistingRules,
  cues: { readonly vie: Flag['status']; readonly changed: Flag['status'] },
): AuditorJudgement {
  const auditor = countryOf('auditor_jurisdiction', asked.auditor_jurisdiction, rules)
  const operations = countryOf('operations_country', asked.operations_country, rules)
  const row = jurisdictionOf(auditor, rules)
  const based = jurisdictionOf(operations, rules)
  const firm = asked.audit_firm_name.trim()
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

/** ISO 3166-1 alpha-2 of a code or a name, in any case. */
function countryOf(field: string, text: string, rules: DelistingRules): string {
  const asked = text.trim().toUpperCase()
  const byName = rules.jurisdictions.find(({ country, names }) => country === asked || names.includes(asked))
  if (byName) return byName.country
  const found = findCountry(asked) ?? countries.find(({ name }) => name.toUpperCase() === asked)
  if (found) return found.country
  throw new BadRequest(`${field}: no country ${JSON.stringify(text.slice(0, 40))} is known`, {
    status: 422,
    code: 'validation_error',
    hint: `${field} is an ISO 3166-1 alpha-2 code such as US, CA, CN or HK`,
    items: [{ loc: ['body', field], msg: 'expected a country: ISO 3166-1 alpha-2', type: 'custom' }],
  })
}
