// `/f/{accession}`: one filing: what was read from it, next to the document that it was read from; corrections and amendments.
import { datasetsOfXmlForms } from '#schemas/corrections.ts'
import { question } from '#schemas/operations/operation.ts'
import { accession, cursor, integer, shaped, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { day, instant, number, orUnknown } from '../components/format.ts'
import { lockedSections, missing, shown, statusOf } from '../components/notice.ts'
import { answerLinks, companyLink, companyPath, filingPath, managerPath, pageHead, pager, section } from '../components/parts.ts'
import { emptyState, facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html, join } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'
import { documentText, valueKey } from './document.ts'
import { label, readValues } from './values.ts'

type Filing = AnswerOf<'get_filing'>
type Values = AnswerOf<'get_filing_values'>
/** Characters of the document on the page: with its marks, a page stays below 150 KB compressed. */
const shownCharacters = 24_000
const shownRecords = 60

const roles: Readonly<Record<string, string>> = {
  issuer: 'Issuer',
  filer: 'Filer',
  subject_company: 'Subject company',
  filed_by: 'Filed by',
  reporting_owner: 'Reporting owner',
}

export const filingPage = page('/f/{accession}', 'Filing', {
  summary: 'One filing: every value that was read from it next to its place in the document, corrections and amendments.',
  question: question({
    accession: accession('accession number'),
    at: shaped(
      'the value that the document is shown at',
      /^[a-z_]{1,40}:\d{1,7}:[a-z0-9_.]{1,80}$/,
      'a value such as insider_transactions:1:shares',
      'insider_transactions:1:shares',
    ).optional(),
    document: text('file name of a document of the filing', 256, 'form4.xml').optional(),
    start: integer('first character of the document', 0, 99_999_999, { fallback: 0 }).default(0),
    cursor,
  }),
  operations: ['get_filing', 'get_filing_values', 'get_filing_document'],
  sample: '/f/0009990001-26-000037?at=insider_holdings:1:shares_after',
  async render({ question: { accession: id, at, document: file, start, cursor: after }, ask }) {
    const [filing, values] = await Promise.all([
      ask('get_filing', { accession: id }),
      ask('get_filing_values', { accession: id, limit: shownRecords, ...(after === undefined ? {} : { cursor: after }) }),
    ])
    if (!filing.ok) {
      const title = `Filing ${id}`
      const body =
        filing.status === 401
          ? lockedSections(['Values that were read', 'The document', 'Corrections', 'Amendments'])
          : missing(filing, 'This filing')
      return { title, main: html`${pageHead(title)}${body}`, status: statusOf(filing) }
    }
    const chosen = file ?? (at === undefined ? mainDocument(values.ok ? values.value : null) : undefined)
    const document = await ask('get_filing_document', {
      accession: id,
      start,
      length: shownCharacters,
      ...(at === undefined ? {} : { around: at }),
      ...(chosen === undefined ? {} : { document: chosen }),
    })
    const { form, form_title, entities, filed_date } = filing.value
    const company = entities[0]?.company ?? 'unknown filer'
    const placed = new Set(document.ok ? document.value.places.map(valueKey) : [])
    const corrections = values.ok ? correctionsOf(values.value) : []
    return {
      title: `${form} of ${company}`,
      description: `${form_title ?? `Form ${form}`} of ${company}, filed ${filed_date}: every value that was read, with its place in the document.`,
      modules: ['filing'],
      main: html`${pageHead(html`Form ${form} of ${company}`, form_title, html`<p class="small"><code>${id}</code></p>`)}
${section({ id: 'filing', title: 'The filing', tools: answerLinks(filing, 'the filing'), body: aboutFiling(filing.value) })}
${values.ok && values.value.chain.length > 0 && chainSection(values.value, id)}
${corrections.length > 0 && section({ id: 'corrections', title: counted(corrections.length, 'correction'), lead: 'The operator of this service found that the filing itself is wrong, and put another value in place. The filed value is kept.', body: correctionTable(corrections) })}
<div class="side-by-side">
${section({
  id: 'values',
  title: values.ok ? html`What was read: ${counted(values.value.total, 'row')}` : 'What was read',
  lead: 'Choose an underlined value to see it in the document.',
  tools: answerLinks(values, 'the values'),
  body: shown(values, 'Values', answer =>
    answer.total === 0
      ? emptyState(`No reader takes values from Form ${form}: the filing is listed, and its document is kept as received.`)
      : html`${readValues(answer, { accession: id, placed, at, elsewhere: elsewhere(document.ok ? document.value : null) })}
${pager({
  first: after === undefined ? null : filingPath(id),
  next: answer.next_cursor === null ? null : `${filingPath(id)}?cursor=${encodeURIComponent(answer.next_cursor)}#values`,
})}`,
  ),
})}
<div class="document-pane">${section({
        id: 'document',
        title: document.ok ? html`Document: ${document.value.document.document ?? document.value.document.type}` : 'Document',
        tools: html`${document.ok && html`<a href="/answer?as=json&amp;${`of=${encodeURIComponent(document.url)}`}" aria-label="the document as JSON">JSON</a>`}${filing.value.document_url !== null && html`<a href="${filing.value.document_url}" rel="noreferrer">Raw document on sec.gov</a>`}`,
        body: shown(document, 'The document', answer => documentText(answer, at)),
      })}</div>
</div>`,
    }
  },
})

/** The document with the most stated places: the exhibit of a 6-K or 40-F holds what its cover does not. */
function mainDocument(values: Values | null): string | undefined {
  if (values === null) return undefined
  const named = values.records.flatMap(({ document, values: read }) =>
    document !== null && read.some(each => each.start !== null) ? [document] : [],
  )
  const counts = [...Map.groupBy(named, name => name)].map(([name, all]) => [name, all.length] as const)
  return counts.sort((a, b) => b[1] - a[1])[0]?.[0]
}

/** Datasets whose values may be printed outside of the shown part: in the other document of a 13F, or in a longer form. */
function elsewhere(shownDocument: AnswerOf<'get_filing_document'> | null): ReadonlySet<string> {
  if (shownDocument?.document.format !== 'xml') return new Set()
  const { document, places } = shownDocument
  if (document.start > 0 || document.next_start !== null) return new Set<string>(datasetsOfXmlForms)
  return new Set(shownDocument.documents.length > 1 ? datasetsOfXmlForms.filter(name => !places.some(each => each.dataset === name)) : [])
}

function aboutFiling(filing: Filing): Html {
  const { entities, filed_date, accepted_at, period_of_report, items, size_bytes, index_url, url, form, known_from } = filing
  return html`${facts([
    ['Filed', day(filed_date)],
    ['Accepted by EDGAR', orUnknown(accepted_at, instant)],
    ['Known from', instant(known_from)],
    ['Period of report', orUnknown(period_of_report, day)],
    ...(items.length > 0 ? [['Items', items.join(', ')] as const] : []),
    ['Size', orUnknown(size_bytes, value => `${number(value)} bytes`)],
  ])}
${table({
  caption: 'Parties of the filing',
  captionHidden: true,
  columns: ['Name', tight('Role'), tight('CIK'), tight('File number')],
  rows: entities.map(each => [
    html`${each.symbol !== null && html`${companyLink(each.symbol)} `}${each.company}`,
    each.role === null ? null : (roles[each.role] ?? each.role.replaceAll('_', ' ')),
    each.cik,
    each.file_number,
  ]),
})}
<p class="small">${join(
    [
      ...furtherPages(form, entities),
      html`<a href="${index_url}" rel="noreferrer">All documents on sec.gov</a>`,
      html`<a href="${url}" rel="noreferrer">Full submission</a>`,
    ],
    ' · ',
  )}</p>`
}

/** Pages of this service about what such a form reports. */
function furtherPages(form: string, entities: Filing['entities']): Content[] {
  const symbol = entities.find(each => each.symbol !== null)?.symbol ?? null
  const filer = entities.find(each => each.role === 'filer' || each.role === 'filed_by')
  const links: Content[] = []
  if (/^13F/.test(form) && filer) links.push(html`<a href="${managerPath(filer.cik)}">Holdings of this manager</a>`)
  if (/^(?:SC|SCHEDULE) 13[DG]/.test(form)) links.push(html`<a href="/ownership">Schedules 13D and 13G</a>`)
  if (symbol === null) return links
  if (/^[345](?:\/A)?$/.test(form)) links.push(html`<a href="${`${companyPath(symbol)}/insiders`}">Insiders of ${symbol}</a>`)
  if (/^(?:10-[KQ]|20-F|40-F|S-1|F-1|S-11|F-10)/.test(form))
    links.push(
      html`<a href="${`${companyPath(symbol)}/risk-factors?form=${encodeURIComponent(form.replace(/\/A$/, ''))}`}">Changes in risk factors</a>`,
    )
  return links
}

const chainSection = ({ chain, form }: Values, current: string): Html =>
  section({
    id: 'chain',
    title: 'Amendments',
    lead: /^(?:S|F)-|^424B/.test(form)
      ? 'The registration statement, its amendments and its prospectuses, by file number, oldest first.'
      : 'The filing and what amends it, oldest first. Nothing that was filed is deleted.',
    body: html`<ol class="chain">${chain.map(
      each =>
        html`<li class="${each.accession === current && 'current'}">${each.accession === current ? html`<strong aria-current="page">${each.form}</strong>` : html`<a href="${filingPath(each.accession)}">${each.form}</a>`}<span>${day(each.filed_date)}</span></li>`,
    )}</ol>`,
  })

type Correction = NonNullable<Values['records'][number]['corrected']>[number] & { readonly row: string }
const correctionsOf = ({ records }: Values): Correction[] =>
  records.flatMap(({ dataset, line, corrected = [] }) =>
    corrected.map(each => ({ ...each, row: line === null ? dataset.replaceAll('_', ' ') : `${dataset.replaceAll('_', ' ')}, row ${line}` })),
  )
const correctionTable = (corrections: readonly Correction[]): Html =>
  table({
    caption: 'Corrections by the operator',
    captionHidden: true,
    columns: ['Row', 'Value', numeric('As filed'), numeric('Corrected'), 'Reason', tight('Since')],
    rows: corrections.map(each => [
      each.row,
      label(each.field),
      String(each.filed),
      String(each.value),
      html`${each.reason} <a class="source" href="${each.evidence}" rel="noreferrer">evidence</a>`,
      day(each.known_from),
    ]),
  })
