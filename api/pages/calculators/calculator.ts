// What the calculators share: a form that works without script and states all faults at the same time, the answer below it, and the rules,
// their edition and their sources.
import { z } from 'zod'
import type { AnswerOf, OperationId } from '#schemas/operations.ts'
import { areaField, boxesField, choiceField, type Field, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { day, orUnknown } from '../components/format.ts'
import { badge, lockedSections, missing, type Tone } from '../components/notice.ts'
import { pageHead, section } from '../components/parts.ts'
import { facts, table } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { type Faults, type Outcome, type Page, page, pageForm } from '../page.ts'
import { sentence } from '../words.ts'

type Kind = 'text' | 'number' | 'area' | 'flag' | { readonly options: readonly (readonly [string, string])[] }
export type CalculatorField = {
  readonly name: string
  readonly label: string
  readonly kind: Kind
  readonly value: string
  readonly help?: string
}
type Typed = Readonly<Record<string, string | readonly string[]>>

/** What was typed in a field; the value that the field begins with if nothing was sent. */
const typedOf = ({ name, value, kind }: CalculatorField, typed: Typed | null): string => {
  const given = typed?.[name]
  if (typed === null) return value
  if (kind === 'flag') return given === undefined ? '' : 'true'
  return typeof given === 'string' ? given : (given?.[0] ?? '')
}

/** The body of the operation from the fields: numbers where the request has numbers. An empty field is left out, so that its default applies. */
function bodyOf(fields: readonly CalculatorField[], typed: Typed): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field): (readonly [string, unknown])[] => {
      const text = typedOf(field, typed).trim()
      if (field.kind === 'flag') return [[field.name, text === 'true']]
      if (text === '') return []
      if (field.kind !== 'number') return [[field.name, text]]
      const number = Number(text.replaceAll(/[,\s]/g, ''))
      return [[field.name, Number.isFinite(number) ? number : text]]
    }),
  )
}

/** Faults of all fields at the same time: those of the request's schema, by field. */
function faultsIn(schema: z.ZodType, body: unknown): Faults {
  const read = schema.safeParse(body)
  if (read.success) return {}
  return Object.fromEntries(read.error.issues.map(({ path, message }) => [String(path[0] ?? ''), sentence(message)]))
}

/** Faults that only the operation finds, such as a state that does not exist: `body.jurisdiction: …`. Null: it failed in another way. */
function refusedBy(outcome: Extract<Outcome<unknown>, { ok: false }>): Faults | null {
  if (outcome.status !== 422 && outcome.status !== 400) return null
  const found = outcome.error.detail.split(/;\s(?=body\.)/).map(part => /^body\.(\w+)[^:]*:\s*(.*)$/.exec(part))
  const hint = outcome.error.hint === undefined ? '' : ` ${sentence(outcome.error.hint)}`
  const named = found.flatMap(match => (match ? [[match[1] ?? '', `${sentence(match[2] ?? '')}${hint}`] as const] : []))
  return named.length > 0 ? Object.fromEntries(named) : { '': `${sentence(outcome.error.detail)}${hint}` }
}

export type CalculatorForm = {
  readonly id: string
  readonly action: string
  readonly method: 'get' | 'post'
  readonly fields: readonly CalculatorField[]
  readonly typed: Typed | null
  readonly faults: Faults
  readonly token: string | null
  readonly submit: string
}

export function calculatorForm({ id, action, method, fields, typed, faults, token, submit }: CalculatorForm): Html {
  const focus = Object.keys(faults).length > 0 ? focusOf(faults, '') : null
  return html`<form class="panel calculator" method="${method}" action="${action}" aria-label="Input">
${method === 'post' && formToken(token)}${faultList(id, faults)}
<div class="calculator-fields">${fields.map(each => fieldOf({ form: id, name: each.name, label: each.label, faults, focus, ...(each.help === undefined ? {} : { help: each.help }) }, each, typed))}</div>
<p><button type="submit">${submit}</button></p>
</form>`
}

function fieldOf(field: Field, given: CalculatorField, typed: Typed | null): Html {
  const value = typedOf(given, typed)
  if (given.kind === 'area') return html`<div class="whole">${areaField(field, value, 8)}</div>`
  if (given.kind === 'flag')
    return boxesField(
      { ...field, label: html`<span class="hidden">${given.label}</span>` },
      [['true', given.label]],
      value === 'true' ? ['true'] : [],
    )
  if (typeof given.kind === 'object') return choiceField(field, given.kind.options, value)
  return inputField(
    { ...field, attributes: given.kind === 'number' ? html` inputmode="decimal" autocomplete="off"` : html` autocomplete="off"` },
    value,
  )
}

type Ruled = {
  readonly ruleset: string
  readonly ruleset_valid_from: string
  readonly ruleset_valid_to: string | null
  readonly assumptions: readonly string[]
  readonly not_covered: readonly string[]
  readonly rounding?: string
  readonly sources: readonly { readonly name: string; readonly url: string | null }[]
}
/** The rules behind an answer: edition, validity, sources, what is assumed and what is not covered. */
export const rulesSection = (answer: Ruled, more: Content = null): Html =>
  section({
    id: 'rules',
    title: 'Rules, edition and sources',
    body: html`${facts([
      ['Edition', html`<code>${answer.ruleset}</code>`],
      ['Valid from', day(answer.ruleset_valid_from)],
      ['Valid to', answer.ruleset_valid_to === null ? 'no end is set' : day(answer.ruleset_valid_to)],
    ])}
${more}
${table({
  caption: 'Sources of the rules',
  columns: ['Source'],
  rows: answer.sources.map(each => [each.url === null ? each.name : html`<a href="${each.url}" rel="noreferrer">${each.name}</a>`]),
  empty: 'The answer names no source.',
})}
${list('Assumed', answer.assumptions)}${list('Not covered', answer.not_covered)}${answer.rounding && html`<p class="small">Rounding: ${answer.rounding}.</p>`}
<p class="small">This is a calculation by stated rules. It is not tax, legal or investment advice.</p>`,
  })

export const list = (title: string, lines: readonly string[]): Html | null =>
  lines.length === 0
    ? null
    : html`<details class="listed"><summary>${title} (${lines.length})</summary><ul>${lines.map(each => html`<li>${sentence(each)}</li>`)}</ul></details>`

const tones: Readonly<Record<string, Tone | 'plain'>> = {
  pass: 'good',
  stated: 'good',
  clear: 'good',
  warn: 'warn',
  watch: 'warn',
  unknown: 'warn',
  proposed: 'info',
  fail: 'bad',
  missing: 'bad',
  breach: 'bad',
  raised: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'info',
}
export const statusBadge = (status: string): Html => badge(status.replaceAll('_', ' '), tones[status] ?? 'plain')
export const confidence = (value: string): Html =>
  badge(value.replaceAll('_', ' '), value === 'primary' ? 'good' : value === 'secondary' ? 'plain' : 'warn')
export const orDay = (value: string | null): Content => orUnknown(value, day)

/** The head of a calculator, and why there is no answer. */
export const calculatorHead = (title: string, lead: string): Html =>
  html`<p class="small"><a href="/calculators">Calculators</a></p>${pageHead(title, lead)}`
export const noAnswer = (outcome: Extract<Outcome<unknown>, { ok: false }>, what: string): Html | null =>
  outcome.status === 401 ? lockedSections([what]) : missing(outcome, what)

type Failure = Extract<Outcome<unknown>, { ok: false }>
/** By action: the label of the button, and what an answer is called where it is missing. */
const wordings = {
  check: { submit: 'Check', called: 'The check' },
  calculate: { submit: 'Calculate', called: 'The calculation' },
  read: { submit: 'Read the results', called: 'The reading' },
} as const
export type Calculator<Id extends OperationId> = {
  readonly summary: string
  /** Below the title: what the calculator does. */
  readonly lead: string
  /** The last part of the address to which the form is sent; default: `check`. */
  readonly action?: keyof typeof wordings
  readonly operation: Id
  readonly fields: readonly CalculatorField[]
  /** The request whose answer the page shows at first. */
  readonly start: Readonly<Record<string, unknown>>
  /** The schema of the operation's body. */
  readonly request: z.ZodType
  /** Members that the request needs, as they are sent where a field is empty. */
  readonly empty?: Readonly<Record<string, unknown>>
  /** Faults in words of the page, by field, in place of those of the schema. */
  readonly faults?: (body: Readonly<Record<string, unknown>>) => Faults
  /** A refusal that belongs to a field and does not name it; null: as every refusal. */
  readonly refused?: (failure: Failure) => Faults | null
  readonly result: (answer: AnswerOf<Id>, typed: Typed | null) => Content
}

/** The page of a calculator that sends a form: the answer of an example at first, then the answer to what was typed, or all its faults. */
export function calculatorPage<const Id extends OperationId>(path: string, title: string, given: Calculator<Id>): Page {
  const { summary, action = 'check', operation, fields } = given
  const { submit, called } = wordings[action]
  const main = (typed: Typed | null, token: string | null, found: Outcome<AnswerOf<Id>> | null, faults: Faults = {}): Html =>
    html`${calculatorHead(title, given.lead)}
${calculatorForm({ id: path.slice(path.lastIndexOf('/') + 1), action: `${path}/${action}`, method: 'post', fields, typed, faults, token, submit })}
${found && (found.ok ? given.result(found.value, typed) : noAnswer(found, called))}`
  return page(path, title, {
    summary,
    operations: [operation],
    async render({ ask, token, returned }) {
      const found = returned === null ? await ask(operation, {}, { body: given.start }) : null
      return { main: main(returned?.typed ?? null, token, found, returned?.faults ?? {}) }
    },
    forms: {
      [action]: pageForm(z.looseObject({}), async (sent, { ask, token }) => {
        const typed = sent as Typed
        const body = { ...given.empty, ...bodyOf(fields, typed) }
        const faults = { ...faultsIn(given.request, body), ...given.faults?.(body) }
        if (Object.keys(faults).length > 0) return { faults }
        const found = await ask(operation, {}, { body, seconds: 20 })
        const refused = found.ok ? null : (given.refused?.(found) ?? refusedBy(found))
        return refused === null ? { main: main(typed, token, found) } : { faults: refused }
      }),
    },
  })
}
