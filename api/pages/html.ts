// HTML by construction: the template tag escapes every interpolated value, except values that are already HTML.

/** Text in HTML, attributes included. */
export function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}

/** HTML that is safe to insert as it is. Only `html`, `join`, `dataScript` and `trusted` make one. */
export class Html {
  readonly #text: string
  /** For this module only: use the `html` tag. */
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

/** What a template may hold: null, undefined, false and '' print nothing; lists are printed without a separator. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/**
 * HTML of a template literal. Text and numbers are escaped. A value of `href`, `src` or `action` is printed only if it is an address of this
 * service, `https:`, `http:` or `mailto:`; other schemes become `#`. Throws TypeError for an attribute value without quotes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) {
    if (text.endsWith('=') && isBareValue(text)) throw new TypeError(`an attribute needs quotes around its value: ${text.slice(-40)}`)
    const printed = print(value)
    text += /(?:href|src|action)="$/.test(text) && !isSafeAddress(printed) ? '#' : printed
    text += strings[index + 1] ?? ''
  }
  return new Html(text)
}

/** Whether the end of the text is inside a tag and outside quotes. Printed values hold no quotes and no angle brackets. */
function isBareValue(text: string): boolean {
  const tag = text.slice(text.lastIndexOf('<'))
  return !tag.includes('>') && (tag.match(/"/g)?.length ?? 0) % 2 === 0
}
const isSafeAddress = (printed: string): boolean => /^(?:[/?#]|https?:\/\/|mailto:)/.test(printed) && !/^\/[/\\]/.test(printed)

function print(value: Content): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return (value as readonly Content[]).map(print).join('')
  return escaped(String(value))
}

/** The parts with a separator between them. */
export const join = (parts: readonly Content[], separator: Content): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : [separator, part]))}`

/** HTML that another module of this service has built and escaped. Never pass text of a user or of an upstream. */
export const trusted = (text: string): Html => new Html(text)

/** A block of JSON that a browser module reads. Browsers do not run it; `<` is written as an escape, so it cannot end the block. */
export const dataScript = (value: unknown): Html =>
  new Html(`<script type="application/json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`)
