// The form of an alert on prices: it sets the alert, or tries it on the past.
import { z } from 'zod'
import { alertConditions } from '#schemas/alerts.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { choiceField, type Field, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { number } from '../components/format.ts'
import { onceField } from '../components/once.ts'
import { section } from '../components/parts.ts'
import { refusalFaults, typedIn } from '../components/submit.ts'
import { type Html, html } from '../html.ts'
import type { Faults, Outcome, Returned } from '../page.ts'

export type Alert = AnswerOf<'list_alerts'>['alerts'][number]
type Condition = (typeof alertConditions)[number]

export const conditionWords: Readonly<Record<Condition, string>> = {
  above: 'price is above',
  below: 'price is below',
  pct_up: 'price is up by percent',
  pct_down: 'price is down by percent',
  rsi_above: 'RSI is above',
  rsi_below: 'RSI is below',
  px_above_sma50: 'price is above its 50-day average',
  px_below_sma50: 'price is below its 50-day average',
  px_above_sma200: 'price is above its 200-day average',
  px_below_sma200: 'price is below its 200-day average',
}
const conditionOf = (condition: Condition, threshold: number | null): string =>
  condition.startsWith('px_') || threshold === null ? conditionWords[condition] : `${conditionWords[condition]} ${number(threshold)}`
/** The conditions of an alert in words. */
export const termsOf = ({ condition, threshold, condition2, threshold2, logic }: Alert): string =>
  condition2 === null
    ? conditionOf(condition, threshold)
    : `${conditionOf(condition, threshold)} ${(logic ?? 'AND').toLowerCase()} ${conditionOf(condition2, threshold2)}`

const text = z.string().default('')
export const AlertFields = z.object({
  ticker: text,
  condition: text,
  threshold: text,
  baseline_price: text,
  condition2: text,
  threshold2: text,
  logic: text,
  scope: z.string().default('ticker'),
  note: text,
  days: text,
  once: z.string().max(64).default(''),
})
type Typed = z.output<typeof AlertFields>
const names = ['ticker', 'condition', 'threshold', 'baseline_price', 'condition2', 'threshold2', 'logic', 'scope', 'note', 'days']

/** The body of the operation. Empty fields are left out; an empty second condition stays if its threshold is given, so that it is refused. */
export function alertBody({ ticker, condition, scope, logic, ...typed }: Typed): Record<string, string> {
  const second = typed.condition2 !== '' || typed.threshold2.trim() !== ''
  const optional = (['threshold', 'baseline_price', 'threshold2', 'note'] as const).flatMap(name => {
    const value = typed[name].trim()
    return value === '' ? [] : [[name, value] as const]
  })
  const symbol = ticker.trim()
  return {
    // An alert on the watchlist has no symbol, and the operation needs a text.
    ticker: symbol === '' && scope === 'watchlist' ? 'WATCHLIST' : symbol,
    condition,
    scope,
    ...Object.fromEntries(optional),
    ...(second ? { condition2: typed.condition2 } : {}),
    ...(second && logic !== '' ? { logic } : {}),
  }
}

/** The faults by field; an unknown symbol belongs to the field of the symbol. */
export const alertFaults = (refused: Extract<Outcome<unknown>, { ok: false }>): Faults => {
  const faults = refusalFaults(refused, names)
  return refused.status === 404 ? { ticker: faults[''] ?? '' } : faults
}

/** What the fields begin with: what was typed; the terms of `copied`; otherwise an empty form. */
function valueOf(returned: Returned | null, copied: Alert | null, name: string, form = 'create'): string {
  const terms = copied === null ? null : copied.original === null ? copied : { ...copied, ...copied.original }
  const value = terms?.[name as keyof Alert]
  const begin: Readonly<Record<string, string>> = { condition: 'above', logic: 'AND', scope: 'ticker', days: '365' }
  return typedIn(returned, form, name, value === null || value === undefined ? (begin[name] ?? '') : String(value))
}

/** The new conditions of an alert, as the operation takes them: its symbol and note stay. */
export function termsBody(typed: Typed): Record<string, string> {
  const { ticker: _ticker, scope: _scope, note: _note, ...terms } = alertBody(typed)
  return terms
}

/** The form with the conditions of an alert that exists; `returned`: it came back, under the name `terms`. */
export function termsForm(alert: Alert, token: string | null, returned: Returned | null): Html {
  const faults = returned?.form === 'terms' ? returned.faults : {}
  const focus = Object.keys(faults).length > 0 ? focusOf(faults, 'condition') : null
  const value = (name: string): string => valueOf(returned, alert, name, 'terms')
  return html`<details${returned?.form === 'terms' && html` open`}><summary>Change the conditions</summary>
<form method="post" action="/account/alerts/terms?alert=${alert.id}#alert" aria-label="Conditions of the alert">${formToken(token)}<input type="hidden" name="id" value="${alert.id}">${faultList('terms', faults)}
<p class="small">The new conditions replace the old ones, and the alert is active with them. Its firings keep the rule that they fired by.</p>
<div class="calculator-fields">${conditionFields('terms', faults, focus, value)}</div>
<p><button type="submit" class="quiet">Save the conditions</button></p></form></details>`
}

/** Makes the fields of a form. */
const fieldsOf =
  (form: string, faults: Faults, focus: string | null) =>
  (name: string, label: string, help?: string): Field => ({
    form,
    name,
    label,
    faults,
    focus,
    ...(help === undefined ? {} : { help }),
    attributes: html` autocomplete="off"`,
  })

/** The fields of the conditions, which the forms of a new and of an existing alert share. */
function conditionFields(form: string, faults: Faults, focus: string | null, value: (name: string) => string): Html {
  const field = fieldsOf(form, faults, focus)
  const conditions = alertConditions.map(each => [each, conditionWords[each]] as const)
  return html`${choiceField(field('condition', 'Condition'), conditions, value('condition'))}
${inputField(field('threshold', 'Threshold', 'A price, percent or RSI. Empty for a condition against an average.'), value('threshold'))}
${inputField(field('baseline_price', 'Base of a change in percent', 'A price. Empty: the last close.'), value('baseline_price'))}
${choiceField(
  field('logic', 'Joined by'),
  [
    ['AND', 'and: both are true'],
    ['OR', 'or: one of them is true'],
  ],
  value('logic'),
)}
${choiceField(field('condition2', 'Second condition'), [['', 'none'], ...conditions], value('condition2'))}
${inputField(field('threshold2', 'Second threshold'), value('threshold2'))}`
}

/** `returned`: the form that came back, under the name `create`. */
export function alertForm(token: string | null, returned: Returned | null, copied: Alert | null): Html {
  const faults = returned?.form === 'create' ? returned.faults : {}
  const focus = returned?.form === 'create' && Object.keys(faults).length > 0 ? focusOf(faults, 'ticker') : null
  const value = (name: string): string => valueOf(returned, copied, name)
  const field = fieldsOf('create', faults, focus)
  return section({
    id: 'new',
    title: 'New alert',
    body: html`<form method="post" action="/account/alerts/create" aria-labelledby="new-title">${formToken(token)}${onceField()}${faultList('create', faults)}
<div class="calculator-fields">${inputField(field('ticker', 'Symbol', 'In any usual spelling: RY.TO, TSX:RY. Not read for the watchlist.'), value('ticker'))}
${choiceField(
  field('scope', 'For'),
  [
    ['ticker', 'this symbol'],
    ['watchlist', 'every listing of the watchlist'],
  ],
  value('scope'),
)}
${conditionFields('create', faults, focus, value)}
${inputField(field('note', 'Note'), value('note'))}
${inputField(field('days', 'Days of the past to try it on', '1 to 731.'), value('days'))}</div>
<p class="actions"><button type="submit">Set the alert</button><button type="submit" class="quiet" formaction="/account/alerts/try#tried">Try it on the past</button></p></form>`,
  })
}
