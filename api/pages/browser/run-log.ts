// The log of a run at work: asks for the lines after the last one, and adds them to the list, until the run has ended.

type Line = { readonly line: number; readonly at: string; readonly level: string; readonly message: string }
type Answer = { readonly run: { readonly state: string }; readonly lines: readonly Line[]; readonly next_after: number | null }
const pollMs = 2500
/** Lines that the page keeps; older ones are removed from it, and stay in the stored log. */
const mostLines = 2000
const tones: Readonly<Record<string, string>> = { debug: 'plain', info: 'info', warn: 'warn', error: 'bad' }

const list = document.querySelector<HTMLOListElement>('[data-log]')
const state = document.querySelector<HTMLElement>('[data-log-state]')
const address = list?.dataset['log']
if (list && address !== undefined) void follow(list, address)

function item({ at, level, message }: Line): HTMLLIElement {
  const made = document.createElement('li')
  made.className = level
  const time = document.createElement('time')
  time.dateTime = at
  time.textContent = at.slice(11, 23)
  const badge = document.createElement('span')
  badge.className = `badge ${tones[level] ?? 'plain'}`
  badge.textContent = level
  const text = document.createElement('span')
  text.textContent = message
  made.append(time, ' ', badge, ' ', text)
  return made
}

function report(text: string): void {
  if (state && state.textContent !== text) state.textContent = text
}

async function follow(within: HTMLOListElement, from: string): Promise<void> {
  const box = within.parentElement
  let after = Number(within.dataset['after'] ?? '0')
  for (let ended = false; !ended; ) {
    await new Promise(resolve => setTimeout(resolve, pollMs))
    if (document.hidden) continue
    const response = await fetch(`${from}?after=${after}`).catch(() => null)
    if (response === null || response.status >= 500) {
      report('The log cannot be read at the moment.')
      continue
    }
    if (!response.ok) return report(response.status === 401 ? 'You are no longer signed in.' : `The log cannot be read (status ${response.status}).`)
    const { run, lines, next_after } = (await response.json()) as Answer
    const atEnd = box !== null && box.scrollTop + box.clientHeight >= box.scrollHeight - 8
    within.append(...lines.map(item))
    while (within.childElementCount > mostLines) {
      within.firstElementChild?.remove()
      within.start += 1
    }
    after = lines.at(-1)?.line ?? after
    if (box && atEnd) box.scrollTop = box.scrollHeight
    ended = run.state !== 'running' && next_after === null
    report(ended ? `The run has ended: ${run.state}. Load the page again to see the outcome.` : 'The run is at work.')
  }
}
