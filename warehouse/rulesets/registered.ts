// The register's entry for a ruleset.

/**
 * law: what a statute, treaty, exchange or regulator requires; method: how a published standard or the project itself evaluates;
 * product: parameters of the service.
 */
type RulesetKind = 'law' | 'method' | 'product'

export type Registered = {
  /** The part of a ruleset's id before the edition: `withholding` of `withholding@2026-11`. */
  readonly name: string
  /** Folder in warehouse/rulesets. */
  readonly folder: string
  readonly title: string
  readonly decides: string
  readonly kind: RulesetKind
  /** Ids of the operations that answer by it. */
  readonly operations: readonly string[]
  readonly commands: readonly string[]
  /** Members that name an entry of a list, so that it is found in another edition: `a.b` is the list b in each entry of a. */
  readonly keys: Readonly<Record<string, readonly string[]>>
  /** Lists and objects that are rules: each of their rows has to say valid_from, valid_to, source and confidence. */
  readonly rules: readonly string[]
}
