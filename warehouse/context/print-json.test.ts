// Numbers and days are printed as JSON.stringify prints them.
import { expect, test } from 'vitest'
import { randomOf } from '#fixtures/world/random.ts'
import { utcDay } from '#schemas/days.ts'
import { renderPayload } from './answer.ts'
import {
  dayBytes,
  giveBack,
  isLent,
  lendBuffer,
  marginBytes,
  numberBytes,
  PrintedJson,
  printDay,
  printNumber,
  printRounded,
  viewOf,
} from './print-json.ts'
import { rounded } from './rounded.ts'

const random = randomOf(20_261_129, 'printed numbers')
const into = Buffer.alloc(numberBytes + 8)
const view = viewOf(into)
const margin = Buffer.from('######')
function printed(value: number, print: typeof printNumber): string {
  into.fill('#')
  const end = print(view, 2, value)
  // Zeros at the end of decimals may lie behind the number, within the room that it needs.
  const isWithin = into.subarray(0, 2).equals(margin.subarray(0, 2)) && into.subarray(2 + numberBytes).equals(margin)
  return isWithin ? into.toString('latin1', 2, end) : `${value} was printed outside of its room`
}
/** The numbers that are not printed as JSON.stringify prints them. */
const wrongOf = (values: readonly number[]): string[] =>
  values.flatMap(value => {
    const asRatio = Math.abs(value)
    const [plain, ratio] = [printed(value, printNumber), printed(asRatio, printRounded)]
    return [
      ...(plain === JSON.stringify(value) ? [] : [`${plain} for ${JSON.stringify(value)}`]),
      ...(ratio === JSON.stringify(rounded(asRatio)) ? [] : [`${ratio} for the ratio ${JSON.stringify(asRatio)}`]),
    ]
  })

test('every kind of number is the text of JSON.stringify', () => {
  const chosen = [
    0,
    -0,
    1,
    9,
    10,
    99,
    100,
    999_999,
    1_000_000,
    2_147_483_647,
    2_147_483_648,
    4_294_967_296,
    1e15,
    1e21,
    1.5e300,
    5e-324,
    Number.MAX_VALUE,
    Number.MAX_SAFE_INTEGER,
    0.1,
    0.01,
    0.001,
    0.0001,
    1e-6,
    1e-7,
    0.000001234,
    0.5,
    0.05,
    12.5,
    12.05,
    0.1 + 0.2,
    1 / 3,
    2 / 3,
    999_999.99,
    999_999.995,
    1_000_000.01,
    123_456.789_012,
    45.104,
    45.104_000_000_000_006,
    0.999_999_999_999,
    99.999_999_999_9,
    1e-6 + 1e-12,
    100_000_000.000_000_01,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  expect(wrongOf(chosen.flatMap(value => [value, -value]))).toEqual([])
})

test('random decimals, ratios and bit patterns are the text of JSON.stringify', () => {
  const wrong: string[] = []
  const bits = new DataView(new ArrayBuffer(8))
  for (let round = 0; round < 60_000; round += 1) {
    bits.setUint32(0, random.int(0, 0xffff_ffff))
    bits.setUint32(4, random.int(0, 0xffff_ffff))
    const decimals = random.int(0, 12)
    const values = [
      random.int(0, 10 ** random.int(1, 15)) / 10 ** decimals,
      Number((random.next() * 10 ** random.int(-8, 12)).toPrecision(12)),
      random.next() * 10 ** random.int(-10, 12),
      bits.getFloat64(0),
    ]
    wrong.push(...wrongOf(values))
  }
  expect(wrong).toEqual([])
})

test('days are dates, in any order', () => {
  const place = Buffer.alloc(dayBytes)
  const days = [
    0,
    30,
    31,
    59,
    60,
    -1,
    -719_528,
    2_932_896,
    11_016,
    11_017,
    20_786,
    ...Array.from({ length: 20_000 }, () => random.int(-100_000, 100_000)),
  ]
  for (const day of [...days, ...Array.from({ length: 1_000 }, (_, at) => 20_000 + at)]) {
    expect(printDay(viewOf(place), 0, day)).toBe(dayBytes)
    expect(place.toString('latin1')).toBe(utcDay(day * 86_400_000))
  }
})

function printedText(text: string): PrintedJson {
  const lent = lendBuffer(Buffer.byteLength(text) + 2 * marginBytes)
  return new PrintedJson(lent, marginBytes, marginBytes + lent.write(text, marginBytes))
}
test('a member that is printed already is in the answer as it is, and can be read', () => {
  const rows = printedText('[{"é":1.50}]')
  const lake = { versionOf: () => ({ release: 7, committed_at: '2026-11-20T00:00:00Z' }) } as unknown as Parameters<typeof renderPayload>[1]
  const built = { body: { symbol: 'A', left_out: undefined, rows, after: null }, sources: [], origins: [], datasets: [] }
  expect(renderPayload(built, lake, null).payload.toString()).toBe(
    '{"symbol":"A","rows":[{"é":1.50}],"after":null,"as_of":"2026-11-20T00:00:00Z","release":7,"sources":[]}',
  )
  // Its buffer is lent to the next one.
  expect(() => rows.bytes).toThrow('after its buffer was released')
  rows.release()
  const [next, other] = [printedText('1'), printedText('2')]
  expect(JSON.stringify({ next, other, more: printedText('[{"é":1.50}]') })).toBe('{"next":1,"other":2,"more":[{"é":1.5}]}')
})

const lake = { versionOf: () => ({ release: 7, committed_at: '2026-11-20T00:00:00Z' }) } as unknown as Parameters<typeof renderPayload>[1]
const envelope = '"as_of":"2026-11-20T00:00:00Z","release":7,"sources":[]}'
const payloadOf = (body: object): Buffer => renderPayload({ body, sources: [], origins: [], datasets: [] }, lake, null).payload
test('a long answer is written around its printed member, in the buffer that is lent to it', () => {
  const long = (letter: string): string => JSON.stringify([letter.repeat(200_000)])
  const [first, rows] = [printedText(long('a')), long('a')]
  const payload = payloadOf({ symbol: 'É', rows: first, count: 1 })
  expect(payload.toString()).toBe(`{"symbol":"É","rows":${rows},"count":1,${envelope}`)
  expect(isLent(payload)).toBe(true)
  expect(() => first.bytes).toThrow('after its buffer was released')
  // Its bytes stay while it is lent, whatever is printed next.
  const other = payloadOf({ rows: printedText(long('b')) })
  expect([payload.buffer === other.buffer, payload.toString().includes('b"')]).toEqual([false, false])
  // Given back, its buffer is the next one, once.
  giveBack(payload)
  giveBack(payload)
  expect(isLent(payload)).toBe(false)
  const [next, more] = [payloadOf({ rows: printedText(long('c')) }), payloadOf({ rows: printedText(long('d')) })]
  expect([next.buffer === payload.buffer, more.buffer === payload.buffer]).toEqual([true, false])
  expect(next.toString()).toBe(`{"rows":${long('c')},${envelope}`)
  for (const body of [other, next, more]) giveBack(body)
})
test('an answer that is short, or whose other members need more than the margin, has bytes that nothing changes', () => {
  const wide = 'w'.repeat(2 * marginBytes)
  const rows = JSON.stringify(['r'.repeat(200_000)])
  for (const body of [{ rows: printedText('[1]') }, { wide, rows: printedText(rows) }]) {
    const payload = payloadOf(body)
    expect(isLent(payload)).toBe(false)
    const before = payload.toString()
    giveBack(payload)
    giveBack(payloadOf({ rows: printedText(rows.replaceAll('r', 's')) }))
    expect(payload.toString()).toBe(before)
  }
  expect(payloadOf({ wide, rows: printedText(rows) }).toString()).toBe(`{"wide":"${wide}","rows":${rows},${envelope}`)
  expect(payloadOf({ a: undefined, b: 1 }).toString()).toBe(`{"b":1,${envelope}`)
})
test('memory that no answer uses is kept up to a bound, and a small buffer is not lent for a large answer', () => {
  const bodies = Array.from({ length: 64 }, () => payloadOf({ rows: printedText(JSON.stringify(['x'.repeat(600_000)])) }))
  const buffers = new Set(bodies.map(body => body.buffer))
  expect(buffers.size).toBe(64)
  for (const body of bodies) giveBack(body)
  const again = Array.from({ length: 64 }, () => payloadOf({ rows: printedText(JSON.stringify(['x'.repeat(600_000)])) }))
  const used = again.filter(body => buffers.has(body.buffer)).length
  expect([used > 8, used < 32]).toEqual([true, true])
  expect(lendBuffer(5_000_000).length).toBe(5_000_000)
})
test('buffers of short answers make room for those of long ones', () => {
  const many = Array.from({ length: 64 }, () => payloadOf({ rows: printedText(JSON.stringify(['s'.repeat(200_000)])) }))
  for (const body of many) giveBack(body)
  const long = payloadOf({ rows: printedText(JSON.stringify(['l'.repeat(1_000_000)])) })
  expect(many.some(body => body.buffer === long.buffer)).toBe(false)
  giveBack(long)
  expect(payloadOf({ rows: printedText(JSON.stringify(['m'.repeat(1_000_000)])) }).buffer === long.buffer).toBe(true)
})
