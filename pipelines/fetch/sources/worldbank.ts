// World Bank indicators, version 2. An error is a list of one object with `message`, status 200.
import { BadRequest } from '#schemas/errors.ts'
import { excerpt } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, jsonUpstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  if (!/^\s*(?:\[\s*)?\{\s*"message"\s*:/.test(answer.head)) return null
  const quoted = /"value"\s*:\s*"([^"]{0,200})"/.exec(answer.head)?.[1] ?? answer.head
  // 175: "The indicator was not found"; 120 also covers parameters that are merely invalid.
  if (/"id"\s*:\s*"?175\b/.test(answer.head)) return doesNotExist('unknown_indicator', `"${excerpt(quoted)}"`)
  return couldNotAsk('error_instead', `"${excerpt(quoted)}" with status ${answer.status}`)
}

export const worldBank = jsonUpstream('worldbank', 'World Bank Indicators', {
  hosts: ['api.worldbank.org'],
  licence: 'CC BY 4.0',
  limits: { perSecond: 1, burst: 2 },
  disguised,
})

/** Years of one indicator for every country; the service pages it. */
export function worldBankUrl(indicator: string, fromYear: number, toYear: number, page = 1): string {
  if (!/^[A-Z0-9.]{3,40}$/.test(indicator)) throw new BadRequest(`worldbank: "${indicator.slice(0, 40)}" is not an indicator`)
  return `https://api.worldbank.org/v2/country/all/indicator/${indicator}?format=json&date=${fromYear}:${toYear}&per_page=5000&page=${page}`
}
