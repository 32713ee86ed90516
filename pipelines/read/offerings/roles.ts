// The words of a prospectus for the role of a firm in the sale.
import type { z } from 'zod'
import type { Underwriter } from '#schemas/offerings.ts'

export type Role = z.infer<typeof Underwriter>['role']

const rank = String.raw`(?:sole|exclusive|joint|lead|co-?lead|left|active|passive|co-?|senior|junior|managing|global|several|initial|structuring|principal|qualified independent|non-?exclusive|book-?\s?running|physical|and|or|of the|,|\/|&|-|\s)*`
const noun = String.raw`(?:placement agents?|underwriters?|book-?\s?running (?:lead )?managers?|book-?\s?running|book-?\s?runners?|managers?|representatives?|sales agents?|selling agents?|selling group|distribution agents?|offering agents?|marketing agents?|purchasing agents?|agents?|dealer[- ]managers?|managing (?:broker-)?dealers?|coordinators?)`
/** Maximum length of a line that consists of a role, so that the cost stays linear. */
export const isRoleHead = (text: string): boolean => text.length <= 90 && roleHead.test(text)
/** A line that consists of a role: `Joint Book-Running Managers`, `Lead Placement Agent`, `Selling Agents`. */
const roleHead = new RegExp(`^${rank}${noun}(?:${rank}${noun})*(?: of the (?:several )?underwriters)?:?$`, 'i')

/** A role in a sentence: `our exclusive placement agent`, `representatives of the underwriters`; the noun is its first group. */
export const rolePhrase = String.raw`(?:our |the |an? |its |their |such |on[e-]of the )?${rank}(${noun})\b`

/** Words before `agent` that make it one for something else than the sale. */
export const otherAgents =
  '(?:calculation|transfer|paying|warrant|escrow|subscription|information|exchange|rights|collateral|administrative|fiscal|tabulation|settlement|tender|forwarding|auction|remarketing|listing|process|benchmark)'

/** The role that words name; null for agents and managers that do not sell. */
export function roleOf(text: string): Role | null {
  if (new RegExp(`\\b${otherAgents} agents?\\b`, 'i').test(text)) return null
  if (/placement/i.test(text)) return 'placement_agent'
  if (/dealer[- ]manager|managing (?:broker-)?dealer/i.test(text)) return 'dealer_manager'
  if (/\b(?:sales|selling|distribution|offering|marketing) (?:agent|group)/i.test(text)) return 'agent'
  if (/underwriter|manager|book-?\s?runn|representative|coordinator/i.test(text)) return 'underwriter'
  return /\bagents?\b/i.test(text) ? 'agent' : null
}

/** Firms below a heading lead the offering. */
export const leads = (head: string | null): boolean =>
  head !== null && /sole|lead|book|exclusive|representative|joint/i.test(head) && !/co-?(?:manager|placement)/i.test(head)
