import { describe, expect, it } from 'vitest'
import { flowThroughCommand, offeringCommand } from './flow-through.ts'
import type { Io } from './io.ts'

function run(command: (argv: readonly string[], io: Io) => number, ...argv: string[]): { code: number; out: string } {
  const out: string[] = []
  const io = { out: (line: string) => void out.push(line), err: () => {}, width: 80, colour: false } as unknown as Io
  return { code: command(argv, io), out: out.join('\n') }
}
const investor = ['--share-price', '1.25', '--shares', '10,000', '--income', '185,000', '--jurisdiction', 'ON']
const widest = (text: string): number => Math.max(...text.split('\n').map(line => line.length))

describe('crossfile flow-through', () => {
  it('prints the brackets, how the cost comes down and the break-even price, within the terminal', () => {
    const { code, out } = run(flowThroughCommand, ...investor, '--type', 'critical_mineral', '--commodity', 'copper', '--warrant', '0.10')
    expect(code).toBe(0)
    for (const part of [
      'tax year 2026',
      '10,000 at 1.25 CAD, of which 0.1 for the warrant',
      '181,440.00',
      '48.26 %',
      'CMETC, 30 %',
      '5,218.04',
      '0.6878 per share',
    ])
      expect(out).toContain(part)
    expect(out).not.toContain('…')
    expect(widest(out)).toBeLessThanOrEqual(80)
  })
  it.each(['0', '20000', '5000000'])('fits the terminal at an income of %s', income => {
    for (const jurisdiction of ['QC', 'ON', 'NL'])
      expect(
        widest(run(flowThroughCommand, '--share-price', '12.5', '--shares', '100000', '--income', income, '--jurisdiction', jurisdiction).out),
      ).toBeLessThanOrEqual(80)
  })
  it('says what else may apply, and what is over', () => {
    expect(run(flowThroughCommand, ...investor, '--commodity', 'lithium').out).toMatch(/with CMETC .*net cost/)
    expect(run(flowThroughCommand, '--share-price', '1', '--shares', '1', '--income', '90000', '--jurisdiction', 'Quebec').out).toContain(
      '2025-03-25',
    )
  })
  it('prints the body of the answer as JSON, under an edition', () => {
    expect(JSON.parse(run(flowThroughCommand, ...investor, '--json', '--ruleset', 'fts@2025').out)).toMatchObject({
      ruleset: 'fts@2025',
      cost: 12_500,
    })
  })
  it.each([
    [['--shares', '10', '--income', '1', '--jurisdiction', 'ON'], '--share-price: is missing'],
    [['--share-price', '1,5', '--shares', '10', '--income', '1', '--jurisdiction', 'ON'], '--share-price: "1,5" is not a number'],
    [['--share-price', '1', '--shares', '1.5', '--income', '1', '--jurisdiction', 'ON'], '--shares: expected a whole number'],
    [['--share-price', '1', '--shares=-1', '--income', '1', '--jurisdiction', 'ON'], '--shares: expected 0 or more'],
    [['--share-price', '1', '--shares', '1', '--income', '1', '--jurisdiction', 'Ontaria'], '--jurisdiction: there is no such province'],
    [['--share-price', '1', '--shares', '1', '--income', '1', '--jurisdiction', 'NY'], '--jurisdiction: New York is no province'],
    [[...investor, '--type', 'gold'], '--type: there is no such kind'],
    [[...investor, '--ruleset', 'fts@1999'], 'fts@1999'],
  ])('%j is refused: %s', (argv, says) => {
    expect(() => run(flowThroughCommand, ...argv)).toThrow(says)
  })
})

describe('crossfile offering', () => {
  it('prints the tax of an investor in Canada, and why state law does not apply', () => {
    const { code, out } = run(offeringCommand, '--investor', 'BC', '--flow-through', '--income', '300000')
    expect(code).toBe(0)
    for (const part of ['British Columbia, tax year 2026', 'State law: does not apply', 'NI 45-106']) expect(out).toContain(part)
    expect(widest(out)).toBeLessThanOrEqual(80)
  })
  it('prints the check for one in the United States, and why Canadian tax does not', () => {
    const { out } = run(offeringCommand, '--investor', 'NY', '--flow-through')
    for (const part of ['New York', 'Tax: does not apply', 'no_us_tax_benefit']) expect(out).toContain(part)
  })
  it('ends with 1 where a check fails', () => {
    expect(run(offeringCommand, '--investor', 'TX', '--offering-type', 'reg_cf', '--amount', '9,000,000').code).toBe(1)
  })
  it('prints JSON, and names the option that it cannot read', () => {
    expect(JSON.parse(run(offeringCommand, '--investor', 'ON', '--json').out)).toMatchObject({
      tax: { status: 'computed' },
      investor: { code: 'ON' },
    })
    expect(() => run(offeringCommand)).toThrow('--investor: is missing')
    expect(() => run(offeringCommand, '--investor', 'Bavaria')).toThrow('--investor: there is no such state')
    expect(() => run(offeringCommand, '--investor', 'ON', '--offering-type', 'reg_z')).toThrow('--offering-type: there is no offering type')
  })
})
