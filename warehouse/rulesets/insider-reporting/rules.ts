// Whether an issuer's insiders file Forms 3, 4 and 5, or report in another country, according to the rules table.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { dated, RuleSource } from '../editions.ts'
import table from './rules.json' with { type: 'json' }

const Rules = z.strictObject({
  ruleset: z.string(),
  published: IsoDate,
  valid_from: IsoDate,
  sources: z.array(RuleSource),
  read_from: IsoDate,
  foreign_insiders_report_from: IsoDate,
  exempting_order: IsoDate,
  exempt: z.array(z.strictObject({ jurisdiction: z.string(), regime: z.string().nullable(), system: z.string().nullable(), ...dated })),
  coverage_note: z.string(),
  forms: z.strictObject({ domestic: z.array(z.string()), foreign: z.array(z.string()), canadian: z.array(z.string()) }),
})
export const insiderRules = parseOnce(Rules, table)

/** Known facts of an issuer: whether its shares are listed in Canada, and the newest day of each form that it filed. */
export type IssuerEvidence = { readonly listedInCanada: boolean; readonly filed: ReadonlyMap<string, string> }
export type InsiderRegime = 'section_16' | 'canada' | 'foreign' | 'unknown'

/**
 * The country whose rules apply to the insiders. The forms that an issuer filed last decide: annual and quarterly reports of domestic
 * filers mean section 16; the Canadian forms, or those of foreign private issuers together with a listing in Canada, mean Canada. A listing
 * in Canada of an issuer that filed none of them means Canada too.
 */
export function evaluateInsiderRegime({ listedInCanada, filed }: IssuerEvidence, rules = insiderRules): InsiderRegime {
  const newest = (forms: readonly string[]): string => forms.map(form => filed.get(form) ?? '').reduce((a, b) => (a > b ? a : b), '')
  const domestic = newest(rules.forms.domestic)
  const canadian = newest(rules.forms.canadian)
  const foreign = newest(rules.forms.foreign)
  if (domestic !== '' && domestic > canadian && domestic > foreign) return 'section_16'
  if (canadian !== '') return 'canada'
  if (foreign !== '') return listedInCanada ? 'canada' : 'foreign'
  return listedInCanada ? 'canada' : 'unknown'
}

/** Why there is no Form 4 under a regime; null if the law requires it, or the applicable law is unknown. */
export function regimeSentence(regime: InsiderRegime, rules = insiderRules): string | null {
  const before = `until ${rules.foreign_insiders_report_from} by Exchange Act Rule 3a12-3(b)`
  if (regime === 'canada') {
    const { regime: instrument, system } = rules.exempt.find(each => each.jurisdiction === 'Canada') ?? { regime: null, system: null }
    return `${rules.coverage_note}: a Canadian issuer that is a foreign private issuer in the United States is exempt from Forms 3, 4 and 5, ${before}, since then by the SEC's order of ${rules.exempting_order} for insiders who report under ${instrument} on ${system}`
  }
  if (regime === 'foreign') {
    const exempt = rules.exempt.map(each => each.jurisdiction).join(', ')
    return `a foreign private issuer: its insiders filed no Forms 3, 4 and 5 ${before}; since then its directors and officers file them, except where the SEC's order of ${rules.exempting_order} exempts the home country (${exempt})`
  }
  return null
}
