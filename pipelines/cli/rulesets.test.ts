// The dated rules on a terminal and as JSON: what is there, what changed, and stored requests under other editions.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { rulesetRegister } from '#warehouse/rulesets/register.ts'
import { commandNames } from './commands.ts'
import { type KeptIo, keptIo } from './kept-io.ts'
import { main } from './main.ts'

const folder = mkdtempSync(join(tmpdir(), 'rulesets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, value: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}
async function run(words: readonly string[], env: Record<string, string> = {}): Promise<{ code: number; io: KeptIo; out: string; err: string }> {
  const io = keptIo(env, { width: 80 })
  const code = await main(words, io, env)
  return { code, io, out: io.output.out.join('\n'), err: io.output.err.join('\n') }
}
const widest = (text: string): number => Math.max(...text.split('\n').map(line => line.length))

describe('crossfile rulesets', () => {
  it('lists every edition with its validity and its rows by how sure they are, within 80 columns', async () => {
    const { code, out } = await run(['rulesets'])
    expect(code).toBe(0)
    expect(out).toMatch(/withholding@2026-11 +2026-11-01 +open +70 +2 +34 +34/)
    expect(out).toMatch(/djim@2021-07 +2021-07-01 +2023-02-28/)
    expect(widest(out)).toBeLessThanOrEqual(80)
    const { rulesets } = (await run(['rulesets', '--json'])).io.json<{ rulesets: { name: string; rows: number }[] }>()
    expect([...new Set(rulesets.map(each => each.name))]).toEqual(rulesetRegister.map(each => each.name))
  })
  it('lists what must be verified, with what a row cites beside general knowledge', async () => {
    const { out } = await run(['rulesets', '--backlog'])
    expect(out).toContain('accounts CA fhsa')
    expect(out).toContain('metals Pt price\n    long-term editorial assumption')
    // An address is not broken.
    expect(widest(out.replaceAll(/https?:\S+/g, ''))).toBeLessThanOrEqual(80)
    const { rows } = (await run(['rulesets', '--backlog', '--json'])).io.json<{ rows: { confidence: string; source_ids: string[] }[] }>()
    expect(rows.length).toBeGreaterThan(50)
    for (const row of rows) expect(row.confidence === 'general_knowledge' || row.source_ids.includes('GK')).toBe(true)
  })
  it('names commands that are there', () => {
    expect(rulesetRegister.flatMap(each => each.commands).filter(name => !(commandNames as string[]).includes(name))).toEqual([])
  })
  it('shows one edition, and its document as JSON', async () => {
    const { out } = await run(['rulesets', 'show', 'djim'])
    for (const part of ['djim@2026-02', 'from 2026-02-01 on', 'get_sharia_screen', 'tests debt']) expect(out).toContain(part)
    expect(widest(out)).toBeLessThanOrEqual(80)
    const shown = (await run(['rulesets', 'show', 'djim@2021-07', '--json'])).io.json()
    expect(shown).toMatchObject({ ruleset: 'djim@2021-07', name: 'djim', valid_to: '2023-02-28', document: { standard: 'djim' } })
  })
  it('says what changed between two editions, in the order of the file, and not how long the rows of each are valid', async () => {
    const { code, out } = await run(['rulesets', 'diff', 'msci-islamic@2017-09', 'msci-islamic@2025-12'])
    expect(code).toBe(0)
    expect(out).toContain('changed  tests / receivables_and_cash / limits / 2 / limit\n         - 0.3333\n         + 0.70')
    expect(out).not.toContain('tests / debt / valid_from')
    expect(out.indexOf('tests / debt')).toBeLessThan(out.indexOf('tests / receivables_and_cash'))
    expect(widest(out)).toBeLessThanOrEqual(80)
    expect((await run(['rulesets', 'diff', 'drill', 'drill@2026-11'])).out).toContain('no difference')
    const { changes } = (await run(['rulesets', 'diff', 'djim@2021-07', 'djim@2026-02', '--json'])).io.json<{
      changes: { change: string; at: string[] }[]
    }>()
    expect(changes).toContainEqual(expect.objectContaining({ change: 'removed', at: ['tests', 'receivables'] }))
  })
  it.each([
    [['rulesets', 'show'], 'NAME[@EDITION] is missing', 'help rulesets show'],
    [['rulesets', 'show', 'tax'], 'no ruleset tax', 'withholding'],
    [['rulesets', 'show', 'djim@1999'], 'no ruleset djim@1999', 'djim@2026-02, djim@2021-07'],
    [['rulesets', 'diff', 'djim@2021-07'], 'A and B are needed, 1 given', 'help rulesets diff'],
    [['rulesets', 'diff', 'djim@2021-07', 'drill'], 'are not editions of one ruleset', 'djim@2026-02'],
    [['rulesets', '--back'], 'no option --back', 'backlog'],
    [['rulesets', 'answer', join(folder, 'none.json')], 'cannot be read', 'receipt id'],
    [['rulesets', 'answer', file('broken.json', '{')], 'is not JSON', 'operation'],
    [['rulesets', 'answer', file('list.json', [])], 'the request', 'operation'],
    [['rulesets', 'answer', file('unknown.json', { operation: 'get_tax' })], 'no operation get_tax', 'get_withholding'],
    [['rulesets', 'answer', file('plain.json', { operation: 'list_plans' })], 'takes no ruleset', 'interpret_drill'],
    [
      ['rulesets', 'answer', file('slip.json', { operation: 'get_withholding', question: { account: 'tfsa' } })],
      'account is not as described',
      'account_type',
    ],
    [['rulesets', 'answer', file('body.json', { operation: 'interpret_drill', body: { txt: '' } })], 'body text', 'as JSON'],
    [
      ['rulesets', 'answer', file('edition.json', { operation: 'get_withholding' }), '--ruleset', 'withholding@1990-01'],
      'no ruleset withholding@1990-01',
      'withholding@2026-11',
    ],
  ] as const)('%j is refused: %s', async (words, message, hint) => {
    const { code, err, out } = await run(words)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).toContain(hint)
  })
})

describe('crossfile rulesets answer', () => {
  it('answers a request by its only edition, and says that there is nothing to compare', async () => {
    const request = file('tfsa.json', {
      operation: 'GET /api/v1/data/withholding?account_type=tfsa',
      question: { issuer_country: 'US', amount: 1000 },
    })
    const { code, out } = await run(['rulesets', 'answer', request])
    expect([code, out.includes('only edition')]).toEqual([0, true])
    const { answer, ...rest } = (await run(['rulesets', 'answer', request, '--ruleset', 'withholding@2026-11', '--json'])).io.json()
    expect(answer).toMatchObject({ rate_pct: 15, withheld_amount: 150, recoverable: 'none' })
    expect(rest).toMatchObject({ operation: 'get_withholding', ruleset: 'withholding@2026-11', others: [{ changes: [], error: null }] })
  })
  it('reads what was posted', async () => {
    const request = file('drill.json', { operation: 'interpret_drill', body: { text: 'Hole A-26-01 returned 5.0 m @ 2.0 g/t Au from 10 m.' } })
    expect((await run(['rulesets', 'answer', request, '--json'])).io.json()).toMatchObject({ answer: { count: 1, ruleset: 'drill@2026-11' } })
  })
})

describe('of the lake', async () => {
  const { config, runtime } = await worldWarehouse()
  const env = { DATABASE_URL: config.databaseUrl?.reveal() ?? '', CROSSFILE_DATA: config.dataFolder, CROSSFILE_LOG: 'silent' }
  const requested = { operation: 'get_sharia_screen', question: { symbol: 'LNTF', standard: 'msci' } }

  it('a screen is answered by every other edition of its standard in turn, and what changes is named', async () => {
    const { code, out } = await run(['rulesets', 'answer', file('sharia.json', requested)], env)
    expect(code).toBe(0)
    expect(out).toContain('msci-islamic@2025-12 -> msci-islamic@2017-09')
    expect(out).toMatch(/tests \/ receivables_and_cash \/ limit\n {9}- 0\.46\n {9}\+ 0\.30/)
    expect(widest(out)).toBeLessThanOrEqual(80)
  })
  it('an edition that cannot answer says why', async () => {
    const indexed = { operation: 'get_sharia_screen', question: { symbol: 'LNTF', standard: 'djim', mode: 'index', prior_verdict: 'compliant' } }
    const { code, out } = await run(['rulesets', 'answer', file('index.json', indexed)], env)
    expect([code, out.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining('djim@2021-07 has no mode index')])
  })
  it('where there is no data it says so, and makes none', async () => {
    const empty = { CROSSFILE_DATA: join(folder, 'none'), CROSSFILE_LOG: 'silent' }
    const { code, err } = await run(['rulesets', 'answer', file('nowhere.json', requested)], empty)
    expect([code, err]).toEqual([3, expect.stringContaining('no data is loaded yet')])
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
  it('a receipt names its question; of what was posted it keeps nothing', async () => {
    const receiptOf = await signing(runtime)
    const question = { symbol: 'LNTF', ruleset: 'sp-shariah@2025-05' }
    const { answer, others } = (await run(['rulesets', 'answer', await receiptOf('get_sharia_screen', question), '--json'], env)).io.json<{
      answer: { ruleset: string; as_of: string }
      others: { ruleset: string; changes: unknown[] }[]
    }>()
    expect(answer.ruleset).toBe('sp-shariah@2025-05')
    expect(others.map(each => [each.ruleset, each.changes.length > 0])).toEqual([['sp-shariah@2021-05', true]])
    const posted = await run(
      ['rulesets', 'answer', await receiptOf('interpret_drill', { ruleset: 'drill@2026-11', input_sha256: 'a'.repeat(64) })],
      env,
    )
    expect([posted.code, posted.err]).toEqual([2, expect.stringContaining('only the SHA-256 of the posted body is stored')])
    const unknown = await run(['rulesets', 'answer', `r1_${'a'.repeat(52)}`], env)
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('never issued here')])
  })
})

/** Signs and keeps a receipt of an answer; what the answer says has no part in it. */
async function signing(
  runtime: Awaited<ReturnType<typeof worldWarehouse>>['runtime'],
): Promise<(id: string, question: Record<string, string>) => Promise<string>> {
  const [{ signPayload }, { activeSigner }, { insertReceipt }, { lakeOperations }] = await Promise.all([
    import('#warehouse/answers/sign.ts'),
    import('#warehouse/store/receipts/rotation.ts'),
    import('#warehouse/store/receipts/store.ts'),
    import('#schemas/operations/lake-operations.ts'),
  ])
  const signer = await runtime.postgres.db.transaction().execute(trx => activeSigner(trx, runtime.tools.keysFolder))
  return async (id, question) => {
    const operation = lakeOperations.find(each => each.id === id)
    if (!operation) throw new TypeError(`no operation ${id}`)
    const payload = {
      payload: Buffer.from('{}'),
      release: 1,
      as_of: '2026-11-20T00:00:00Z',
      next_cursor: null,
      datasets: [],
      origins: async () => [],
    }
    const receipt = await signPayload(operation, question, payload, signer)
    await insertReceipt(runtime.postgres.db, receipt)
    return receipt.receipt_id
  }
}
