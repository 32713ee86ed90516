// Requests of the compliance calculators.
import { z } from 'zod'

/** Numbers of a request: amounts with the digits that were sent, or the binary float of JSON. */
const amount = (description: string, most: number) =>
  z.number({ error: 'expected a number' }).min(0, 'expected 0 or more').max(most, `expected at most ${most}`).describe(description)
const shares = (description: string) =>
  z.int({ error: 'expected a whole number' }).min(0, 'expected 0 or more').max(1e13, 'expected at most 10000000000000').describe(description)
const words = (description: string, most = 100) =>
  z.string({ error: 'expected a text' }).max(most, `expected at most ${most} characters`).describe(description)

export const maxPressRelease = 256 * 1024

const yesNo = (description: string) => z.boolean({ error: 'expected true or false' }).default(false).describe(description)

const offering = {
  offering_type: words('exemption that the offering relies on, such as reg_d_506b').default('reg_d_506b'),
  offering_amount_usd: amount('US dollars that the offering raises', 1e12).default(5_000_000),
  is_mining_resource: yesNo('the issuer explores for or mines minerals'),
  is_flow_through: yesNo('the shares are Canadian flow-through shares'),
  exchange: words('exchange on which the class is listed; empty if unlisted').default(''),
}
const conduct = {
  max_non_accredited: z
    .int({ error: 'expected a whole number' })
    .min(0, 'expected 0 or more')
    .max(1_000_000, 'expected at most 1000000')
    .default(0)
    .describe('most investors who are not accredited'),
  general_solicitation: yesNo('the offering is advertised to the public'),
}
const investorState = words("state, district or territory of the United States of the investor's residence: code or name")
const flowThrough = {
  fts_type: words('kind of flow-through share: regular, critical_mineral, none, development, oil_gas or renewable').default('regular'),
  commodity: words('what the expenses explore for').default('gold'),
  warrant_value: amount('value of the warrant that comes with a share, per share', 1e9).default(0),
}

export const BlueSkyCheckRequest = z.strictObject({ investor_state: investorState, ...offering, ...conduct })
export type BlueSkyCheckRequest = z.output<typeof BlueSkyCheckRequest>

export const BlueSkyMultiStateRequest = z.strictObject({
  states: z.array(investorState, { error: 'expected a list of states' }).min(1, 'expected one state or more').max(60, 'expected at most 60 states'),
  ...offering,
  ...conduct,
})
export type BlueSkyMultiStateRequest = z.output<typeof BlueSkyMultiStateRequest>

export const FTSCalculateRequest = z.strictObject({
  share_price: amount('price of a share, Canadian dollars', 1e9),
  num_shares: shares('shares bought'),
  income: amount('taxable income of the year before the deduction, Canadian dollars', 1e12),
  jurisdiction: words('province or territory of residence: two letters or name'),
  ...flowThrough,
})
export type FTSCalculateRequest = z.output<typeof FTSCalculateRequest>

export const ComplianceFTSRequest = z.strictObject({
  investor_state: words("state of the United States, or province or territory of Canada, of the investor's residence: code or name"),
  ...offering,
  share_price: amount('price of a share, Canadian dollars', 1e9).default(1),
  num_shares: shares('shares bought').default(10_000),
  income: amount('taxable income of the year before the deduction, Canadian dollars', 1e12).default(150_000),
  ...flowThrough,
})
export type ComplianceFTSRequest = z.output<typeof ComplianceFTSRequest>

export const DelistingRiskRequest = z.strictObject({
  ticker: words('symbol in any usual spelling', 32).min(1, 'expected a symbol'),
  exchange: words('exchange of the listing, such as NASDAQ, NYSE or NYSE American').default('NASDAQ'),
  total_shares: shares('shares outstanding; 0: not given').default(0),
  insider_shares: shares('of them held by officers, directors and affiliates').default(0),
  institutional_shares: shares('of them held by institutions').default(0),
  restricted_shares: shares('of them restricted').default(0),
  press_release_text: z
    .string({ error: 'expected a text' })
    .refine(
      text => text.length <= maxPressRelease && new TextEncoder().encode(text).byteLength <= maxPressRelease,
      `the text has more than ${maxPressRelease} bytes: send the part about the listing`,
    )
    .default('')
    .describe(`text of a press release, at most ${maxPressRelease} bytes of UTF-8`),
  operations_country: words('country of the operations, ISO 3166-1 alpha-2').default('US'),
  auditor_jurisdiction: words('country in which the auditor is headquartered, ISO 3166-1 alpha-2').default('US'),
  audit_firm_name: words('name of the audit firm', 200).default(''),
  is_reverse_merger: yesNo('the company came to its listing by a reverse merger'),
  is_shell_company: yesNo('no or nominal operations'),
})
export type DelistingRiskRequest = z.output<typeof DelistingRiskRequest>
