import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, test } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import type { Io } from './io.ts'
import { itemsCommand } from './items.ts'
import { readCommand } from './read.ts'

const folder = mkdtempSync(join(tmpdir(), 'items-'))
afterAll(() => rmSync(folder, { recursive: true }))
function file(name: string, body: string | Uint8Array): string {
  writeFileSync(join(folder, name), body)
  return join(folder, name)
}
function run(command: (argv: readonly string[], io: Io) => number, ...argv: string[]): { code: number; out: string; err: string } {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), width: null, colour: false } as unknown as Io
  return { code: command(argv, io), out: out.join('\n'), err: err.join('\n') }
}
const fixture = (path: string): string => join(import.meta.dirname, '..', '..', 'fixtures', path)

const annual =
  '<html><body><p>FORM 10-K</p><p><b>Item 1. Business</b></p><p>Kilns.</p><p><b>Item 1A. Risk Factors</b></p><p>Not applicable.</p><p><b>Item 2. Properties</b></p><p>One shed.</p></body></html>'

describe('crossfile items', () => {
  const path = file('annual.htm', annual)
  it('prints a table: item, part, title, status, words, place, flags, reason', () => {
    const { code, out } = run(itemsCommand, path)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toBe('Form 10-K by its cover, 100 characters of text')
    expect(lines[1]?.split(/\s{2,}/)).toEqual(['item', 'part', 'title', 'status', 'words', 'place', 'found by', 'flags', 'reason'])
    expect(lines.find(line => line.startsWith('1A'))).toMatch(/^1A\s+I\s+Risk Factors\s+not_required\s+6\s+\d+-\d+\s+heading\s+-\s+Not applicable\.$/)
  })
  it('prints everything as JSON, with the place in the file', () => {
    const { items, form, form_from } = JSON.parse(run(itemsCommand, path, '--json').out)
    expect([form, form_from]).toEqual(['10-K', 'cover'])
    const risks = items.find(({ item }: { item: string }) => item === '1A')
    expect(risks).toMatchObject({
      part: 'I',
      title: 'Risk Factors',
      status: 'not_required',
      words: 6,
      located: 'heading',
      flags: [],
      text: 'Item 1A. Risk Factors\nNot applicable.',
    })
    expect(annual.slice(risks.place.source_start, risks.place.source_end)).toBe('Item 1A. Risk Factors</b></p><p>Not applicable.')
  })
  it('prints the text of one item, or why it has none', () => {
    for (const requested of ['1A', '1a', 'Item 1A', 'I.1A'])
      expect(run(itemsCommand, path, '--text', requested)).toMatchObject({ code: 0, out: 'Item 1A. Risk Factors\nNot applicable.' })
    expect(() => run(itemsCommand, path, '--text', '7')).toThrow(/has no item "7"/)
    const without = file('without.htm', annual.replace(/<p><b>Item 1A.*?applicable.<\/p>/, ''))
    expect(run(itemsCommand, without, '--text', '1A')).toEqual({ code: 1, out: '', err: 'item 1A is not_present: the document has no such item' })
  })
  it('takes the form from the header, or from --form, and gzip', () => {
    const submission = fixture('reports/0000990402-24-000031.txt')
    expect(run(itemsCommand, submission).out).toMatch(/^Form 8-K by the submission's header/)
    expect(run(itemsCommand, path, '--form', '10-K405').out).toMatch(/^Form 10-K405 by --form/)
    expect(run(itemsCommand, file('annual.htm.gz', gzipSync(annual))).code).toBe(0)
    expect(run(itemsCommand, fixture('reports/0000990401-25-000014.txt')).out).toMatch(/risk_factors\s/)
  })
  it('an item that the header announces and the document has not is located: false', () => {
    const text = `<SEC-DOCUMENT>0000990101-05-000001.txt : 20050301\n<SEC-HEADER>0000990101-05-000001.hdr.sgml : 20050301\nACCESSION NUMBER:\t\t0000990101-05-000001\nCONFORMED SUBMISSION TYPE:\t8-K\nITEM INFORMATION:\t\tOther Events\nITEM INFORMATION:\t\tRegulation FD Disclosure\nFILED AS OF DATE:\t\t20050301\n\nFILER:\n\n\tCOMPANY DATA:\t\n\t\tCOMPANY CONFORMED NAME:\t\t\tKILN WORKS\n\t\tCENTRAL INDEX KEY:\t\t\t0000990101\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>8-K\n<SEQUENCE>1\n<FILENAME>k.txt\n<TEXT>\nFORM 8-K\n\nItem 8.01  Other Events\n\nThe kiln was lit.\n\nSIGNATURES\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n`
    const { items } = JSON.parse(run(itemsCommand, file('current.txt', text), '--json').out)
    expect(items).toMatchObject([
      { item: '8.01', located: 'heading', words: 8 },
      { item: '7.01', located: false, place: null, text: null, flags: ['announced_not_located'] },
    ])
  })
  it('a 6-K has no items, a report without any says so', () => {
    expect(run(itemsCommand, file('six.htm', '<p>FORM 6-K</p><p>Item 1. Business</p>'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('A 6-K numbers no items.'),
    })
    expect(run(itemsCommand, file('none.htm', '<p>FORM 8-K</p>'))).toMatchObject({ code: 1, out: expect.stringContaining('No item was located.') })
  })
})

describe('a file that is no document', () => {
  test.each([
    ['a.pdf', '%PDF-1.4', 'is a PDF'],
    ['a.zip', 'PK\u0003\u0004', 'is a ZIP archive'],
    ['a.bin', new Uint8Array(400).fill(3), 'contains binary data'],
    ['utf16.txt', Buffer.from('FORM 10-K', 'utf16le'), 'contains binary data'],
    ['empty.txt', '', 'is empty'],
    ['blank.txt', ' \n\n ', 'is empty'],
    ['cut.gz', new Uint8Array([0x1f, 0x8b, 8, 0]), 'is not a complete gzip file'],
  ])('%s', (name, body, fault) => {
    for (const command of [itemsCommand, readCommand]) {
      expect(() => run(command, file(name, body))).toThrow(BadRequest)
      expect(() => run(command, file(name, body))).toThrow(fault)
    }
  })
  it('is missing, or a folder, or of a kind that has no items', () => {
    for (const command of [itemsCommand, readCommand]) {
      expect(() => run(command, join(folder, 'nowhere'))).toThrow('does not exist')
      expect(() => run(command, folder)).toThrow('is not a file')
      expect(() => run(command)).toThrow(BadRequest)
      expect(() => run(command, file('letter.txt', 'Dear reader'))).toThrow(BadRequest)
    }
    expect(() => run(itemsCommand, fixture('insider/0000990102-20-000021.xml'))).toThrow('is data, no report')
    expect(() => run(itemsCommand, fixture('insider/0000990101-24-000011.txt'))).toThrow('which has no items')
    expect(() => run(itemsCommand, file('letter.txt', 'Dear reader'), '--form', 'S-1')).toThrow('--form S-1')
  })
})

describe('crossfile read', () => {
  it('shows the facts of a document, field by field, and all of them as JSON', () => {
    const path = fixture('insider/0000990102-20-000021.xml')
    const { code, out } = run(readCommand, path)
    expect(code).toBe(0)
    expect(out).toMatch(/^kind {2}edgar\.ownership\n\ninsider_filings: 1 row\n/)
    expect(out).toMatch(/\n {2}issuer_cik\s+\d{10}\n/)
    const { kind, facts } = JSON.parse(run(readCommand, path, '--json').out)
    expect([kind, facts.insider_filings.length]).toEqual(['edgar.ownership', 1])
  })
  it('shows a whole submission, and the items of a bare report', () => {
    expect(run(readCommand, fixture('reports/0000990402-24-000031.txt')).out).toMatch(/report_items: \d+ rows/)
    expect(run(readCommand, file('annual.htm', annual)).out).toMatch(/^Form 10-K by its cover/)
  })
  it('lists the tables of a FilingSummary', () => {
    const summary =
      '<FilingSummary><MyReports><Report><HtmlFileName>R2.htm</HtmlFileName><ShortName>Balance Sheets</ShortName></Report></MyReports></FilingSummary>'
    expect(run(readCommand, file('FilingSummary.xml', summary))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/R2\.htm\s+-\s+Balance Sheets/),
    })
  })
  it('prints what was refused, with the reason', () => {
    const { code, out } = run(readCommand, fixture('reports/0000990405-25-000002.txt'))
    expect(out).toContain('refused  report_items  no_items')
    expect(code).toBe(0)
  })
})
