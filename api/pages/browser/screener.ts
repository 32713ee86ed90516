// Completion in the condition of the screener: the field name that is being typed, below the input. The words come from the page's list.
import { closeListbox, listboxFor } from './listbox.ts'

const input = document.querySelector<HTMLInputElement>('input[data-completes]')
const options = [...document.querySelectorAll<HTMLOptionElement>('#screener-words option')].map(option => ({
  name: option.value,
  about: option.textContent ?? '',
}))

if (input) {
  // The browser's own list replaces the whole text; this one replaces the word at the cursor.
  input.removeAttribute('list')
  const list = listboxFor(input, { id: 'screen-completions', className: 'completions', label: 'Fields' })
  input.after(list)
  let chosen = -1

  const wordAt = (): { readonly start: number; readonly word: string } => {
    const before = input.value.slice(0, input.selectionStart ?? input.value.length)
    const word = /[a-z][a-z0-9_]*$/i.exec(before)?.[0] ?? ''
    return { start: before.length - word.length, word: word.toLowerCase() }
  }
  const close = (): void => {
    closeListbox(input, list)
    chosen = -1
  }
  const take = (name: string): void => {
    const { start, word } = wordAt()
    input.setRangeText(`${name} `, start, start + word.length, 'end')
    close()
    input.focus()
  }
  const mark = (at: number): void => {
    const items = [...list.children]
    chosen = items.length === 0 ? -1 : (at + items.length) % items.length
    for (const [index, item] of items.entries()) item.setAttribute('aria-selected', String(index === chosen))
    const current = items[chosen]
    if (current) {
      input.setAttribute('aria-activedescendant', current.id)
      current.scrollIntoView({ block: 'nearest' })
    }
  }
  const open = (): void => {
    const { word } = wordAt()
    const fits = word.length < 2 ? [] : options.filter(({ name }) => name.includes(word) && name !== word).slice(0, 8)
    list.replaceChildren(
      ...fits.map(({ name, about }, index) => {
        const item = document.createElement('li')
        item.id = `screen-completion-${index}`
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', 'false')
        const code = document.createElement('code')
        code.textContent = name
        item.append(code, ` ${about}`)
        item.addEventListener('pointerdown', event => {
          event.preventDefault()
          take(name)
        })
        return item
      }),
    )
    list.hidden = fits.length === 0
    input.setAttribute('aria-expanded', String(fits.length > 0))
    chosen = -1
    input.removeAttribute('aria-activedescendant')
  }
  input.addEventListener('input', open)
  input.addEventListener('blur', close)
  input.addEventListener('keydown', event => {
    if (list.hidden) return
    if (event.key === 'ArrowDown') mark(chosen + 1)
    else if (event.key === 'ArrowUp') mark(chosen - 1)
    else if (event.key === 'Escape') close()
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen >= 0) take(list.children[chosen]?.querySelector('code')?.textContent ?? '')
    else return
    event.preventDefault()
  })
}
