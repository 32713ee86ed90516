// Forms of the portfolio: one position, and a CSV of many.

import type { AnswerOf } from '#schemas/operations.ts'
import type { Exact } from '../components/exact.ts'
import { areaField, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { onceField } from '../components/once.ts'
import { section } from '../components/parts.ts'
import { faultsIn, typedIn } from '../components/submit.ts'
import { type Html, html } from '../html.ts'
import type { Returned } from '../page.ts'

export type Position = Exact<AnswerOf<'list_positions'>>['positions'][number]

/** The form that adds a position; with `position`, the form that replaces it. `back`: where the edit is left. */
export function positionForm(position: Position | null, token: string | null, returned: Returned | null, back: string): Html {
  const form = position === null ? 'add' : 'replace'
  const faults = faultsIn(returned, form)
  const typed = (name: string, otherwise: string | null = ''): string => typedIn(returned, form, name, otherwise ?? '')
  const focus = returned?.form === form ? focusOf(faults, 'ticker') : null
  const field = (name: string, label: string, help: string | null, most: number) => ({
    form,
    name,
    label,
    faults,
    focus,
    ...(help === null ? {} : { help }),
    attributes: html` maxlength="${most}" autocomplete="off"`,
  })
  const account = position?.account_type === 'unspecified' ? '' : position?.account_type
  return section({
    id: 'position',
    title: position === null ? 'Add a position' : `Replace the position in ${position.ticker}`,
    body: html`<form method="post" action="/account/portfolio/${form}" aria-labelledby="position-title">${formToken(token)}${onceField()}${position !== null && html`<input type="hidden" name="id" value="${position.id}">`}${faultList(form, faults)}
<div class="calculator-fields">${inputField(field('ticker', 'Symbol', 'In any usual spelling. One that no directory lists is kept, without a value.', 16), typed('ticker', position?.ticker))}
${inputField(field('quantity', 'Quantity', 'Negative for a short position.', 48), typed('quantity', position?.quantity))}
${inputField(field('acb_per_share', 'Cost per share', 'Adjusted cost base. Empty: not known.', 48), typed('acb_per_share', position?.acb_per_share))}
${inputField(field('currency', 'Currency of the cost', 'Three letters: CAD, USD.', 3), typed('currency', position?.currency ?? 'CAD'))}
${inputField(field('account_type', 'Account', 'Such as tfsa, rrsp or margin. May be empty.', 32), typed('account_type', account))}
${inputField(field('note', 'Note', null, 500), typed('note', position?.note))}</div>
<p class="actions"><button type="submit">${position === null ? 'Add the position' : 'Replace the position'}</button>${position !== null && html`<a href="${back}">Keep it as it is</a>`}</p></form>`,
  })
}

export function importForm(token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'import')
  const { csv: _lines, ...others } = faults
  return section({
    id: 'import',
    title: 'Import a CSV',
    lead: 'All rows are added, or none. The first line names the columns: symbol, quantity and currency; cost per share, account type and note if there are such. Columns of other names are left out.',
    body: html`<form method="post" action="/account/portfolio/import" aria-labelledby="import-title">${formToken(token)}${onceField()}${faultList('import', others)}
${areaField({ form: 'import', name: 'csv', label: 'CSV', faults, help: 'Numbers with a decimal point: 1234.5 and not 1.234,5.', attributes: html` spellcheck="false" autocomplete="off" data-csv-file` }, typedIn(returned, 'import', 'csv'), 5)}
<p><button type="submit">Import</button></p></form>`,
  })
}
