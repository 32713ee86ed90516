// The work of reading grows in proportion to the text, for any content. Work is counted, not timed: how often V8 entered each block of this
// folder's code. A text of twice the length may enter about twice as many blocks.
import { Session } from 'node:inspector/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DrillInterpretRequest, maxDrillText } from '#schemas/drill.ts'

type Interpret = typeof import('./interpret.ts').interpretDrill
type Rules = typeof import('../../rulesets/drill/rules.ts').drillRules
const session = new Session()
let interpret: Interpret
let rules: Rules
beforeAll(async () => {
  session.connect()
  await session.post('Profiler.enable')
  // V8 counts blocks of code compiled from this point on, so the reader is loaded after it.
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  interpret = (await import('./interpret.ts')).interpretDrill
  rules = (await import('../../rulesets/drill/rules.ts')).drillRules
})
afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
})

/** Blocks of warehouse/rules/drill that reading a text enters: counted since they were last taken. */
async function workOf(text: string): Promise<number> {
  const request = DrillInterpretRequest.parse({ text })
  await session.post('Profiler.takePreciseCoverage')
  interpret(request, rules)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => /\/warehouse\/rules\/drill\/[a-z-]+\.ts/.test(url))
    .flatMap(script => script.functions.flatMap(each => each.ranges))
    .reduce((sum, { count }) => sum + count, 0)
}

/** The same count twice in a row: V8 counts some blocks twice, or not, in a run in the middle of which it compiles their function again. */
async function settledWorkOf(text: string): Promise<number> {
  let before = await workOf(text)
  for (let runs = 1; runs < 12; runs += 1) {
    const work = await workOf(text)
    if (work === before) return work
    before = work
  }
  throw new Error('the counts of twelve runs over the same text differ')
}

const kinds: Readonly<Record<string, string>> = {
  digits: '1',
  'digits and spaces': '1 ',
  'digits and points': '1.',
  commas: ',',
  'numbers and commas': '1,',
  'thousands in French': '1 234,5 ',
  brackets: '(',
  'brackets that close': '()',
  'incl. without end': 'incl. ',
  'and including': 'and including ',
  pipes: '|',
  'pipes and numbers': '| 1 ',
  'lines of tables': 'Hole | From | To | Au (g/t)\n| A-1 | 1 | 2 | 3 |\n',
  'heads of tables': 'From To Interval Au (g/t)\n',
  'cells on lines of their own': 'From\nTo\nInterval\nAu (g/t)\n1\n2\n1\n3\n',
  'one huge line of results': '1.0 m @ 2.0 g/t Au from 3.0 m, incl. 0.5 m @ 3.0 g/t Au ',
  'results on lines': 'Hole A-26-01: 1.0 m @ 2.0 g/t Au from 3.0 m\n',
  'French results': '12,5 m à 3,2 g/t d’or à partir de 120,0 m, incluant 2,0 m à 10 g/t ',
  lengths: '1 m ',
  grades: '3 g/t Au, ',
  ranges: '1-2 m ',
  'true widths': 'true width ',
  'shares of widths': '70% of core true ',
  recoveries: 'gold and silver recoveries of 90% ',
  formulas: 'AuEq = Au + Ag / 80 ',
  prices: '$2,000/oz gold ',
  fractions: '5 1/2 ',
  names: 'A-1-',
  quotes: '"\'',
  spaces: ' ',
  'line feeds': '\n',
  words: 'qualified person ',
}

describe('256 KiB of hostile text are read with work in proportion to their length', () => {
  it.each(Object.entries(kinds))('%s', async (_name, unit) => {
    const textOf = (bytes: number): string => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
    // Anything that is loaded or calculated once happens before the count starts.
    await workOf(textOf(4 * 1024))
    const [half, whole] = [await settledWorkOf(textOf(maxDrillText / 2)), await settledWorkOf(textOf(maxDrillText))]
    expect(half).toBeGreaterThan(0)
    expect(whole / half).toBeLessThan(2.1)
  })
})
