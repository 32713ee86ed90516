// Operations that follow from a ruleset: which edition a question means that names none. The name of a signed question carries the
// edition, so that a receipt is made again by the rules that it was made by.
import { drillRules } from '../rulesets/drill/rules.ts'
import { withholdingRules } from '../rulesets/withholding/rules.ts'

const newest: Readonly<Record<string, string>> = { get_withholding: withholdingRules(undefined).ruleset, interpret_drill: drillRules.ruleset }
/** The newest edition of an operation's ruleset; undefined where it has none. */
export const newestRuleset = (operation: string): string | undefined => newest[operation]
