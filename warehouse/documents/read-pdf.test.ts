import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { corpus } from '#fixtures/pdf/corpus.ts'
import { drillRelease } from '#fixtures/pdf/drill-release.ts'
import { hostileFiles } from '#fixtures/pdf/hostile.ts'
import { filled, PdfPage, writePages } from '#fixtures/pdf/writer.ts'
import { documentFacts } from '#schemas/documents.ts'
import { BadRequest, Overloaded, TooMany } from '#schemas/errors.ts'
import { interpretDrill } from '../rules/drill/interpret.ts'
import { drillRulesOf } from '../rulesets/drill/rules.ts'
import { openPdfReader, type PdfLimits, sandboxFlags } from './read-pdf.ts'

const read = openPdfReader(2, 64)
const limits: PdfLimits = { pages: 300, ms: 60_000, wallMs: 120_000, megabytes: 600 }
const never = new AbortController().signal
type Body = z.infer<typeof Facts>
const { sha256: _sha256, bytes: _bytes, ...inBody } = documentFacts
const Facts = z.strictObject(inBody)
const facts = async (bytes: Uint8Array, given: Partial<PdfLimits> = {}): Promise<Body> =>
  Facts.parse(JSON.parse((await read(bytes, { ...limits, ...given }, never)).body.toString('utf8')))
async function refusal(bytes: Uint8Array, given: Partial<PdfLimits> = {}): Promise<string> {
  const error = await read(bytes, { ...limits, ...given }, never).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BadRequest)
  const { status, code, message, hint, items } = error as BadRequest
  expect([status, code]).toEqual([422, 'validation_error'])
  expect(items?.[0]?.loc).toEqual(['body', 'file'])
  expect(hint?.length).toBeGreaterThan(5)
  return message
}
const hostile = new Map(hostileFiles().map(({ name, bytes }) => [name, bytes]))
const aHostile = (name: string): Buffer => hostile.get(name) ?? expect.fail(`no file ${name}`)

describe('a document', () => {
  it('fits its schema, with the digits that it prints', async () => {
    const { body } = await read(drillRelease().bytes, limits, never)
    const text = body.toString('utf8')
    const parsed = Facts.parse(JSON.parse(text))
    expect(text).toContain('"values":[null,120.0,132.5,12.5,3.20,11.0]')
    expect(text).toContain('"cells":["UK-26-05","61.0","68.0","7.0","0.88","<0.5"],"values":[null,61.0,68.0,7.0,0.88,null]')
    expect(parsed.tables[0]?.columns.map(column => column.unit)).toEqual([null, 'm', 'm', 'm', 'g/t', 'g/t'])
    for (const page of parsed.pages)
      for (const { start, end } of page.lines) expect([...page.text].slice(start, end).join('')).not.toMatch(/^\s|\s$|^$|\n/)
  })
  it('gives the same bytes each time, made anew or not', async () => {
    const [first, second] = await Promise.all([read(drillRelease().bytes, limits, never), read(drillRelease().bytes, limits, never)])
    expect(first.body.equals(second.body)).toBe(true)
    expect(corpus().map(each => each.bytes.toString('base64'))).toEqual(corpus().map(each => each.bytes.toString('base64')))
  })
  it('of a drill release has requests that the drill calculator reads, row for row', async () => {
    const { drill } = await facts(drillRelease().bytes)
    const [table] = drill?.tables ?? []
    const rules = drillRulesOf(undefined)
    const { count, intervals, unread } = interpretDrill(table?.request ?? expect.fail('no drill table'), rules)
    expect([count, unread]).toEqual([7, []])
    expect(intervals.map(each => [each.node.raw.hole, each.node.from, each.node.length, each.parts.length])).toEqual([
      ['UK-26-01', '120.0', '12.5', 1],
      ['UK-26-02', '50.0', '5.0', 0],
      ['UK-26-03', '88.4', '16.5', 1],
      ['UK-26-04', '201.3', '1.0', 0],
      ['UK-26-05', '61.0', '7.0', 0],
    ])
    // The whole text brings what the checklist of NI 43-101 asks for.
    const whole = interpretDrill(drill?.document ?? expect.fail('no text'), rules)
    expect(whole.count).toBe(7)
    const missing = whole.checklist.filter(item => item.status === 'missing').map(item => item.item)
    for (const stated of ['qualified_person', 'qaqc', 'laboratory', 'hole_azimuth', 'hole_dip', 'true_widths']) expect(missing).not.toContain(stated)
  })
  it('over two pages goes on with its table, whether its head is printed again or not', async () => {
    for (const name of ['drill-long-repeated-head.pdf', 'drill-long-bare-head.pdf']) {
      const { tables, drill } = await facts(corpus().find(each => each.name === name)?.bytes ?? expect.fail(name))
      expect(tables.map(table => table.continues)).toEqual([null, 't1'])
      expect(tables[1]?.columns.map(column => column.name)).toEqual(['Hole', 'From (ft)', 'To (ft)', 'Length (ft)', 'Cu (%)', 'Au (g/t)'])
      expect(drill?.tables.map(each => [each.tables, each.intervals])).toEqual([[['t1', 't2'], 44]])
    }
  })
  it('has figures with unit, currency, scale and the dates of their sentence', async () => {
    const { figures, dates } = await facts(drillRelease().bytes)
    expect(figures).toContainEqual(
      expect.objectContaining({ printed: 'C$6.4 million', kind: 'money', value: 6_400_000, currency: 'CAD', dates: ['September 30, 2026'] }),
    )
    expect(figures).toContainEqual(
      expect.objectContaining({ printed: '84,200,000 common shares', value: 84_200_000, unit: 'common shares', page: 2 }),
    )
    expect(dates).toContainEqual(expect.objectContaining({ printed: 'November 12, 2026', date: '2026-11-12', precision: 'day' }))
    const french = await facts(corpus().find(each => each.name === 'drill-french.pdf')?.bytes ?? expect.fail('french'))
    expect(french.figures).toContainEqual(expect.objectContaining({ printed: '2,41 g/t', value: 2.41, unit: 'g/t' }))
    expect(french.dates).toContainEqual(expect.objectContaining({ printed: '3 novembre 2026', date: '2026-11-03' }))
  })
  it('names its scanned pages and reads the others', async () => {
    const { scanned_pages, warnings, pages } = await facts(corpus().find(each => each.name === 'partly-scanned.pdf')?.bytes ?? expect.fail('scanned'))
    expect(scanned_pages).toEqual([2, 3])
    expect(pages.map(page => page.kind)).toEqual(['text', 'scanned', 'scanned'])
    expect(warnings.map(warning => [warning.code, warning.page])).toEqual([
      ['scanned_page', 2],
      ['scanned_page', 3],
    ])
  })
  it('that runs upwards has its angle and is no part of a table', async () => {
    const page = new PdfPage(filled({}))
    for (const [at, text] of ['One plain line of text', 'and another of the same kind', 'with enough characters to be most'].entries())
      page.text(72, 100 + 14 * at, text, 10)
    page.upwards(40, 400, 'DRAFT', 10)
    const { pages } = await facts(writePages([page]))
    expect(pages[0]?.lines.map(line => line.angle)).toEqual([0, 0, 0, 270])
    expect(pages[0]?.text.endsWith('DRAFT')).toBe(true)
  })
})

describe('a file that cannot be read is refused with the reason', () => {
  it.each([
    ['no file', Buffer.alloc(0), /no PDF: it is empty/],
    ['a picture', Buffer.from('\x89PNG\r\n', 'latin1'), /a PNG image/],
    ['an archive', Buffer.from('PK\x03\x04rest', 'latin1'), /a ZIP archive or an Office document/],
    ['a page', Buffer.from('<!doctype html><p>'), /HTML or XML/],
    ['something', Buffer.from('something'), /no known document/],
  ])('%s', async (_name, bytes, message) => expect(await refusal(bytes)).toMatch(message))
  it.each([
    ['encrypted', /encrypted and cannot be read without its password/],
    ['encrypted-unknown', /encrypted/],
    ['header-alone', /damaged/],
    ['noise', /damaged/],
    ['xref-cycle', /damaged/],
    ['xref-huge', /damaged/],
    ['nested-dictionaries', /damaged/],
    ['page-tree-cycle', /damaged/],
    ['page-tree-wide', /has 100000 pages, at most 300 are read/],
  ])('%s', async (name, message) => expect(await refusal(aHostile(name))).toMatch(message))
  it('cut in the middle', async () => {
    const { bytes } = drillRelease()
    for (const share of [0.1, 0.5]) expect(await refusal(bytes.subarray(0, Math.floor(bytes.length * share)))).toMatch(/damaged/)
  })
  it('of more memory, time or pages than it may take', async () => {
    expect(await refusal(aHostile('decompression-bomb'), { megabytes: 300 })).toMatch(/more memory than the 300 MB/)
    expect(await refusal(aHostile('forms-doubling'), { ms: 5_000 })).toMatch(/more than 5 s of processor time/)
    expect(await refusal(drillRelease().bytes, { pages: 1 })).toMatch(/has 2 pages, at most 1 are read/)
  })
})

describe('a hostile file that can be read', () => {
  it.each([
    'contents-cycle',
    'form-paints-itself',
    'nested-arrays',
    'page-tree-deep',
    'pages-declared',
    'picture-huge',
    'predictor-wide',
    'unicode-map-wide',
  ])('%s is read within its limits', async name => expect((await facts(aHostile(name))).page_count).toBe(1))
  it('has its scripts named and never run', async () => {
    const { warnings, pages } = await facts(aHostile('javascript'))
    expect(warnings.map(warning => warning.code)).toEqual(['has_javascript'])
    expect(pages[0]?.text).toBe('One line of text.')
  })
})

/** PDFs of Debian packages (shared-mime-info, libtasn1-doc), written by other programs. */
const installed = ['/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf', '/usr/share/doc/libtasn1-doc/libtasn1.pdf'].filter(existsSync)
describe.skipIf(installed.length === 0)('a manual of a Debian package', () => {
  it.each(installed)('%s has its text, its headings and no invented issuer', async path => {
    const { body, issuers } = await read(readFileSync(path), limits, never)
    const { pages, page_count, headings, scanned_pages } = Facts.parse(JSON.parse(body.toString('utf8')))
    expect([page_count > 10, headings.length > 10, scanned_pages]).toEqual([true, true, []])
    expect(pages.flatMap(page => (page.text.trim() === '' ? [] : [page.page])).length).toBeGreaterThan(10)
    expect(issuers.filter(each => /^\d/.test(each.printed))).toEqual([])
  })
})

describe('the process of a document', () => {
  it('reads the program alone: no other file, no network, no other program, no code from strings', () => {
    const script = fileURLToPath(new URL('../../fixtures/pdf/escape.mjs', import.meta.url))
    const { stdout } = spawnSync(process.execPath, [...sandboxFlags(), script], { encoding: 'utf8', env: {} })
    expect(JSON.parse(stdout)).toEqual({
      own: 'done',
      read: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      spawn: 'ERR_ACCESS_DENIED',
      connect: 'ERR_ACCESS_DENIED',
      code: 'EvalError',
    })
  })
})

describe('the reader', () => {
  it('refuses what would wait too long, and ends the process of a client that left', async () => {
    const one = openPdfReader(1, 1)
    const gone = new AbortController()
    const first = one(aHostile('forms-doubling'), limits, gone.signal)
    const second = one(drillRelease().bytes, limits, never)
    await expect(one(drillRelease().bytes, limits, never)).rejects.toBeInstanceOf(Overloaded)
    gone.abort(new Error('the client left'))
    await expect(first).rejects.toThrow('the client left')
    expect((await second).bytes).toBe(drillRelease().bytes.length)
  })
  it('reads one document of an account at a time, so that slow ones do not close it for others', async () => {
    const reader = openPdfReader(2, 8)
    const gone = new AbortController()
    const [mine, other] = [
      { account: 'u_1', address: '192.0.2.1' },
      { account: 'u_2', address: '198.51.100.1' },
    ]
    const slow = [1, 2].map(() => reader(aHostile('forms-doubling'), { ...limits, ms: 600_000 }, gone.signal, undefined, mine))
    await expect(reader(drillRelease().bytes, limits, never, undefined, mine)).rejects.toBeInstanceOf(TooMany)
    expect((await reader(drillRelease().bytes, limits, never, undefined, other)).bytes).toBe(drillRelease().bytes.length)
    gone.abort(new Error('the client left'))
    expect((await Promise.allSettled(slow)).map(each => each.status)).toEqual(['rejected', 'rejected'])
  })
  it('does not blame the document for a machine that is too busy', async () => {
    await expect(read(drillRelease().bytes, { ...limits, wallMs: 1 }, never)).rejects.toThrow(/not read within 0\.001 s, because the machine is busy/)
  })
  it('reports its progress', async () => {
    const reported: [number, number][] = []
    await read(drillRelease().bytes, limits, never, (done, of) => reported.push([done, of]))
    expect(reported.at(-1)).toEqual([2, 2])
  })
})
