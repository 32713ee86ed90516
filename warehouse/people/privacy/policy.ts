// The privacy policy, generated from the inventory of tables, the ruleset and the configuration of this installation.
import { type Config, isLoopback } from '#schemas/config.ts'
import { type PrivacyRules, privacyRules } from '../../rulesets/privacy/rules.ts'
import { inventory } from '../users/inventory.ts'

const erased: Readonly<Record<'delete' | 'keep_pseudonym', string>> = {
  delete: 'deleted with the account',
  keep_pseudonym: 'kept under a pseudonym whose key is destroyed with the account',
}

/** The recipients of data from this installation. */
function subprocessorsOf({ smtpUrl, stripeKey, model }: Config): { name: string; purpose: string; data: string }[] {
  return [
    ...(smtpUrl === null
      ? []
      : [{ name: new URL(smtpUrl.reveal()).hostname, purpose: 'sends mail', data: 'address, subject and text of each mail' }]),
    ...(stripeKey === null
      ? []
      : [{ name: 'Stripe', purpose: 'takes payments', data: 'address, tier and interval; only Stripe receives card data' }]),
    ...(model === null || (model.url !== null && isLoopback(new URL(model.url).hostname))
      ? []
      : [
          {
            name: model.url === null ? 'Anthropic' : new URL(model.url).hostname,
            purpose: 'words answers of the assistant, of questions with quality deep or an image',
            data: 'the question, its image, the last messages of the chat, the assistant profile, and the market data that the answer is made from',
          },
        ]),
    {
      name: 'the push service of your browser',
      purpose: 'carries notices to browsers that were subscribed',
      data: 'an encrypted text that it cannot read, and when it was sent',
    },
  ]
}

/** The members of the policy's answer. */
export function policyOf(config: Config, rules: PrivacyRules = privacyRules) {
  const { purposes, rights, without_account } = rules
  return {
    ruleset: rules.ruleset,
    version: rules.version,
    controller: { name: config.controller ?? 'the operator of this installation', contact: config.contact },
    purposes: purposes.map(({ id, text }) => ({ id, text })),
    rights: rights.map(({ id, law, text, how }) => ({ id, law, text, how })),
    data: inventory.map(({ table, about, category, basis, retention, withheld, erase }) => ({
      table,
      about,
      category,
      basis,
      retention,
      exported: withheld !== null,
      erased: erased[erase],
    })),
    without_account: without_account.map(({ what, basis, retention }) => ({ what, basis, retention })),
    subprocessors: subprocessorsOf(config),
    transfers: rules.transfers,
    retention_after_erasure: rules.retention_after_erasure,
    automated_decisions: rules.automated_decisions,
    children: rules.children,
    regulators: rules.regulators,
    complaints: rules.complaints,
  }
}
