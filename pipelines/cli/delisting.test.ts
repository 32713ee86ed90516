import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { delistingOperations } from '#schemas/operations/delisting.ts'
import { delistingCommand } from './delisting.ts'
import type { Io } from './io.ts'

const warehouse = await worldWarehouse()
const folder = mkdtempSync(join(tmpdir(), 'delisting-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const release = join(folder, 'release.txt')
writeFileSync(release, 'Hollowtree received a deficiency letter.\nIt will not be delisted now.')

type Ran = { readonly code: number; readonly out: string; readonly err: string }
async function run(config: unknown, ...argv: string[]): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const io = {
    now: () => new Date('2026-11-20T12:00:00Z'),
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    log: () => {},
    width: 80,
    colour: false,
    config: () => config,
  } as unknown as Io
  return { code: await delistingCommand(argv, io), out: out.join('\n'), err: err.join('\n') }
}
const here = (...argv: string[]): Promise<Ran> => run(warehouse.config, ...argv)
const nowhere = (...argv: string[]): Promise<Ran> => run({ dataFolder: join(folder, 'none'), databaseUrl: null }, ...argv)

describe('crossfile delisting', () => {
  it('prints checks, float, words and score of a listing within the terminal', async () => {
    const { code, out } = await here(
      'hltb',
      '--exchange',
      'NasdaqCM',
      '--total-shares',
      '4,150,000',
      '--insider-shares',
      '310000',
      '--press-release',
      release,
    )
    expect(code).toBe(0)
    for (const part of [
      'HLTB by the rules of Nasdaq Capital Market',
      'minimum_bid',
      '5550(a)(4)',
      '3,840,000 (92.5301 %), low float',
      'raised',
      'denied',
      'POINTS',
    ])
      expect(out).toContain(part)
    expect(Math.max(...out.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  })
  it('prints the body of the answer as JSON', async () => {
    const body = JSON.parse(
      (
        await here(
          'LNTF',
          '--exchange',
          'NASDAQ',
          '--json',
          '--country',
          'CN',
          '--auditor-country',
          'HK',
          '--auditor',
          'A & B',
          '--shell',
          '--reverse-merger',
        )
      ).out,
    )
    expect(delistingOperations[0].answer?.safeParse(body).error).toBeUndefined()
    expect(body).toMatchObject({ ticker: 'LNTF', auditor: { status: 'watch', audit_firm_name: 'A & B', operations_country: 'CN' } })
    expect(body.watching).toEqual(['reverse_merger', 'shell_company'])
  })
  it('ends with 1 where a check fails', async () => {
    const { code, out } = await here('TMRN', '--exchange', 'nyse', '--total-shares', '500', '--insider-shares', '1')
    expect([code, out]).toEqual([1, expect.stringContaining('nyse_market_cap_minimum')])
  })
  it('without data it says that prices are unknown, and passes nothing that needs them', async () => {
    const { code, out } = await nowhere('HLTB', '--ruleset', 'delisting@2024-12')
    expect([code, out]).toEqual([0, expect.stringContaining('no data are held here')])
    expect(out).toContain('no score')
    expect(out).toMatch(/fails +nothing known; +\d+ checks are unknown/)
    expect(out.split('\n').filter(line => line.startsWith('pass'))).toEqual([])
  })
  it('where no rule is held, none is said to be met', async () => {
    expect((await nowhere('HLTB', '--exchange', 'TSX-V')).out).toMatch(/fails +no rule is evaluated/)
  })
  it.each([
    [['HLTB', '--exchange', 'LSE'], '--exchange: "LSE" is not known'],
    [['HLTB', '--total-shares', '1.5'], '--total-shares: expected a whole number'],
    [['HLTB', '--total-shares', 'many'], '--total-shares: "many" is not a number'],
    [['HLTB', '--total-shares', '99999999999999'], '--total-shares: expected at most'],
    [
      ['HLTB', '--total-shares', '10', '--insider-shares', '11'],
      '--insider-shares 11 and --restricted-shares 0 are together 1 more than --total-shares 10',
    ],
    [['HLTB', '--country', 'XX'], '--country: no country "XX"'],
    [['HLTB', '--ruleset', 'newest'], '--ruleset "newest"'],
    [['HLTB', '--ruleset', 'delisting@1999-01'], 'delisting@1999-01'],
    [['HLTB', '--press-release', '/nowhere.txt'], '--press-release /nowhere.txt cannot be read'],
    [['!!!'], 'is no symbol'],
    [[''], 'TICKER: expected a symbol'],
    [[], 'TICKER is missing'],
  ])('%j is refused, naming what to mend', async (argv, message) => {
    await expect(nowhere(...argv)).rejects.toThrow(message)
  })
})
