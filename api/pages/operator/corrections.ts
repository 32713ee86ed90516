// `/operator/corrections`: the values of a filing as filed and as corrected, a correction with its preview, and the list of all corrections.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { shaped, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { areaField, choiceField, faultList, formToken, inputField } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { filingPath, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { emptyState, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { done, opened, operatorHead } from './frame.ts'

type Values = AnswerOf<'get_filing_corrections'>
type Change = AnswerOf<'correct_filing_value'>['changes'][number]

const correctionQuestion = question({
  filing: shaped('accession number, or filing_id of an answer', /^[\w:.-]{1,100}$/, 'an accession number', '0001902104-26-000012').optional(),
  dataset: text('one dataset', 64, 'insider_transactions').optional(),
  line: text('one line', 100, '2').optional(),
  done,
})
const Fields = z.object({
  filing: z.string().max(100).default(''),
  dataset: z.string().max(64).default(''),
  line: z.string().max(100).default(''),
  field: z.string().max(64).default(''),
  value: z.string().max(10_000).default(''),
  undo: z.string().max(8).default(''),
  reason: z.string().max(1000).default(''),
  evidence: z.string().max(2000).default(''),
  once: z.string().max(64).default(''),
})
const shownFields = ['field', 'value', 'reason', 'evidence'] as const
const address = (given: Readonly<Record<string, string>>): string => `/operator/corrections?${new URLSearchParams(given)}`

/** All faults of the form, before the operation is called. */
function faultsOf({ field, value, undo, reason, evidence }: z.output<typeof Fields>): Record<string, string> {
  const without = undo === 'yes'
  return {
    ...(field === '' ? { field: 'Choose the field.' } : {}),
    ...(!without && value.trim() === '' ? { value: 'Give the correct value, or null if the filing gives none.' } : {}),
    ...(without && value.trim() !== '' ? { value: 'A withdrawal takes no value: the filed value applies again.' } : {}),
    ...(reason.trim() === '' ? { reason: 'Say why the filed value is wrong.' } : {}),
    ...(!without && evidence.trim() === '' ? { evidence: 'Give the address of a document that shows the correct value.' } : {}),
  }
}

const bodyOf = ({ filing, dataset, line, field, value, undo, reason, evidence }: z.output<typeof Fields>, dry_run: boolean) => ({
  filing,
  dataset,
  line,
  field,
  value: undo === 'yes' ? null : value.trim(),
  reason: reason.trim(),
  evidence: evidence.trim() === '' ? null : evidence.trim(),
  dry_run,
})

type FormOperation = 'list_corrections' | 'get_filing_corrections' | 'correct_filing_value'
const correctionForm = (dry_run: boolean) =>
  pageForm<typeof Fields, typeof correctionQuestion, FormOperation>(Fields, async (typed, { ask, token }) => {
    const faults = faultsOf(typed)
    if (Object.keys(faults).length > 0) return { faults }
    const keyed = dry_run ? {} : onceOf(typed.once)
    const made = await ask('correct_filing_value', {}, { body: bodyOf(typed, dry_run), seconds: 12, ...keyed })
    if (!made.ok) return { faults: refusalFaults(made, [...shownFields]) }
    const { filing, dataset, line } = typed
    if (dry_run) return { title: 'Preview', main: preview(typed, made.value.changes, token) }
    return { redirect: address({ filing, dataset, line, done: made.value.state === 'applied' ? 'corrected' : 'requested' }) }
  })

export const operatorCorrectionsPage = page('/operator/corrections', 'Corrections', {
  summary: 'Values of filings that were filed wrongly: corrected with reason and evidence, next to what was filed.',
  access: 'admin',
  question: correctionQuestion,
  operations: ['list_corrections', 'get_filing_corrections', 'correct_filing_value'],
  async render({ ask, question: { filing, dataset, line, done: outcome }, token, returned }) {
    const place = { ...(dataset === undefined ? {} : { dataset }), ...(line === undefined ? {} : { line }) }
    const [values, all] = await Promise.all([
      filing === undefined ? null : ask('get_filing_corrections', { filing, ...place }, { seconds: 12 }),
      ask('list_corrections', { limit: 50, ...(filing === undefined ? {} : { filing }) }, { seconds: 12 }),
    ])
    return {
      main: html`${operatorHead('Corrections', '/operator/corrections', { lead: 'The filed value is kept: answers show it next to the correction, and an earlier as_of gives it.', done: outcome })}
<form class="inline-form" method="get" action="/operator/corrections">${inputField({ form: 'find', name: 'filing', label: 'Accession number or filing_id', faults: {}, help: 'Such as 0001902104-26-000012, from the page of a filing', attributes: html` maxlength="100" required autocomplete="off" spellcheck="false"` }, filing ?? '')}<button type="submit">Show its values</button></form>
${values !== null && opened(values, `Filing ${filing}`, value => valuesSections(value, token, returned))}
${section({
  id: 'all',
  title: filing === undefined ? 'All corrections' : 'Corrections of this filing',
  wide: true,
  body: opened(all, 'The list of corrections', ({ corrections, of }) => [
    corrections.length < of && html`<p>The newest ${number(corrections.length)} of ${number(of)}.</p>`,
    table({
      caption: 'Corrections, newest first',
      captionHidden: true,
      columns: [tight('Since'), 'Filing', 'Value', 'Filed', 'Corrected', 'Reason'],
      rows: corrections.map(each => [
        instant(each.known_from),
        html`<a class="t" href="${address({ filing: each.filing, dataset: each.dataset, line: each.line })}">${each.filing}</a>`,
        html`${each.dataset}${each.line !== '' && html` line ${each.line}`}: <strong>${each.field}</strong>`,
        shown(each.filed),
        each.undone ? badge('withdrawn') : shown(each.value),
        each.follows !== null
          ? `follows from ${each.follows}`
          : html`${each.reason}${each.evidence !== '' && html`<br><a class="long" href="${each.evidence}" rel="noreferrer">${each.evidence}</a>`}`,
      ]),
      empty:
        filing === undefined
          ? 'Nothing is corrected. Enter the accession number of a filing above to see its values and correct one.'
          : 'Nothing of this filing is corrected.',
    }),
  ]),
})}`,
    }
  },
  forms: { preview: correctionForm(true), apply: correctionForm(false) },
})

/** Characters of a value that are never broken into lines. */
const unbroken = 24
function shown(value: unknown): Content {
  if (value === null) return null
  const text = inWords(value)
  return html`<span class="${text.length <= unbroken ? 't' : 'long'}">${text}</span>`
}

function valuesSections({ filing, datasets, rows, count, of }: Values, token: string | null, returned: Returned | null): Content {
  const [row] = rows
  if (row !== undefined && of === 1) return rowSections(filing, row, token, returned)
  return section({
    id: 'rows',
    title: 'Rows of the filing',
    lead: html`Choose a row. Rows of one dataset show the values in which they differ. <a href="${filingPath(filing)}">The filing</a>`,
    body: [
      html`<p>${datasets.map(each => html`${badge(each.dataset)} ${number(each.rows)} ${each.rows === 1 ? 'row' : 'rows'} `)}</p>`,
      count < of && html`<p>The first ${number(count)} of ${number(of)} rows; the address takes <code>dataset</code> and <code>line</code>.</p>`,
      table({
        caption: 'Rows with their values',
        captionHidden: true,
        columns: ['Row', 'Values'],
        rows: rows.map(each => [
          html`<a href="${address({ filing, dataset: each.dataset, line: each.line })}">${each.dataset}${each.line !== '' && html` line ${each.line}`}</a>`,
          distinct(each, rows)
            .slice(0, 8)
            .map(field => `${field.field} ${inWords(field.value)}`)
            .join(', '),
        ]),
        empty: 'The filing has no such row.',
      }),
    ],
  })
}

type Row = Values['rows'][number]
type RowFields = Row['fields']
function inWords(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join('; ')
  if (value === null || typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${name} ${inWords(each)}`)
    .join(', ')
}

/** The values that tell a row from the others of its dataset; all of them if it is the only one. */
function distinct(row: Row, rows: readonly Row[]): Row['fields'] {
  const others = rows.filter(each => each.dataset === row.dataset && each !== row)
  const isShared = ({ field, value }: Row['fields'][number]): boolean =>
    others.length > 0 && others.every(each => inWords(each.fields.find(other => other.field === field)?.value) === inWords(value))
  return row.fields.filter(each => each.value !== null && !isShared(each))
}

function rowSections(filing: string, row: Values['rows'][number], token: string | null, returned: Returned | null): Content {
  const { dataset, line, fields } = row
  const form = returned?.form ?? 'preview'
  const faults = faultsIn(returned, form)
  const typed = (name: string): string => typedIn(returned, form, name)
  const of = { form: 'correct', faults }
  const [given, without] = [true, false].map(wanted => fields.filter(each => (each.filed !== null || each.corrected) === wanted)) as [
    RowFields,
    RowFields,
  ]
  return [
    section({
      id: 'values',
      title: html`${dataset}${line !== '' && html`, line ${line}`}`,
      lead: html`<a href="${filingPath(filing)}">The filing</a> · <a href="${address({ filing })}">All its rows</a>`,
      body: [
        table({
          caption: 'Fields with the filed and the corrected value',
          captionHidden: true,
          columns: ['Field', 'Filed', 'Corrected'],
          rows: given.map(each => [each.field, shown(each.filed), each.corrected ? shown(each.value) : '']),
          empty: 'No field of this row has a value.',
        }),
        without.length > 0 && html`<p class="small">Without a value: ${without.map(each => each.field).join(', ')}.</p>`,
      ],
    }),
    fields.length === 0
      ? emptyState('No field of this row can be corrected.')
      : section({
          id: 'correct',
          title: 'Correct a value',
          lead: 'The preview shows what follows from it by rule. Nothing is written until it is applied.',
          body: html`<form method="post" action="${`/operator/corrections/preview?${new URLSearchParams({ filing, dataset, line })}`}" novalidate>${formToken(token)}${hidden({ filing, dataset, line })}${faultList('correct', faults)}
${choiceField(
  { ...of, name: 'field', label: 'Field' },
  [['', 'Choose a field'] as const, ...fields.map(each => [each.field, each.field] as const)],
  typed('field'),
)}
${inputField({ ...of, name: 'value', label: 'Correct value', help: 'Decimals with their digits; null if the filing gives none', attributes: html` maxlength="10000" autocomplete="off"` }, typed('value'))}
<label class="box" for="correct-undo"><input id="correct-undo" name="undo" type="checkbox" value="yes"${typed('undo') === 'yes' && html` checked`}> <span>Withdraw a correction: the filed value applies again</span></label>
${areaField({ ...of, name: 'reason', label: 'Why the filed value is wrong', help: 'Shown in answers', attributes: html` maxlength="1000"` }, typed('reason'))}
${inputField({ ...of, name: 'evidence', label: 'Address of a document that shows the correct value', help: 'Shown in answers; not needed for a withdrawal', attributes: html` maxlength="2000" autocomplete="off"` }, typed('evidence'), 'url')}
<p><button type="submit">Preview</button></p></form>`,
        }),
  ]
}

const hidden = (fields: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

/** What would change, with the form that applies it. */
function preview(typed: z.output<typeof Fields>, changes: readonly Change[], token: string | null): Content {
  const { once: _once, ...fields } = typed
  const place = { filing: typed.filing, dataset: typed.dataset, line: typed.line }
  return html`${operatorHead('Preview of a correction', '/operator/corrections', { lead: html`Filing ${typed.filing}. Nothing is written yet.` })}
${section({
  id: 'changes',
  title: 'What changes',
  body: [
    table({
      caption: 'Values before and after',
      captionHidden: true,
      columns: ['Value', 'Filed', 'Now', 'Then', 'Because'],
      rows: changes.map(each => [
        html`${each.dataset}${each.line !== '' && html` line ${each.line}`}: <strong>${each.field}</strong>`,
        shown(each.filed),
        shown(each.before ?? null),
        shown(each.value),
        each.follows === null ? typed.reason : `follows from ${each.follows}`,
      ]),
    }),
    html`<form method="post" action="${`/operator/corrections/apply?${new URLSearchParams(place)}`}">${formToken(token)}${onceField()}${hidden(fields)}
<p class="actions"><button type="submit">Apply the correction</button> <a href="${address(place)}">Do not apply it</a></p></form>`,
  ],
})}`
}
