// A slider over the days on which something became known. It is a plain form: without script, the place of the slider is sent and the page
// leads on to the address with `as_of`. The links before and after it do the same with one key.
import { integer } from '#schemas/operations/parameters.ts'
import { type Html, html } from '../html.ts'
import { inputField } from './form.ts'
import { day, dayText } from './format.ts'

/** The parameter with the place of the slider, counted from the earliest day. */
export const slidTo = integer('place of the slider', 0, 100_000, { example: 3 }).optional()

export type KnownSlider = {
  readonly path: string
  /** Parameters of the page besides `as_of`. */
  readonly kept?: Readonly<Record<string, string>>
  /** Days in ascending order; the state after the last one is the present one. */
  readonly days: readonly string[]
  /** The day of the address; null: the present state. */
  readonly as_of: string | null
  /** The latest day that can be asked for. */
  readonly today: string
}

const addressOf = ({ path, kept = {} }: Pick<KnownSlider, 'path' | 'kept'>, as_of: string | null): string => {
  const query = new URLSearchParams({ ...kept, ...(as_of === null ? {} : { as_of }) }).toString()
  return query === '' ? path : `${path}?${query}`
}

/** The address that a place of the slider leads to: that of its day, and without a day at the end of the slider. */
export const slidAddress = (slider: Pick<KnownSlider, 'path' | 'kept' | 'days'>, place: number): string =>
  addressOf(slider, place >= slider.days.length - 1 ? null : (slider.days[place] ?? null))

/** The place of a day: that of the last stop on or before it, 0 if it is before all; without a day, the end. */
export function placeOf(days: readonly string[], as_of: string | null): number {
  const place = as_of === null ? days.length - 1 : days.findLastIndex(each => each <= as_of)
  return Math.max(0, place)
}

/** Load the module `known-slider` on the page: it names the day while the slider moves. */
export function knownSlider(slider: KnownSlider): Html {
  const { path, kept = {}, days, as_of, today } = slider
  const hidden = Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const place = placeOf(days, as_of)
  const shown = as_of ?? days.at(-1)
  const before = days.findLast(each => each < (as_of ?? days.at(-1) ?? ''))
  const after = as_of === null ? undefined : days.find(each => each > as_of)
  return html`<div class="known">
${
  days.length > 1 &&
  html`<form method="get" action="${path}" class="known-slide" data-known>${hidden}
<label for="known-slide">What was known <output for="known-slide">${as_of === null ? 'today' : html`on ${shown === undefined ? as_of : day(shown)}`}</output></label>
<input id="known-slide" name="slid" type="range" min="0" max="${days.length - 1}" step="1" value="${place}" list="known-days" autocomplete="off">
<datalist id="known-days">${days.map((each, at) => html`<option value="${at}" label="${at === days.length - 1 ? 'today' : `on ${dayText(each)}`}"></option>`)}</datalist>
<p class="known-ends"><span>${day(days[0] ?? '')}</span><span>today</span></p>
<p class="known-steps"><button type="submit" class="quiet small">Show this day</button>${before !== undefined && html` <a href="${addressOf(slider, before)}" rel="prev">Before: ${day(before)}</a>`}${after !== undefined && html` <a href="${addressOf(slider, after === days.at(-1) ? null : after)}" rel="next">Next: ${after === days.at(-1) ? 'today' : day(after)}</a>`}</p></form>`
}
<form method="get" action="${path}" class="inline-form">${hidden}
${inputField({ form: 'known', name: 'as_of', label: 'At the end of a day', faults: {}, attributes: html` max="${today}"` }, as_of ?? '', 'date')}
<button type="submit" class="quiet">Show</button>${as_of !== null && html` <a href="${addressOf(slider, null)}">Show today’s values</a>`}
</form></div>`
}
