// What changed between two answers, over HTTP and on the command line, and why.
import { expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { envOf, keptIo } from '#pipelines/cli/kept-io.ts'
import { main } from '#pipelines/cli/main.ts'
import type { ReceiptDiff } from '#schemas/receipt-diff.ts'
import type { ReceiptHistory } from '#schemas/receipt-history.ts'

const { key, server, warehouse } = await worldService()
const ask = (path: string): Promise<Response> => fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })
const idOf = async (path: string): Promise<string> => {
  const response = await ask(path)
  expect([path, response.status]).toEqual([path, 200])
  return ((await response.json()) as { receipt_id: string }).receipt_id
}
const diff = async (a: string, b: string): Promise<ReceiptDiff> => {
  const response = await ask(`/api/v1/data/receipts/${a}/diff/${b}`)
  expect(response.status).toBe(200)
  return (await response.json()) as ReceiptDiff
}

it('is empty for equal answers, and refuses different questions and unknown receipts', async () => {
  const a = await idOf('/api/v1/market/eod/CBC.TO?from=2026-11-01&receipt=1')
  const b = await idOf('/api/v1/market/eod/GLPR.TO?from=2026-11-01&receipt=1')
  expect(await diff(a, a)).toMatchObject({ equal: true, count: 0, changes: [], causes: [] })
  expect((await ask(`/api/v1/data/receipts/${a}/diff/${b}`)).status).toBe(400)
  expect((await ask(`/api/v1/data/receipts/${a}/diff/r1_${'a'.repeat(52)}`)).status).toBe(404)
})

it('names the document that brought a new row, and the corporate action that restated prices', async () => {
  const [actions, prices] = ['/api/v1/market/corporate-actions/QT.TO', '/api/v1/market/eod/QT.TO?from=2026-11-16&to=2026-11-19&receipt=1']
  const [a, before] = [await idOf(actions), await idOf(prices)]
  const csv = 'symbol,ex_date,kind,amount,currency\nQT.TO,2026-11-18,dividend,0.10,CAD\n'
  const release = await addDocument(warehouse, 'file:actions-diff.csv', csv)
  let b = a
  for (; b === a; await new Promise(resolve => setTimeout(resolve, 100))) b = await idOf(actions)
  const found = await diff(a, b)
  expect(found.after.release).toBe(release)
  expect(found.causes).toContainEqual(expect.objectContaining({ kind: 'new_document' }))
  expect(found.changes.some(each => each.kind === 'added' && each.path.startsWith('actions['))).toBe(true)

  const restated = await diff(before, await idOf(prices))
  expect(restated).toMatchObject({ equal: false, reason: null, after: { release } })
  const adjusted = restated.changes.filter(each => each.path.endsWith('.adjusted_close'))
  expect(adjusted.map(each => each.path)).toEqual(['16', '17'].map(day => `bars[date=2026-11-${day}].adjusted_close`))
  for (const { kind, causes, before: was, after: is } of adjusted) {
    expect(kind).toBe('changed')
    expect(Number(was)).toBeGreaterThan(Number(is))
    expect(causes.map(at => restated.causes[at])).toEqual([
      expect.objectContaining({ kind: 'restatement', ex_date: '2026-11-18', release, withdrawn: false }),
    ])
  }
  expect(await diff(await idOf(prices), before)).toMatchObject({ count: restated.count })
  const io = keptIo(envOf(warehouse.config))
  expect(await main(['receipts', 'diff', before, restated.after.receipt_id], io, {})).toBe(0)
  expect(io.output.out.join('\n')).toContain('restatement: ')
})

it('lists each release in which one value changed, with a receipt of each', async () => {
  const question = '/api/v1/market/eod/CBC.TO?from=2026-11-16&to=2026-11-18&receipt=1'
  const first = await idOf(question)
  const releases: number[] = []
  for (const [at, day] of ['2026-11-19', '2026-11-18'].entries())
    releases.push(
      await addDocument(warehouse, `file:history-${at}.csv`, `symbol,ex_date,kind,amount,currency\nCBC.TO,${day},dividend,0.2${at},CAD\n`),
    )
  const path = 'bars[date=2026-11-17].adjusted_close'
  const history = async (more: string): Promise<ReceiptHistory> => {
    const response = await ask(`/api/v1/data/receipts/${first}/history?${more}`)
    expect([more, response.status]).toEqual([more, 200])
    return (await response.json()) as ReceiptHistory
  }
  let found = await history(`path=${encodeURIComponent(path)}`)
  for (let looks = 0; looks < 98 && found.revisions.at(-1)?.release !== releases[1]; looks += 1) {
    await new Promise(resolve => setTimeout(resolve, 100))
    found = await history(`path=${encodeURIComponent(path)}&limit=${99 - looks}`)
  }
  expect(found.next_after).toBeNull()
  expect(found.revisions.slice(-2).map(each => each.release)).toEqual(releases)
  const values = found.revisions.map(each => each.value)
  expect(values.every((value, at) => value !== values[at - 1])).toBe(true)
  for (const { receipt_id, value } of found.revisions) {
    const bundle = (await (await ask(`/api/v1/data/receipts/${receipt_id}/bundle`)).json()) as { payload: string }
    const { bars } = JSON.parse(Buffer.from(bundle.payload, 'base64').toString('utf8')) as { bars: { date: string; adjusted_close: number }[] }
    expect(bars.find(each => each.date === '2026-11-17')?.adjusted_close).toBe(Number(value))
  }
  const pointer = await history('path=/bars/1/adjusted_close')
  expect(pointer).toMatchObject({ path, revisions: found.revisions })
  const one = await history(`path=${encodeURIComponent(path)}&limit=1`)
  expect([one.count, one.revisions[0]]).toEqual([1, found.revisions[0]])
  const rest = await history(`path=${encodeURIComponent(path)}&after=${one.next_after}`)
  expect([...one.revisions, ...rest.revisions]).toEqual(found.revisions)
  expect((await ask(`/api/v1/data/receipts/${first}/history?path=bars[date=1999-01-01].close`)).status).toBe(400)
  expect((await ask(`/api/v1/data/receipts/${first}/history`)).status).toBe(400)
  const io = keptIo(envOf(warehouse.config))
  expect(await main(['receipts', 'history', first, path, '--json'], io, {})).toBe(0)
  expect(JSON.parse(io.output.out.join('\n'))).toMatchObject({ path, revisions: found.revisions })
})
