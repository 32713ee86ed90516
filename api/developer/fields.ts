// The form fields of all pages, for pages that build their HTML as text.
import {
  areaField as area,
  boxesField as boxes,
  choiceField as choice,
  type Field,
  inputField as input,
  faultList as list,
} from '../pages/components/form.ts'
import { html, trusted } from '../pages/html.ts'
import type { Faults } from '../pages/page.ts'

export { focusOf } from '../pages/components/form.ts'
export type { Faults } from '../pages/page.ts'

/** `attributes`: HTML of the control's attributes. */
type TextField = Omit<Field, 'attributes' | 'label' | 'help'> & { readonly label: string; readonly help?: string; readonly attributes?: string }
type Options = readonly (readonly [string, string])[]

const field = ({ attributes, ...rest }: TextField): Field => (attributes === undefined ? rest : { ...rest, attributes: trusted(attributes) })

export const inputField = (given: TextField, value = '', type = 'text'): string => input(field(given), value, type).toString()
export const areaField = (given: TextField, value: string): string => area(field(given), value).toString()
export const choiceField = (given: TextField, options: Options, value: string): string => choice(field(given), options, value).toString()
export const boxesField = (given: TextField, options: Options, chosen: readonly string[]): string =>
  boxes(
    field(given),
    options.map(([key, text]) => [key, html`<code>${key}</code> ${text}`]),
    chosen,
  ).toString()
export const faultList = (form: string, faults: Faults): string => (list(form, faults) ?? '').toString()
