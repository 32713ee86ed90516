import { describe, expect, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { itemNumber } from './items.ts'
import { parseSubmission } from './sgml.ts'

const submission = (text: string) => parseSubmission(Buffer.from(text, 'latin1'))
const header = (accession = '0000990001-24-000001'): string => `<SEC-DOCUMENT>${accession}.txt : 20240508
<SEC-HEADER>${accession}.hdr.sgml : 20240508
<ACCEPTANCE-DATETIME>20240508173012
ACCESSION NUMBER:		${accession}
CONFORMED SUBMISSION TYPE:	8-K
PUBLIC DOCUMENT COUNT:		2
CONFORMED PERIOD OF REPORT:	20240506
ITEM INFORMATION:		Other Events
ITEM INFORMATION:		Something Nobody Announced Before
FILED AS OF DATE:		20240508

FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			TIDEWRACK: MOTORS & SONS
		CENTRAL INDEX KEY:			0000990001
		STANDARD INDUSTRIAL CLASSIFICATION:	MOTORS & GENERATORS [3621]
		FISCAL YEAR END:			1231

	FORMER COMPANY:
		FORMER CONFORMED NAME:	ELDER TIDE POWER INC
		DATE OF NAME CHANGE:	20110301
</SEC-HEADER>
`
const document = (type: string, text: string): string =>
  `<DOCUMENT>\n<TYPE>${type}\n<SEQUENCE>1\n<FILENAME>a.htm\n<TEXT>\n${text}\n</TEXT>\n</DOCUMENT>\n`

describe('a submission', () => {
  test('the colon style names filing, entity and former names; a value may hold a colon', () => {
    const { header: read } = submission(header())
    expect(read).toMatchObject({ accession: '0000990001-24-000001', form: '8-K', accepted_at: '2024-05-08T21:30:12Z', filed_date: '2024-05-08' })
    expect(read).toMatchObject({ period: '2024-05-06', document_count: 2, items: ['8.01', 'Something Nobody Announced Before'] })
    expect(read.entities).toEqual([
      expect.objectContaining({
        role: 'filer',
        cik: '0000990001',
        name: 'TIDEWRACK: MOTORS & SONS',
        sic: '3621',
        fiscal_year_end: '1231',
        former_names: [{ name: 'ELDER TIDE POWER INC', changed_date: '2011-03-01' }],
      }),
    ])
  })

  test('documents come out of their wrappers, byte for byte, uuencoded ones as they are', () => {
    const uuencoded = 'begin 644 a.zip\nM4$L#!!0````(`\n`\nend'
    const { documents } = submission(
      header() +
        document('8-K', '<XML>\n<?xml version="1.0"?>\n<a>Caf\u00e9</a>\n</XML>') +
        document('EX-101.INS', '<XBRL>\n<x/>\n</XBRL>') +
        document('ZIP', uuencoded),
    )
    expect(documents.map(part => [part.type, part.wrapper])).toEqual([
      ['8-K', 'XML'],
      ['EX-101.INS', 'XBRL'],
      ['ZIP', null],
    ])
    expect(Buffer.from(documents[0]?.bytes ?? []).toString('latin1')).toBe('<?xml version="1.0"?>\n<a>Caf\u00e9</a>\n')
    expect(Buffer.from(documents[2]?.bytes ?? []).toString('latin1')).toContain(uuencoded)
  })

  test('a document that is cut off is no answer', () => {
    const whole = header() + document('8-K', 'text')
    expect(() => submission(whole.slice(0, -20))).toThrow('document 1 of 2 has no end')
  })

  test('what has neither accession nor form type is no submission', () => {
    expect(() => submission('<html><body>Your Request Originates from an Undeclared Automated Tool</body></html>')).toThrow('no accession number')
    expect(() => submission('')).toThrow('no accession number')
  })

  test('the CIKs of merging funds are no entities of the filing', () => {
    const { header: read } = submission(
      '<SUBMISSION><ACCESSION-NUMBER>0000990001-24-000001<TYPE>N-14<FILER><COMPANY-DATA><CONFORMED-NAME>A FUND<CIK>0000990001</COMPANY-DATA></FILER><SERIES-AND-CLASSES-CONTRACTS-DATA><MERGER><ACQUIRING-DATA><CIK>0000990009</ACQUIRING-DATA></MERGER></SERIES-AND-CLASSES-CONTRACTS-DATA>',
    )
    expect(read.entities.map(entity => entity.cik)).toEqual(['0000990001'])
  })

  test('a header of a million openings is read in one pass', () => {
    expect(() => submission(`${header()}${'<DOCUMENT>'.repeat(300_000)}`)).toThrow('has no end')
    expect(submission(`${header()}${'<'.repeat(1_000_000)}${'ITEM INFORMATION'.repeat(50_000)}`).header.form).toBe('8-K')
  })

  test('item titles changed meaning on 23 August 2004', () => {
    expect(itemNumber('Other events', '2003-05-01')).toBe('5')
    expect(itemNumber('Other Events', '2005-05-01')).toBe('8.01')
    expect(itemNumber('Financial statements and exhibits', '2001-05-01')).toBe('7')
    expect(itemNumber('9.01', '2024-05-01')).toBe('9.01')
  })
})

describeReal('recorded SGML headers', () => {
  const read = (name: string) => parseSubmission(realBytes(`edgar/${name}`))

  test('an 8-K of 2025 announces its items by title, and holds fifteen documents', () => {
    const { header: found, documents } = read('sgml/0001213900-25-032135.txt')
    expect(found.items).toEqual(['2.02', '4.02', '7.01', '9.01'])
    expect(found.entities[0]?.former_names.map(former => former.name)).toEqual([
      'American BriVision (Holding) Corp',
      'METU BRANDS, INC.',
      'ECOLOGY COATINGS, INC.',
    ])
    expect(documents.map(part => part.type)).toContain('EX-101.SCH')
    expect(documents[0]?.wrapper).toBe('XBRL')
  })

  test('an index-headers page has the tag style in a comment and lists its documents without content', () => {
    const { header: found, documents } = read('sgml/23AndMe.index-headers.html')
    expect(found).toMatchObject({
      accession: '0001193125-24-152391',
      items: ['7.01', '9.01'],
      accepted_at: '2024-06-03T12:06:02Z',
      period: '2024-06-03',
    })
    expect(documents[0]).toMatchObject({ type: '8-K', sequence: 1, filename: 'd836506d8k.htm' })
    expect(documents.every(part => part.bytes.byteLength === 0)).toBe(true)
  })

  test('Form 4 headers tell owner from issuer', () => {
    for (const [name, owner, issuer] of [
      ['sgml/form4.index-headers.html', '0001641388', '0000914156'],
      ['form345/nvda-0001045810-23-000128.txt', '0001283854', '0001045810'],
      ['form345/tsvt-0001562180-25-000280.nc', '0002009134', '0001860782'],
    ] as const) {
      const { entities } = read(name).header
      expect(entities.find(entity => entity.role === 'reporting_owner')?.cik).toBe(owner)
      expect(entities.find(entity => entity.role === 'issuer')?.cik).toBe(issuer)
    }
  })

  test('headers of the nineties have a subject company, an owner in tags, and no acceptance time', () => {
    const { header: found } = read('sgml/1990sheader.txt')
    expect(found.accepted_at).toBeNull()
    expect(found.entities.map(entity => [entity.role, entity.cik, entity.relationship])).toEqual([
      ['subject_company', '0001035972', null],
      ['reporting_owner', '0001012325', 'DIRECTOR'],
    ])
  })

  test('several filers, double newlines, former companies and Form D items are read', () => {
    expect(read('sgml/MultipleFilersHeader.txt').header.entities.map(entity => entity.cik)).toEqual(['0001396730', '0001171040'])
    expect(read('sgml/MultipleFormerCompaniesHeader.txt').header.entities[0]?.former_names).toHaveLength(3)
    const fund = read('sgml/header_with_double_newlines.txt').header
    expect(fund).toMatchObject({ form: '485APOS', private_to_public: true, changed_date: '2024-06-26', items: null })
    expect(fund.entities.map(entity => [entity.cik, entity.act, entity.file_number])).toEqual([
      ['0001100663', '40', '811-09729'],
      ['0001100663', '33', '333-92935'],
    ])
    expect(read('sgml/0001398344-24-000491.nc').header.items).toEqual(['06b', '3C', '3C.1'])
  })

  test('PEM lines before the SGML are passed over', () => {
    const { header: found, documents } = read('form345/prac-0001094891-00-000193-paper-era.txt')
    expect(found).toMatchObject({ accession: '0001094891-00-000193', form: '4', filed_date: '2000-03-14' })
    expect(documents).toHaveLength(1)
    expect(documents[0]?.wrapper).toBeNull()
  })
})
