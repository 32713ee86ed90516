// Suggestions of the search field: a list box after the ARIA pattern for combo boxes. Without script the field submits to /search.
import { closeListbox, listboxFor } from './listbox.ts'

type Found = { readonly symbol: string; readonly name: string; readonly exchange: string }
const waitMs = 150
const mostRows = 8

const field = document.querySelector<HTMLInputElement>('#find')
const form = field?.form
if (field && form) begin(field, form)

/** One row of the list; pressing it opens the company. */
function optionOf({ symbol, name, exchange }: Found, at: number, open: (at: number) => void): HTMLLIElement {
  const option = document.createElement('li')
  option.id = `find-${at}`
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', 'false')
  const parts = [
    ['b', symbol],
    ['span', name],
    ['small', exchange],
  ] as const
  option.append(...parts.map(([tag, text]) => Object.assign(document.createElement(tag), { textContent: text })))
  // Before the field loses the focus, which would hide the list.
  option.addEventListener('pointerdown', event => {
    event.preventDefault()
    open(at)
  })
  return option
}

function begin(input: HTMLInputElement, around: HTMLFormElement): void {
  const list = listboxFor(input, { id: 'find-list', className: 'suggestions', label: 'Suggestions' })
  around.append(list)
  let rows: Found[] = []
  let chosen = -1
  let timer = 0
  let requesting: AbortController | null = null

  const hide = (): void => {
    closeListbox(input, list)
    chosen = -1
  }
  const mark = (at: number): void => {
    chosen = at
    for (const [index, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(index === at))
    if (at < 0) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', `find-${at}`)
  }
  const open = (at: number): void => {
    const row = rows[at]
    if (row) location.assign(`/c/${encodeURIComponent(row.symbol)}`)
  }
  const show = (): void => {
    list.replaceChildren(...rows.map((row, at) => optionOf(row, at, open)))
    chosen = -1
    list.hidden = rows.length === 0
    input.setAttribute('aria-expanded', String(rows.length > 0))
  }
  const ask = async (text: string): Promise<void> => {
    requesting?.abort()
    const controller = new AbortController()
    requesting = controller
    try {
      const response = await fetch(`/api/v1/market/symbols?query=${encodeURIComponent(text)}&limit=${mostRows}`, { signal: controller.signal })
      // Without suggestions the field still submits.
      if (!response.ok) return hide()
      rows = ((await response.json()) as { symbols: Found[] }).symbols
      if (document.activeElement === input) show()
    } catch (error) {
      if (!controller.signal.aborted) hide()
      if (!(error instanceof DOMException || error instanceof TypeError)) throw error
    }
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    const text = input.value.trim()
    if (text.length < 1 || /^[\d-]{6,}$/.test(text)) return hide()
    timer = setTimeout(() => void ask(text), waitMs)
  })
  input.addEventListener('keydown', event => {
    if (list.hidden) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      mark(((chosen + 1 + step + rows.length + 1) % (rows.length + 1)) - 1)
    } else if (event.key === 'Escape') hide()
    else if (event.key === 'Enter' && chosen >= 0) {
      event.preventDefault()
      open(chosen)
    }
  })
  input.addEventListener('blur', hide)
}

// `/` moves to the field, as on other sites with search.
addEventListener('keydown', event => {
  const at = document.activeElement
  const typing = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey || !field) return
  event.preventDefault()
  field.focus()
  field.select()
})
