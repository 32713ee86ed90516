// A list box below an input, after the ARIA pattern for combo boxes.

/** An empty, hidden list with its roles; the input states that the list completes it. The caller places the list in the page. */
export function listboxFor(
  input: HTMLInputElement,
  names: { readonly id: string; readonly className: string; readonly label: string },
): HTMLUListElement {
  const list = document.createElement('ul')
  list.id = names.id
  list.className = names.className
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', names.label)
  list.hidden = true
  for (const [name, value] of Object.entries({ role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': list.id }))
    input.setAttribute(name, value)
  return list
}

/** Hides the list: no option is active. */
export function closeListbox(input: HTMLInputElement, list: HTMLUListElement): void {
  list.hidden = true
  input.setAttribute('aria-expanded', 'false')
  input.removeAttribute('aria-activedescendant')
}
