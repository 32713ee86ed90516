// Which listings match a theme's rules, and by which rule. A pure function of the known facts of each listing.

import type { z } from 'zod'
import type { InstrumentType } from '#schemas/symbols.ts'
import type { ThemeRule } from '../../rulesets/themes/rules.ts'

/** The input of rules. */
export type Subject = {
  readonly symbol: string
  readonly exchange: 'US' | 'TO' | 'V'
  readonly type: z.infer<typeof InstrumentType>
  readonly currency: string
  /** Names of the issuer and of the line in capitals, with other characters replaced by spaces, and a space at both ends. */
  readonly name: string
  readonly sic: string | null
  readonly state: string | null
  readonly interlisted: boolean
}
export type Terms = { readonly shares: readonly string[]; readonly canadian_states: readonly string[] }

/** A name as rules compare it: capitals and digits between single blanks. */
export const comparable = (name: string): string =>
  ` ${name
    .slice(0, 300)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()} `

const within = (sic: string, ranges: readonly string[]): boolean =>
  ranges.some(range => {
    const [from = '', to = from] = range.split('-')
    return sic >= from && sic <= to
  })
const containsAny = (name: string, words: readonly string[]): boolean => words.some(word => name.includes(` ${word} `))

/** Whether a listing fits everything that a rule states of the listing itself; dividends are checked separately, for those that fit. */
export function fits(rule: ThemeRule, subject: Subject, terms: Terms): boolean {
  const types: readonly string[] | undefined = rule.types === 'shares' ? terms.shares : rule.types
  if (rule.exchanges !== undefined && !rule.exchanges.includes(subject.exchange)) return false
  if (types !== undefined && !types.includes(subject.type)) return false
  if (rule.currency !== undefined && rule.currency !== subject.currency) return false
  if (rule.sic !== undefined && (subject.sic === null || !within(subject.sic, rule.sic))) return false
  if (rule.country !== undefined && subject.exchange === 'US' && !terms.canadian_states.includes(subject.state ?? '')) return false
  if (rule.interlisted !== undefined && !subject.interlisted) return false
  if (rule.not_words !== undefined && containsAny(subject.name, rule.not_words)) return false
  return rule.words === undefined || containsAny(subject.name, rule.words)
}
