// Values and their places: choosing a value marks its place in the document and shows it, choosing a place leads to its value. Without this
// module a value's link loads the page at the place.

const pane = document.querySelector<HTMLElement>('.document-text')
const spoken = document.querySelector<HTMLOutputElement>('output[data-place]')
const links = [...document.querySelectorAll<HTMLAnchorElement>('a.placed[data-at]')]

const marksOf = (key: string): HTMLElement[] =>
  [...(pane?.querySelectorAll<HTMLElement>('mark') ?? [])].filter(mark => mark.dataset['at']?.split(' ').includes(key))

function choose(key: string): boolean {
  const marks = marksOf(key)
  const [first] = marks
  if (!pane || !first) return false
  for (const old of pane.querySelectorAll('mark.at')) old.classList.remove('at')
  for (const mark of marks) mark.classList.add('at')
  for (const link of links) {
    if (link.dataset['at'] === key) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  // On narrow screens the document is below the values.
  const { top, bottom } = pane.getBoundingClientRect()
  if (bottom < 0 || top > innerHeight) pane.scrollIntoView({ block: 'start' })
  pane.scrollTop += first.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3
  if (spoken)
    spoken.textContent = `In the document: ${marks
      .map(mark => mark.textContent)
      .join('')
      .slice(0, 200)}`
  return true
}

for (const link of links)
  link.addEventListener('click', event => {
    const key = link.dataset['at']
    if (key === undefined || event.ctrlKey || event.metaKey || event.shiftKey || !choose(key)) return
    event.preventDefault()
    history.replaceState(null, '', link.href)
  })
pane?.addEventListener('click', event => {
  const mark = (event.target as Element).closest<HTMLElement>('mark.value')
  const keys = mark?.dataset['at']?.split(' ') ?? []
  const link = links.find(each => keys.includes(each.dataset['at'] ?? '') && each.offsetParent !== null)
  if (!link?.dataset['at']) return
  choose(link.dataset['at'])
  link.focus()
})
const chosen = links.find(link => link.hasAttribute('aria-current'))?.dataset['at']
if (chosen !== undefined) choose(chosen)
