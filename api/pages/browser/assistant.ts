// Asks the assistant by a stream: the look-ups appear as they happen, then the text. The finished answer is sent to the page that shows
// answers, which is the same as without script. Without script, or if no stream opens, the form itself asks.

type Call = { readonly call_id: number; readonly name: string; readonly arguments: unknown }
type Result = { readonly call_id: number; readonly ok: boolean; readonly ms: number; readonly summary: string }
type Failure = { readonly detail: string; readonly hint: string | null }

const progress = document.querySelector<HTMLElement>('[data-assistant]')
if (progress) {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[action="/assistant/ask"]'))
    form.addEventListener('submit', event => {
      event.preventDefault()
      void ask(form, progress)
    })
}

const textOf = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? '')

async function ask(form: HTMLFormElement, area: HTMLElement): Promise<void> {
  const content = textOf(form, 'content')
  const session = textOf(form, 'session_id')
  enable(false)
  const response = await fetch('/api/v1/chat/tickets', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content, session_id: session === '' ? null : session }),
  }).catch(() => null)
  // The form explains what is refused, next to its field.
  if (!response?.ok) return form.submit()
  const { url } = (await response.json()) as { url: string }
  follow(url, content, textOf(form, 'token'), area)
}

function enable(on: boolean): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('form[action="/assistant/ask"] button')) button.disabled = !on
}

function follow(url: string, content: string, token: string, area: HTMLElement): void {
  const part = (name: string): HTMLElement => area.querySelector(`[data-${name}]`) as HTMLElement
  const [title, state, calls, text] = [part('question'), part('state'), part('calls'), part('text')]
  title.textContent = content
  state.textContent = 'Reading the question.'
  calls.replaceChildren()
  text.textContent = ''
  area.hidden = false
  area.scrollIntoView({ block: 'nearest' })
  const lines = new Map<number, HTMLElement>()
  const found = { token, content, answer: '', envelope: '', session_id: '', message_id: '' }
  const source = new EventSource(url)
  const on = <E>(name: string, act: (event: E) => void): void =>
    source.addEventListener(name, event => {
      if (event instanceof MessageEvent) act(JSON.parse(event.data as string) as E)
    })
  const end = (message: string): void => {
    source.close()
    state.textContent = message
    enable(true)
  }
  on<{ session_id: string; message_id: string }>('start', ({ session_id, message_id }) => Object.assign(found, { session_id, message_id }))
  on<{ text: string }>('thinking', event => {
    state.textContent = event.text
  })
  on<Call>('tool_call', call => {
    const line = document.createElement('li')
    const name = document.createElement('code')
    name.textContent = `${call.name} ${JSON.stringify(call.arguments)}`
    line.append(name, ' …')
    lines.set(call.call_id, line)
    calls.append(line)
  })
  on<Result>('tool_result', ({ call_id, ok, ms, summary }) => {
    const line = lines.get(call_id)
    if (line) line.replaceChildren(...[...line.children], ` ${ok ? '' : 'failed: '}${summary} (${Math.round(ms)} ms)`)
  })
  on<{ text: string }>('delta', event => {
    found.answer += event.text
    text.textContent = found.answer
  })
  on<{ envelope: unknown }>('envelope', ({ envelope }) => {
    found.envelope = JSON.stringify(envelope)
  })
  on<Failure>('error', ({ detail, hint }) => end(hint === null ? detail : `${detail} ${hint}`))
  on('done', () => {
    source.close()
    send('/assistant/answered', found)
  })
  source.addEventListener('error', event => {
    // The browser connects again unless the service refused it.
    if (!(event instanceof MessageEvent) && source.readyState === EventSource.CLOSED) end('The connection has ended before the answer. Ask again.')
  })
}

/** Posts a form, as a person does by a button. */
function send(action: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  form.hidden = true
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('textarea')
    field.name = name
    field.value = value
    form.append(field)
  }
  document.body.append(form)
  form.submit()
}
