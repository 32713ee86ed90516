// Form fields with their value, help and fault, linked for screen readers. A form shows all its faults at the same time.
import { type Content, type Html, html } from '../html.ts'
import type { Faults } from '../page.ts'

export type Field = {
  /** Prefix of the ids, so that two forms of a page may have fields of the same name. */
  readonly form: string
  readonly name: string
  readonly label: Content
  readonly faults: Faults
  /** The field where the keyboard begins. */
  readonly focus?: string | null
  readonly help?: Content
  /** Attributes of the control, as html` required autocomplete="off"`. */
  readonly attributes?: Html
}

/** `aria-describedby` and `aria-invalid` of a field, and the lines that they refer to. */
function described({ form, name, help, faults, focus = null, attributes }: Field): {
  readonly id: string
  readonly attributes: Html
  readonly lines: Html
} {
  const id = `${form}-${name}`
  const fault = faults[name]
  const ids = [...(help === undefined ? [] : [`${id}-help`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  return {
    id,
    attributes: html`${attributes}${focus === name && html` autofocus`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${fault !== undefined && html` aria-invalid="true"`}`,
    lines: html`${help !== undefined && html`\n<p class="help" id="${id}-help">${help}</p>`}${fault !== undefined && html`\n<p class="fault" id="${id}-fault">${fault}</p>`}`,
  }
}

export function inputField(field: Field, value = '', type = 'text'): Html {
  const { id, lines, attributes } = described(field)
  return html`<div class="field"><label for="${id}">${field.label}</label>${lines}
<input id="${id}" name="${field.name}" type="${type}"${value !== '' && html` value="${value}"`}${attributes}></div>`
}

export function areaField(field: Field, value = '', rows = 2): Html {
  const { id, lines, attributes } = described(field)
  return html`<div class="field"><label for="${id}">${field.label}</label>${lines}
<textarea id="${id}" name="${field.name}" rows="${rows}"${attributes}>${value}</textarea></div>`
}

export function choiceField(field: Field, options: readonly (readonly [value: string, label: string])[], value = ''): Html {
  const { id, lines, attributes } = described(field)
  const listed = options.map(([key, label]) => html`<option value="${key}"${key === value && html` selected`}>${label}</option>`)
  return html`<div class="field"><label for="${id}">${field.label}</label>${lines}
<select id="${id}" name="${field.name}"${attributes}>${listed}</select></div>`
}

export function boxesField(field: Field, options: readonly (readonly [value: string, label: Content])[], chosen: readonly string[]): Html {
  const { id, lines, attributes } = described(field)
  const boxes = options.map(
    ([key, label], n) =>
      html`<label class="box" for="${id}-${n}"><input id="${id}-${n}" name="${field.name}" type="checkbox" value="${key}"${chosen.includes(key) && html` checked`}> <span>${label}</span></label>\n`,
  )
  return html`<fieldset id="${id}"${attributes}><legend>${field.label}</legend>${lines}
${boxes}</fieldset>`
}

/** Errors at the head of a form, each linked to its field. A single error of one field is shown only next to the field. */
export function faultList(form: string, faults: Faults): Html | null {
  const [first, ...more] = Object.entries(faults)
  if (first === undefined || (first[0] !== '' && more.length === 0)) return null
  const lines = [first, ...more].map(([name, text]) => (name === '' ? html`${text}` : html`<a href="#${form}-${name}">${text}</a>`))
  const list = lines.length === 1 ? html`<p>${lines[0]}</p>` : html`<p>Please correct:</p><ul>${lines.map(line => html`<li>${line}</li>`)}</ul>`
  return html`<div class="notice bad" role="alert">${list}</div>`
}

/** The field with the focus after a form was refused: the first faulty field, otherwise `otherwise`. */
export const focusOf = (faults: Faults, otherwise: string): string => Object.keys(faults).find(name => name !== '') ?? otherwise

/** The hidden field that every form of a signed-in user needs. */
export const formToken = (token: string | null): Html | null => (token === null ? null : html`<input type="hidden" name="token" value="${token}">`)
