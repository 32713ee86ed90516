// Form fields with their value, help and error, linked for screen readers.
import { escaped } from '../public/html.ts'

/** What was wrong, by the name of the field; under '' what belongs to none. */
export type Faults = Readonly<Record<string, string>>

type Field = {
  readonly form: string
  readonly name: string
  readonly label: string
  readonly faults: Faults
  /** The field where the keyboard begins. */
  readonly focus: string | null
  readonly help?: string
  /** HTML of the control's own attributes. */
  readonly attributes?: string
}

/** `aria-describedby` and `aria-invalid` of a field, and the lines that they point at. */
function described({ form, name, help, faults, focus, attributes = '' }: Field): {
  readonly id: string
  readonly attributes: string
  readonly lines: string
} {
  const id = `${form}-${name}`
  const fault = faults[name]
  const ids = [...(help === undefined ? [] : [`${id}-help`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  return {
    id,
    attributes: `${attributes}${focus === name ? ' autofocus' : ''}${ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`}${fault === undefined ? '' : ' aria-invalid="true"'}`,
    lines: `${help === undefined ? '' : `\n<p class="help" id="${id}-help">${escaped(help)}</p>`}${fault === undefined ? '' : `\n<p class="fault" id="${id}-fault">${escaped(fault)}</p>`}`,
  }
}

export function inputField(field: Field, value = '', type = 'text'): string {
  const { name, label } = field
  const { id, lines, attributes } = described(field)
  return `<div class="field"><label for="${id}">${escaped(label)}</label>${lines}
<input id="${id}" name="${name}" type="${type}"${value === '' ? '' : ` value="${escaped(value)}"`}${attributes}></div>`
}

export function areaField(field: Field, value: string): string {
  const { name, label } = field
  const { id, lines, attributes } = described(field)
  return `<div class="field"><label for="${id}">${escaped(label)}</label>${lines}
<textarea id="${id}" name="${name}" rows="2"${attributes}>${escaped(value)}</textarea></div>`
}

export function choiceField(field: Field, options: readonly (readonly [string, string])[], value: string): string {
  const { name, label } = field
  const { id, lines, attributes } = described(field)
  const listed = options.map(([key, text]) => `<option value="${escaped(key)}"${key === value ? ' selected' : ''}>${escaped(text)}</option>`)
  return `<div class="field"><label for="${id}">${escaped(label)}</label>${lines}
<select id="${id}" name="${name}"${attributes}>${listed.join('')}</select></div>`
}

export function boxesField(field: Field, options: readonly (readonly [string, string])[], chosen: readonly string[]): string {
  const { name, label } = field
  const { id, lines, attributes } = described(field)
  const boxes = options.map(
    ([key, text], n) =>
      `<label class="box" for="${id}-${n}"><input id="${id}-${n}" name="${name}" type="checkbox" value="${escaped(key)}"${chosen.includes(key) ? ' checked' : ''}> <span><code>${escaped(key)}</code> ${escaped(text)}</span></label>`,
  )
  return `<fieldset id="${id}"${attributes}><legend>${escaped(label)}</legend>${lines}
${boxes.join('\n')}</fieldset>`
}

/** Errors at the head of a form, each linked to its field. A single error of one field is shown only next to the field. */
export function faultList(form: string, faults: Faults): string {
  const [first, ...more] = Object.entries(faults)
  if (first === undefined || (first[0] !== '' && more.length === 0)) return ''
  const lines = [first, ...more].map(([name, text]) => (name === '' ? escaped(text) : `<a href="#${form}-${name}">${escaped(text)}</a>`))
  const list = lines.length === 1 ? `<p>${lines[0]}</p>` : `<p>Please correct:</p><ul>${lines.map(line => `<li>${line}</li>`).join('')}</ul>`
  return `<div class="notice bad" role="alert">${list}</div>`
}

/** Where the keyboard begins after a form came back: at the first field that was wrong, else at `otherwise`. */
export const focusOf = (faults: Faults, otherwise: string): string => Object.keys(faults).find(name => name !== '') ?? otherwise
