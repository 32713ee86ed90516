import { describe, expect, it } from 'vitest'
import { royaltyTables } from '#fixtures/pdf/corpus.ts'
import { openPdfReader } from './read-pdf.ts'
import { royaltiesOf, textTables } from './royalties.ts'

type Row = { page: number; row: number; property: string | null; holder: string | null; rate: string; rate_pct: unknown; basis: string | null }
const read = openPdfReader(1, 8)
const limits = { pages: 300, ms: 60_000, wallMs: 120_000, megabytes: 600 }
const short = (each: object) => {
  const { page, row, property, holder, rate, rate_pct, basis } = JSON.parse(JSON.stringify(each)) as Row
  return [page, row, property, holder, rate, rate_pct, basis]
}

describe('the royalties of a document', () => {
  it('are the rows of its tables of royalties, as printed, with their places', async () => {
    const { body } = await read(royaltyTables().bytes, limits, new AbortController().signal)
    const { tables, royalties } = JSON.parse(body.toString('utf8')) as { tables: never[]; royalties: (Row & { buyback: string | null })[] }
    expect(royalties.map(short)).toEqual([
      [1, 1, 'Ironwood North', 'Harrow Lake Royalties Ltd.', '2.0% NSR', 2.0, 'nsr'],
      [1, 2, 'Ironwood South', 'Private', '1.5% NSR', 1.5, 'nsr'],
      [1, 3, 'Cinder Ridge', 'Castellane Royalty LP', '1.0% to 3.0% NSR', null, 'nsr'],
      [1, 4, 'Cinder Ridge', 'Province', '15% NPI', 15, 'npi'],
      [2, 1, 'L-1 to L-14', 'Harrow Lake Royalties Ltd.', '2.5', 2.5, 'nsr'],
      [2, 2, 'L-15', 'Prospector heirs', '0.5', 0.5, 'nsr'],
    ])
    expect(royalties.map(each => each.buyback)).toEqual(['1.0% for C$1.5 million', null, null, null, null, null])
    expect(body.toString('utf8')).toContain('"rate":"2.0% NSR","rate_pct":2.0,')
    const { unread } = royaltiesOf(tables)
    expect(unread).toMatchObject([{ page: 1, row: 5, cells: ['Tallow Creek', 'None', '–', null] }])
  })
  it('of a text are read from the same tables, whatever separates the cells', () => {
    for (const mark of ['\t', ' | ', '   ']) {
      const line = (cells: string[]): string => cells.join(mark)
      const text = [
        'Production figures',
        line(['Year', 'Tonnes']),
        line(['2025', '100']),
        '\fTable 2: Royalties',
        line(['Claim', 'Owner of royalty', 'Type', 'Rate (%)']),
        line(['Alpha', 'Acme Royalty Corp.', 'GORR', '1.25']),
        line(['Beta', 'Acme Royalty Corp.', 'NSR or NPI', '2']),
      ].join('\n')
      expect(royaltiesOf(textTables(text)).royalties.map(short)).toEqual([
        [2, 1, 'Alpha', 'Acme Royalty Corp.', '1.25', 1.25, 'gor'],
        [2, 2, 'Beta', 'Acme Royalty Corp.', '2', 2, null],
      ])
    }
  })
  it('are not guessed: two columns of one kind, an empty cell and other tables give nothing', () => {
    const table = 'Royalties\nProperty\tProject\tNSR\nA\tB\t2%\n\t\t1% (0.5% after buy-back)'
    expect(royaltiesOf(textTables(table)).royalties.map(short)).toEqual([
      [1, 1, null, null, '2%', 2, 'nsr'],
      [1, 2, null, null, '1% (0.5% after buy-back)', null, 'nsr'],
    ])
    expect(royaltiesOf(textTables('Grades\nProperty\tHolder\tRate (%)\nA\tB\t2'))).toEqual({ royalties: [], unread: [] })
    expect(textTables('no table\nat all')).toEqual([])
  })
})
