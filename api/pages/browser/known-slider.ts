// Names the day at the place of a slider while it moves, for people who see it and for screen readers. Without script, the page that follows
// names it.

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-known]')) {
  const slider = form.querySelector<HTMLInputElement>('input[type="range"]')
  const shown = form.querySelector('output')
  const labels = [...form.querySelectorAll<HTMLOptionElement>('datalist option')].map(option => option.label)
  if (!slider || !shown) continue
  const name = (): void => {
    const label = labels[Number(slider.value)] ?? ''
    shown.textContent = label
    slider.setAttribute('aria-valuetext', label)
  }
  // A browser restores the place of a slider when a person goes back; the page shows the day of its address.
  slider.value = slider.defaultValue
  slider.setAttribute('aria-valuetext', shown.textContent ?? '')
  slider.addEventListener('input', name)
}
