// Operations with a ruleset: the edition of a request that names none. A signed request contains the edition, so that a receipt is
// reproduced by the same rules.
import { drillRules } from '../rulesets/drill/rules.ts'
import { withholdingRules } from '../rulesets/withholding/rules.ts'

const newest: Readonly<Record<string, string>> = { get_withholding: withholdingRules(undefined).ruleset, interpret_drill: drillRules.ruleset }
/** The newest edition of an operation's ruleset; undefined if it has none. */
export const newestRuleset = (operation: string): string | undefined => newest[operation]
