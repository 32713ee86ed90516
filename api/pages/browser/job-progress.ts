// Progress of backfills on the page of a job: asks for their counts while windows wait, and writes them into the page.

type Line = { readonly backfill_id: number; readonly total: number; readonly done: number; readonly failed: number; readonly waiting: number }
type Runs = { readonly runs: readonly { readonly state: string }[]; readonly backfills: readonly Line[] }
const pollMs = 3000

const area = document.querySelector<HTMLElement>('[data-progress]')
const address = area?.dataset['progress']
if (area && address !== undefined) void follow(area, address)

const isOpen = ({ total, waiting }: Line): boolean => total === 0 || waiting > 0

function show(within: HTMLElement, line: Line): void {
  const bar = within.querySelector<HTMLProgressElement>(`progress[data-backfill="${line.backfill_id}"]`)
  const text = within.querySelector<HTMLElement>(`[data-backfill-text="${line.backfill_id}"]`)
  if (!bar || !text) return
  bar.max = Math.max(1, line.total)
  bar.value = line.done + line.failed
  text.textContent =
    line.total === 0 ? 'waits for a worker' : `${line.done} of ${line.total} windows done${line.failed > 0 ? `, ${line.failed} failed` : ''}`
}

async function follow(within: HTMLElement, from: string): Promise<void> {
  const live = within.querySelector<HTMLElement>('[data-live]')
  const report = (text: string): void => {
    if (live && live.textContent !== text) live.textContent = text
  }
  for (let open = within.querySelector('progress[data-open]') !== null; open; ) {
    await new Promise(resolve => setTimeout(resolve, pollMs))
    if (document.hidden) continue
    const response = await fetch(from).catch(() => null)
    if (response === null || response.status >= 500) {
      report('The progress cannot be read at the moment.')
      continue
    }
    if (!response.ok)
      return report(response.status === 401 ? 'You are no longer signed in.' : `The progress cannot be read (status ${response.status}).`)
    const { runs, backfills } = (await response.json()) as Runs
    for (const line of backfills) show(within, line)
    open = backfills.some(isOpen)
    const running = runs.filter(run => run.state === 'running').length
    report(open ? `${running} ${running === 1 ? 'run' : 'runs'} at work.` : 'Every window has ended. Load the page again to see the runs.')
  }
}
