import { describe, expect, it } from 'vitest'
import { blueSkyOperations } from '#schemas/operations/blue-sky.ts'
import { blueSkyCommand } from './blue-sky.ts'
import type { Io } from './io.ts'

function run(...argv: string[]): { code: number; out: string; err: string } {
  const [out, err]: [string[], string[]] = [[], []]
  const io = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), width: 80, colour: false } as unknown as Io
  return { code: blueSkyCommand(argv, io), out: out.join('\n'), err: err.join('\n') }
}
const json = (...argv: string[]): Record<string, unknown> => JSON.parse(run(...argv, '--json').out)
const longest = (text: string): number => Math.max(...text.split('\n').map(line => [...line].length))

describe('crossfile blue-sky', () => {
  it('prints every check of one state with its reason, the notice and its fee, within the terminal', () => {
    const { code, out, err } = run('--state', 'New York', '--non-accredited', '12', '--mining')
    expect(code).toBe(0)
    for (const part of ['WARN', '12 of at most 35', 'Form D within 15 days', '$1,200', '$160', 'NI 43-101', 'not evaluated'])
      expect(out).toContain(part)
    expect(longest(out)).toBeLessThanOrEqual(80)
    expect(err).toContain('bluesky@2026-11')
  })
  it('returns 1 where a check fails, and says what to change', () => {
    const { code, out } = run('--state', 'NY', '--solicitation')
    expect(code).toBe(1)
    expect(out).toContain('(reg_d_506c)')
  })
  it('prints late and other fees where a state has them', () => {
    expect(run('--state', 'MS').out.replaceAll(/\s+/g, ' ')).toMatch(
      /late added or in its place: the list does not state which: \$0-\$5,000 .* other report: \$50 other end of the offering: \$50/,
    )
  })
  it('prints a row for each of several states and the sums', () => {
    const { out } = run('--state', 'NY,TX', '--state', 'Washington, D.C.', '--state', 'Guam', '--state', 'Florida', '--state', 'Ontaro')
    expect(
      out
        .split('\n')
        .filter(line => /^(NY|TX|DC|GU|FL) /.test(line))
        .map(line => line.slice(0, 2)),
    ).toEqual(['NY', 'TX', 'DC', 'GU', 'FL'])
    for (const part of [
      '$1,450 in 3 states',
      '$1,450 to $1,950',
      'GU: in no total',
      'Ontaro: nearest: Ontario',
      '5 states',
      'unknown in GU: the collected list has no rule of the state',
    ])
      expect(out).toContain(part)
    expect(longest(out)).toBeLessThanOrEqual(80)
  })
  it('prints the body of the answers as JSON', () => {
    const [one, states] = blueSkyOperations
    const envelope = { as_of: '2026-11-20T00:00:00Z', release: null, sources: [] }
    const body = json('--state', 'TX')
    expect(one.answer?.safeParse({ ...body, ...envelope }).error).toBeUndefined()
    expect(body).toMatchObject({ status: 'pass', notice_filing: { fee: { basis: 'range', low_usd: 0, high_usd: 500 } } })
    expect(states.answer?.safeParse({ ...json('--state', 'TX,NY'), ...envelope }).error).toBeUndefined()
  })
  it('reads an amount as people write it', () => {
    expect(json('--state', 'NY', '--amount', '$400,000.50', '--type', '506(c)', '--exchange', 'tsx-v', '--flow-through')).toMatchObject({
      offering: { offering_amount_usd: 400000.5, offering_type: 'reg_d_506c', exchange: { exchange: 'TSXV' }, is_flow_through: true },
      notice_filing: { fee: { exact_usd: 300 } },
    })
  })
  it('sends an investor in Canada to the command that answers for one', () => {
    try {
      run('--state', 'Ontario')
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ hint: expect.stringContaining('crossfile offering') })
    }
  })
  it.each([
    [[], '--state is missing'],
    [['--state', 'ON'], '--state: Ontario is no state'],
    [['--state', 'NX'], '--state: "NX" is no state'],
    [['--state', 'ON,QC'], '--state: none of them is a state'],
    [['--state', 'NY', '--type', '506d'], '--type: there is no offering type "506d"'],
    [['--state', 'NY', '--amount', 'abc'], '--amount: "abc" is not a number such as'],
    [['--state', 'NY', '--amount=-5'], '--amount: expected 0 or more'],
    [['--state', 'NY', '--non-accredited', '1.5'], '--non-accredited: expected a whole number'],
    [['--state', 'NY', '--exchange', 'Nasdak'], '--exchange: exchange "Nasdak" is not known'],
    [['--state', 'NY', '--ruleset', 'blue-sky@2020-01'], 'ruleset bluesky@2020-01'],
    [['--state', 'NY', '--type', 'reg_s', '--type', 'reg_cf'], '--type is given twice'],
  ])('%j says which option it cannot read', (argv, message) => {
    expect(() => run(...argv)).toThrow(message)
  })
})
