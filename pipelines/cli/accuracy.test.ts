import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { describeReal, realFolder } from '#fixtures/real.ts'
import { productOf, sumOf } from '#schemas/decimals.ts'
import { type AccuracyReport, accuracy } from './accuracy.ts'
import { isEqual, isEqualAmount } from './accuracy-equality.ts'

const folder = mkdtempSync(join(tmpdir(), 'accuracy-'))
afterAll(() => rmSync(folder, { recursive: true }))

const form = `<ownershipDocument><schemaVersion>X0306</schemaVersion><documentType>4</documentType><periodOfReport>2024-05-06</periodOfReport>
<issuer><issuerCik>0000990001</issuerCik><issuerName>Tidewrack Motors Inc</issuerName><issuerTradingSymbol>TIDW</issuerTradingSymbol></issuer>
<reportingOwner><reportingOwnerId><rptOwnerCik>0000990101</rptOwnerCik><rptOwnerName>Marsh Ottilie</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>
<nonDerivativeTable><nonDerivativeTransaction><transactionDate><value>2024-05-06</value></transactionDate><transactionCoding><transactionCode>S</transactionCode></transactionCoding><transactionAmounts><transactionShares><value>10</value></transactionShares><transactionPricePerShare><value>1.005</value></transactionPricePerShare><transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts></nonDerivativeTransaction>
<nonDerivativeTransaction><transactionDate><value>2024-05-06</value></transactionDate><transactionAmounts><transactionShares><value>3</value></transactionShares><transactionPricePerShare><footnoteId id="F1"/></transactionPricePerShare></transactionAmounts></nonDerivativeTransaction></nonDerivativeTable></ownershipDocument>`
mkdirSync(join(folder, 'form345'))
writeFileSync(join(folder, 'form345/a.xml'), form)
writeFileSync(join(folder, 'form345/b.xml.gz'), gzipSync(form))
writeFileSync(join(folder, 'form345/broken.xml'), '<ownershipDocument>')

async function run(facts: unknown, ...more: string[]): Promise<{ code: number; report: AccuracyReport }> {
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts))
  const lines: string[] = []
  const code = await accuracy(['--docs', folder, '--facts', join(folder, 'facts.json'), '--json', ...more], { out: line => lines.push(line) })
  return { code, report: JSON.parse(lines.join('\n')) }
}
const facts = {
  doc: '4',
  schema: 'X0306',
  period: '2024-05-06',
  issuer: ['Tidewrack Motors Inc', 'TIDW', '0000990001'],
  owners: [['Marsh Ottilie', '0000990101', 'D', null]],
  ndT: 2,
  tx: [
    ['N', '2024-05-06', 'S', 'D', '10.00', '1.005', null, null],
    ['N', '2024-05-06', null, null, '3', 'FN:F1', null, null],
  ],
  agg: { 'N:S:D': 10.0, 'N:None:None': 3 },
  value: 10.05,
  noPrice: 1,
  remarks: false,
  aff10b5: null,
}

describe('accuracy', () => {
  test('equal facts, plain and gzipped, end in 0', async () => {
    const { code, report } = await run({ 'form345/a.xml': facts, 'form345/b.xml.gz': facts })
    expect(report.differences).toEqual([])
    expect(report.folders['form345']).toEqual({ documents: 2, unread: 0, facts: 24, equal: 24, unequal: 0 })
    expect(code).toBe(0)
  })

  test('every difference is listed with document, field, expectation and what was read', async () => {
    const { code, report } = await run({ 'form345/a.xml': { ...facts, period: '2024-05-07', aff10b5: '0', newFact: 1 } })
    expect(code).toBe(1)
    expect(report.differences).toEqual([
      { document: 'form345/a.xml', field: 'period', expected: '2024-05-07', got: '2024-05-06' },
      { document: 'form345/a.xml', field: 'aff10b5', expected: '0', got: null },
      { document: 'form345/a.xml', field: 'newFact', expected: 1, got: 'not read' },
    ])
  })

  test('a missing document, a broken one and one outside the folder are unequal in every fact', async () => {
    const { code, report } = await run({
      'form345/missing.xml': { doc: '4', period: '2024-05-06' },
      'form345/broken.xml': { doc: '4' },
      'form345/../../escape.xml': { doc: '4' },
    })
    expect(code).toBe(1)
    expect(report.folders['form345']).toMatchObject({ documents: 3, facts: 4, equal: 0 })
    expect(report.differences.map(difference => difference.got)).toEqual([
      'the document is missing',
      'the document is missing',
      expect.stringContaining('unclosed tag'),
      expect.stringContaining('leads out of'),
    ])
  })

  test('a document that cannot be read counts as unread and unequal, folders that nobody names nowhere', async () => {
    const other = { 'form13f/a.xml': { table: { rows: 3 } }, 'poems/a.txt': { lines: 4 } }
    const { code, report } = await run(other)
    expect(code).toBe(1)
    expect(report).toMatchObject({ folders: { form13f: { documents: 1, unread: 1, unequal: 1 } }, not_judged: { poems: 1 } })
  })
  test('documents are counted by form too', async () => {
    const { report } = await run({ 'form345/a.xml': { doc: '4' }, 'form345/b.xml.gz': { doc: '4', footnotes: 0 } })
    expect(report).toMatchObject({ forms: { 'form345  4': { documents: 2, facts: 3, equal: 3 } }, hints: [] })
  })

  test('the table names folders and differences', async () => {
    writeFileSync(join(folder, 'facts.json'), JSON.stringify({ 'form345/a.xml': { doc: '5' } }))
    const lines: string[] = []
    expect(await accuracy([`--docs=${folder}`, `--facts=${join(folder, 'facts.json')}`], { out: line => lines.push(line) })).toBe(1)
    expect(lines.join('\n')).toContain('form345/a.xml: doc: expected "5", got "4"')
  })

  test('the page shows every fact, ours and the expected one, with the place in the document', async () => {
    const more = { 'form345/b.xml.gz': { issuer: ['Tidewrack <Motors> Inc', 'TIDW', '0000990001'] }, 'form345/none.xml': { doc: '4' } }
    const { report } = await run({ 'form345/a.xml': { ...facts, period: '2024-05-07' }, ...more }, '--report', join(folder, 'page'))
    expect(report.differences).toHaveLength(3)
    const page = readFileSync(join(folder, 'page/index.html'), 'utf8')
    expect(page).toContain('3 documents, 14 facts, 3 differ')
    for (const field of Object.keys(facts)) expect(page).toContain(`<td>${field}</td>`)
    expect(page).toContain('line 1: <span>')
    expect(page).toContain('<mark>Tidewrack Motors Inc</mark>')
    expect(page).toMatch(/<tr class="differs"><td>period<\/td><td>2024-05-07<\/td><td>2024-05-06<\/td>/)
    expect(page).toContain('Tidewrack &lt;Motors&gt; Inc')
    expect(page).not.toContain('<Motors>')
    expect(page).toContain('the document is missing')
    writeFileSync(join(folder, 'a-file'), '')
    await expect(run({}, '--report', join(folder, 'a-file'))).rejects.toThrow('is a file')
  })

  test('a missing option and a file that is no facts file say what to change', async () => {
    const io = { out: () => undefined }
    await expect(accuracy([], io)).rejects.toThrow('--docs and --facts')
    await expect(accuracy(['--docs', folder, '--facts', join(folder, 'form345/a.xml')], io)).rejects.toThrow('cannot be read as JSON')
    await expect(accuracy(['--wrong'], io)).rejects.toThrow('unknown argument')
  })
})

describe('equal facts', () => {
  test('numbers are equal as numbers, null only as null, texts trimmed', () => {
    expect(isEqual('10000000.00', 10_000_000)).toBe(true)
    expect(isEqual('-0-', 0)).toBe(true)
    expect(isEqual(' a ', 'a')).toBe(true)
    for (const [left, right] of [
      [null, 0],
      [0, null],
      [null, ''],
      ['1.001', '1.0010001'],
      [true, 'true'],
      [['a'], 'a'],
    ] as const)
      expect(isEqual(left, right)).toBe(false)
  })

  test('amounts are exact sums, equal within half a unit of the last printed digit', () => {
    expect(productOf('243431', '116.89')).toBe('28454649.59')
    expect(sumOf(['0.1', '0.2', '-0.3'])).toBe('0.0')
    expect(isEqualAmount(32_127_309.77, '32127309.765')).toBe(true)
    expect(isEqualAmount(32_127_309.77, '32127309.7649')).toBe(false)
  })
})

describeReal('recorded documents', () => {
  test('Forms 3, 4 and 5 are all equal, and so is everything else that is judged', async () => {
    const lines: string[] = []
    const edgar = join(realFolder, 'edgar')
    const code = await accuracy(['--docs', edgar, '--facts', join(edgar, 'facts.json'), '--json'], { out: line => lines.push(line) })
    const report: AccuracyReport = JSON.parse(lines.join('\n'))
    expect(report.differences).toEqual([])
    expect(report.folders['form345']).toMatchObject({ documents: 13, unequal: 0 })
    expect(code).toBe(0)
  })
})
