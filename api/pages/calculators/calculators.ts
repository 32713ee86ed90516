// `/calculators`: what each of them answers, with the edition of its rules.
import { blueSkyRules } from '#warehouse/rulesets/blue-sky/rules.ts'
import { delistingRules } from '#warehouse/rulesets/delisting/rules.ts'
import { drillRules } from '#warehouse/rulesets/drill/rules.ts'
import { flowThroughRules } from '#warehouse/rulesets/flow-through/rules.ts'
import { withholdingRules } from '#warehouse/rulesets/withholding/rules.ts'
import { pageHead } from '../components/parts.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'

const listed = [
  [
    '/calculators/withholding',
    'Dividend withholding',
    'What is withheld from a dividend between Canada and the United States, by kind of account, with treaty articles.',
    () => withholdingRules(undefined).ruleset,
  ],
  [
    '/calculators/drill',
    'Drill results',
    'Reads a news release with drill results: the table drawn, grades compared, and every flag marked on the text.',
    () => drillRules.ruleset,
  ],
  [
    '/calculators/flow-through',
    'Flow-through shares',
    'What Canadian flow-through shares cost after deduction, credits and recapture, and the price at which a sale breaks even.',
    () => flowThroughRules(undefined).ruleset,
  ],
  [
    '/calculators/blue-sky',
    'Blue sky',
    'An offering of securities in a state of the United States: exemption, notice filing and fees.',
    () => blueSkyRules(undefined).ruleset,
  ],
  [
    '/calculators/delisting',
    'Delisting',
    'A listing against the rules of its exchange: price clocks, market values, filings, float and auditor.',
    () => delistingRules(undefined).ruleset,
  ],
] as const

export const calculatorsPage = page('/calculators', 'Calculators', {
  summary: 'Withholding, drill results, flow-through shares, blue sky and delisting, each by dated rules with sources.',
  navigation: 'Calculators',
  width: 'text',
  operations: [],
  async render() {
    return {
      main: html`${pageHead('Calculators', 'Each answer names the edition of its rules and their sources. Nothing that you type is stored.')}
<ul class="starts">${listed.map(([path, title, text, edition]) => html`<li><a href="${path}">${title}<span>${text}</span><span><code>${edition()}</code></span></a></li>`)}</ul>`,
    }
  },
})
