import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testFolder } from '#fixtures/test-folder.ts'
import { drillCommand } from './drill.ts'
import type { Io } from './io.ts'
import { withholdingCommand } from './withholding.ts'

const { folder, file } = testFolder('calculators')
function run(command: (argv: readonly string[], io: Io) => number, ...argv: string[]): { code: number; out: string } {
  const out: string[] = []
  const io = { out: (line: string) => void out.push(line), err: () => {}, width: 100, colour: false } as unknown as Io
  return { code: command(argv, io), out: out.join('\n') }
}

describe('crossfile drill', () => {
  const release = file(
    'release.txt',
    'Hole A-26-01 returned 10.0 m @ 2.0 g/t Au from 30.0 m incl. 1.0 m @ 25.0 g/t Au from 33.0 m. Cut-off 0.5 g/t Au.',
  )
  it('prints intervals, flags, the checklist and what was not read, within the terminal', () => {
    const { code, out } = run(drillCommand, release)
    expect(code).toBe(1)
    for (const part of ['1.1', 'arithmetic_inconsistent', 'NI 43-101', 'qualified_person', 'cut_off', '0.5 g/t Au']) expect(out).toContain(part)
    expect(Math.max(...out.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
  })
  it('prints the body of the answer as JSON, compared with given intervals', () => {
    const given = file('given.json', '[{"from": 30, "length": 10, "au_gpt": 2.2}]')
    const body = JSON.parse(run(drillCommand, release, '--json', '--deposit-type', 'orogenic', '--intervals', given).out)
    expect(body).toMatchObject({ deposit_type: 'orogenic', count: 2, disagreements: [{ field: 'Au', given_value: '2.2', text_value: '2.0' }] })
  })
  it('says what it cannot read', () => {
    expect(() => run(drillCommand, join(folder, 'none.txt'))).toThrow('cannot be read')
    expect(() => run(drillCommand, release, '--deposit-type', 'gold')).toThrow('expected one of')
    expect(() => run(drillCommand, release, '--ruleset', 'drill@1999-01')).toThrow('no edition has this name')
    expect(() => run(drillCommand, release, '--intervals', release)).toThrow('is not a JSON file')
  })
})

describe('crossfile withholding', () => {
  it('prints one account with its levels, treaty and conditions', () => {
    const { code, out } = run(withholdingCommand, '--issuer-country', 'US', '--account', 'tfsa', '--amount', '1000')
    expect(code).toBe(0)
    for (const part of ['15 %', '30 %', 'Article X(2(b))', '150 withheld, 850 left', 'withholding@2026-11']) expect(out).toContain(part)
  })
  it('prints the table without an account, and JSON', () => {
    expect(run(withholdingCommand, '--issuer-country', 'CA', '--instrument', 'common').out.split('\n')).toHaveLength(16)
    expect(JSON.parse(run(withholdingCommand, '--account', 'rrsp', '--json').out)).toMatchObject({ rate_pct: 0, issuer_country: 'US' })
  })
  it('says which option it cannot read', () => {
    expect(() => run(withholdingCommand, '--issuer-country', 'UK')).toThrow('--issuer-country is not CA or US')
    expect(() => run(withholdingCommand, '--ownership', '200')).toThrow('--ownership is not a percentage')
    expect(() => run(withholdingCommand, '--account', 'isa')).toThrow('account_type isa')
  })
})
