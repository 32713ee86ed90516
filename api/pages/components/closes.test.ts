import { expect, test } from 'vitest'
import type { Ask, Outcome } from '../page.ts'
import { closeLines } from './closes.ts'

type Answered = Awaited<ReturnType<Ask<'list_closes'>>>
const row = (symbol: string, date: string, adjusted_close: number) => ({ symbol, date, close: 1, adjusted_close, currency: 'CAD' })
/** Answers each request with two days of closes of every symbol; `fails` names the request that fails. */
function service(fails = -1) {
  const requested: string[][] = []
  const ask = async (_id: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<Answered> => {
    const symbols = String(parameters['symbols']).split(',')
    requested.push(symbols)
    if (requested.length - 1 === fails)
      return { ok: false, status: 503, error: { detail: 'away', code: 'upstream_unavailable' } } as unknown as Extract<Outcome<never>, { ok: false }>
    return {
      ok: true,
      value: { closes: symbols.flatMap(symbol => [row(symbol, '2026-11-18', 10), row(symbol, '2026-11-19', 12)]) },
    } as unknown as Answered
  }
  return { requested, ask: ask as Ask<'list_closes'> }
}

test('50 symbols are one request; each symbol is requested once, and one that has no listing of its own is not', async () => {
  const symbols = Array.from({ length: 60 }, (_, at) => `AB${String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26))}.TO`)
  const { requested, ask } = service()
  await closeLines(ask, [...symbols, symbols[0] ?? '', null, 'CJR-B.CA', 'not a symbol'])
  expect(requested.map(each => each.length)).toEqual([50, 10])
  expect(requested.flat()).toEqual(symbols)
})
test('a table without symbols needs no request', async () => {
  const { requested, ask } = service()
  const lines = await closeLines(ask, [null])
  expect([requested, lines.of(null), lines.note]).toEqual([[], null, null])
})
test('the line of a symbol names its values, its currency and its days', async () => {
  const lines = await closeLines(service().ask, ['GLPR.TO'])
  expect(String(lines.of('GLPR.TO')).replaceAll('\u00a0', ' ')).toContain(
    'aria-label="Adjusted closes of GLPR.TO in CAD, 18 Nov 2026 to 19 Nov 2026: first 10.00, last 12.00, lowest 10.00, highest 12.00"',
  )
  expect(lines.of('GLPR')).toBeNull()
})
test('rows of a request that failed have no line, and a note explains that', async () => {
  const symbols = Array.from({ length: 51 }, (_, at) => `AB${String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26))}.TO`)
  const lines = await closeLines(service(1).ask, symbols)
  expect([lines.of(symbols[0] ?? '') === null, lines.of(symbols[50] ?? ''), String(lines.note)]).toEqual([
    false,
    null,
    expect.stringContaining('not available for every row'),
  ])
})
