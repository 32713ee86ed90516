// Fields of forms with what was typed, a word of help and what was wrong with it, tied together for whoever listens to the page.
import { escaped } from '../public/html.ts'

/** What was wrong, by the name of the field; under '' what belongs to none. */
export type Faults = Readonly<Record<string, string>>

type Field = {
  readonly form: string
  readonly name: string
  readonly label: string
  readonly faults: Faults
  readonly help?: string
  /** HTML of the control's own attributes. */
  readonly attributes?: string
}

/** `aria-describedby` and `aria-invalid` of a field, and the lines that they point at. */
function said(id: string, help: string | undefined, fault: string | undefined): { readonly attributes: string; readonly lines: string } {
  const ids = [...(help === undefined ? [] : [`${id}-help`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  return {
    attributes: `${ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`}${fault === undefined ? '' : ' aria-invalid="true"'}`,
    lines: `${help === undefined ? '' : `\n<p class="help" id="${id}-help">${escaped(help)}</p>`}${fault === undefined ? '' : `\n<p class="fault" id="${id}-fault">${escaped(fault)}</p>`}`,
  }
}

export function inputField({ form, name, label, faults, help, attributes = '' }: Field, value = '', type = 'text'): string {
  const id = `${form}-${name}`
  const about = said(id, help, faults[name])
  return `<div class="field"><label for="${id}">${escaped(label)}</label>${about.lines}
<input id="${id}" name="${name}" type="${type}"${value === '' ? '' : ` value="${escaped(value)}"`}${about.attributes}${attributes}></div>`
}

export function areaField({ form, name, label, faults, help, attributes = '' }: Field, value: string): string {
  const id = `${form}-${name}`
  const about = said(id, help, faults[name])
  return `<div class="field"><label for="${id}">${escaped(label)}</label>${about.lines}
<textarea id="${id}" name="${name}" rows="2"${about.attributes}${attributes}>${escaped(value)}</textarea></div>`
}

export function choiceField({ form, name, label, faults, help }: Field, options: readonly (readonly [string, string])[], value: string): string {
  const id = `${form}-${name}`
  const about = said(id, help, faults[name])
  const listed = options.map(([key, text]) => `<option value="${escaped(key)}"${key === value ? ' selected' : ''}>${escaped(text)}</option>`)
  return `<div class="field"><label for="${id}">${escaped(label)}</label>${about.lines}
<select id="${id}" name="${name}"${about.attributes}>${listed.join('')}</select></div>`
}

export function boxesField(
  { form, name, label, faults, help }: Field,
  options: readonly (readonly [string, string])[],
  chosen: readonly string[],
): string {
  const id = `${form}-${name}`
  const about = said(id, help, faults[name])
  const boxes = options.map(
    ([key, text], n) =>
      `<label class="box" for="${id}-${n}"><input id="${id}-${n}" name="${name}" type="checkbox" value="${escaped(key)}"${chosen.includes(key) ? ' checked' : ''}> <span><code>${escaped(key)}</code> ${escaped(text)}</span></label>`,
  )
  return `<fieldset id="${id}"${about.attributes}><legend>${escaped(label)}</legend>${about.lines}
${boxes.join('\n')}</fieldset>`
}

/** What to mend, at the head of a form: each line leads to its field. */
export function faultList(form: string, faults: Faults): string {
  const entries = Object.entries(faults)
  if (entries.length === 0) return ''
  const lines = entries.map(([name, text]) => `<li>${name === '' ? escaped(text) : `<a href="#${form}-${name}">${escaped(text)}</a>`}</li>`)
  return `<div class="notice bad" role="alert"><p>This was not done:</p><ul>${lines.join('')}</ul></div>`
}
