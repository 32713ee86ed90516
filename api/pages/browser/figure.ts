// What charts share: the data of a figure, colours of the style sheet, redrawing when size or colours change, and the line that is read out.

export type Parts<T> = { readonly figure: HTMLElement; readonly box: HTMLElement; readonly readout: HTMLOutputElement; readonly data: T }

/** The figures of one kind on this page. */
export function figuresOf<T>(kind: string): Parts<T>[] {
  return [...document.querySelectorAll<HTMLElement>(`figure[data-chart="${kind}"]`)].flatMap(figure => {
    const box = figure.querySelector<HTMLElement>('.chart-box')
    const readout = figure.querySelector('output')
    const block = figure.querySelector('script[type="application/json"]')
    return box && readout && block ? [{ figure, box, readout, data: JSON.parse(block.textContent ?? '') as T }] : []
  })
}

/** A colour of the style sheet in its present scheme, as `rgb(…)`: `light-dark()` is resolved by a property that takes a colour. */
export function colourOf(name: string, within: HTMLElement): string {
  const probe = document.createElement('span')
  probe.hidden = true
  probe.style.color = `var(--${name})`
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Calls `draw` when the scheme of colours changes, and before and after printing. */
export function onScheme(draw: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
}

/** Pixels of small text at the present size of the page, which grows on very large screens. */
export const smallText = (): number => Math.round(Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.75)

const minus = '\u2212'
export function grouped(value: number, most: number, least = 0): string {
  const text = Math.abs(value).toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: Math.max(most, least) })
  return value < 0 ? minus + text : text
}
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** A day or an instant as the pages print it. */
export function timeText(time: string): string {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d))?/.exec(time)
  if (!match) return time
  const [, year, month, day, clock] = match
  return `${Number(day)} ${months[Number(month) - 1]} ${year}${clock === undefined ? '' : `, ${clock} UTC`}`
}
