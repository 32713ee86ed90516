// The page works without this file; with it, operations can be found by typing, and public ones tried from here.
const find = document.querySelector('#find')
const articles = [...document.querySelectorAll('article')]
const links = new Map([...document.querySelectorAll('nav li a')].map(link => [link.getAttribute('href').slice(1), link]))

find.hidden = false
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const article of articles) {
    const fits = words.every(word => article.dataset.find.includes(word))
    article.hidden = !fits
    const link = links.get(article.id)
    if (link) link.parentElement.hidden = !fits
  }
  // Headings whose operations are all hidden go with them.
  for (const group of document.querySelectorAll('.group:has(article)')) group.hidden = !group.querySelector('article:not([hidden])')
  for (const list of document.querySelectorAll('nav ul')) list.previousElementSibling.hidden = !list.querySelector('li:not([hidden])')
  document.querySelector('#start').hidden = words.length > 0
  scrollTo(0, 0)
})

for (const link of document.querySelectorAll('a[href="#start"]')) {
  link.addEventListener('click', () => {
    find.value = ''
    find.dispatchEvent(new Event('input'))
  })
}

const seen = new IntersectionObserver(
  entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue
      for (const link of links.values()) link.removeAttribute('aria-current')
      links.get(entry.target.id)?.setAttribute('aria-current', 'true')
    }
  },
  { rootMargin: '0px 0px -75% 0px' },
)
for (const article of articles) seen.observe(article)

for (const box of document.querySelectorAll('.try')) {
  box.hidden = false
  const form = box.querySelector('form')
  form.addEventListener('submit', event => {
    event.preventDefault()
    send(form)
  })
}

async function send(form) {
  const status = form.querySelector('output')
  const answer = form.querySelector('pre')
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const [name, value] of new FormData(form)) {
    if (value === '') continue
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, () => encodeURIComponent(value))
    else query.set(name, value)
  }
  const address = query.size > 0 ? `${path}?${query}` : path
  status.textContent = 'asking …'
  const started = performance.now()
  try {
    const response = await fetch(address, { credentials: 'omit' })
    const text = await response.text()
    status.textContent = `${response.status} in ${Math.round(performance.now() - started)} ms, ${text.length.toLocaleString()} characters`
    answer.querySelector('code').textContent = pretty(text, response.headers.get('content-type') ?? '')
  } catch (error) {
    status.textContent = 'no answer'
    answer.querySelector('code').textContent = String(error)
  }
  answer.hidden = false
}

/** Indented without parsing numbers: their digits stay as sent. Only the beginning of a long answer is shown. */
function pretty(text, type) {
  const most = 60000
  const short = text.length > most ? `${text.slice(0, most)}\n… ${(text.length - most).toLocaleString()} more characters` : text
  if (!type.includes('json') || text.length > most) return short
  let depth = 0
  let quoted = false
  let out = ''
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (quoted) {
      out += letter
      if (letter === '\\') out += text[++at]
      else if (letter === '"') quoted = false
    } else if (letter === '"') {
      quoted = true
      out += letter
    } else if (letter === '{' || letter === '[') {
      const close = letter === '{' ? '}' : ']'
      if (text[at + 1] === close) {
        out += letter + close
        at++
      } else out += `${letter}\n${'  '.repeat(++depth)}`
    } else if (letter === '}' || letter === ']') out += `\n${'  '.repeat(--depth)}${letter}`
    else if (letter === ',') out += `,\n${'  '.repeat(depth)}`
    else if (letter === ':') out += ': '
    else if (!/\s/.test(letter)) out += letter
  }
  return out
}
