// `/macro`: the indicators of a country with their latest values. `/macro/{country}/{indicator}`: one series, also as it was known on an earlier day.
import { addDays, utcDay } from '#schemas/days.ts'
import { question } from '#schemas/operations/operation.ts'
import { day as dayParameter, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { lineChart } from '../components/chart.ts'
import { change, compact, day, instant, number, period, unknown } from '../components/format.ts'
import { drawnPeriods, indicatorLine } from '../components/indicator-line.ts'
import { knownSlider, slidAddress, slidTo } from '../components/known-slider.ts'
import { badge, missing, shown, statusOf } from '../components/notice.ts'
import { answerLinks, linkTabs, pageHead, section } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, html, join } from '../html.ts'
import { type Parameters, page } from '../page.ts'
import { counted } from '../words.ts'

const country = text('a country by its two letters', 2, 'CA')
const seriesPath = (of: string, indicator: string): string => `/macro/${of.toLowerCase()}/${encodeURIComponent(indicator)}`

/** What was known at the end of a day, in UTC. */
const endOf = (day: string): Parameters => ({ as_of: `${day}T23:59:59Z` })
const asOf = dayParameter('show what was known at the end of this day', '2026-11-01').optional()
/** Months whose ends the slider of a country offers. */
const monthsBack = 60

/** The ends of the months before a day, oldest first, and the day itself. */
function monthEnds(today: string): string[] {
  const ends: string[] = []
  for (let end = addDays(`${today.slice(0, 7)}-01`, -1); ends.length < monthsBack; end = addDays(`${end.slice(0, 7)}-01`, -1)) ends.unshift(end)
  return [...ends, today]
}

export const macroPage = page('/macro', 'Macro', {
  summary: 'Economic indicators of a country with their latest values, each with its source and every revision.',
  navigation: 'Macro',
  question: question({ country: country.default('CA'), as_of: asOf, slid: slidTo }),
  operations: ['get_macro_country', 'list_macro_countries'],
  sample: '/macro?country=CA',
  async render({ question: { country: requested, as_of, slid }, ask, dataNow }) {
    const today = utcDay(dataNow)
    const slider = { path: '/macro', kept: { country: requested.toUpperCase() }, days: monthEnds(today), as_of: as_of ?? null, today }
    if (slid !== undefined) return { redirect: slidAddress(slider, slid) }
    const [found, countries] = await Promise.all([
      ask('get_macro_country', { country: requested.toUpperCase(), recent: drawnPeriods, ...(as_of === undefined ? {} : endOf(as_of)) }),
      ask('list_macro_countries'),
    ])
    const days: Record<string, string> = as_of === undefined ? {} : { as_of }
    const withData = countries.ok ? countries.value.countries.filter(each => each.with_data > 0) : []
    return {
      modules: ['known-slider'],
      main: html`${pageHead(found.ok ? html`Economy: ${found.value.name}` : 'Economy', as_of === undefined ? null : html`As it was known at the end of ${day(as_of)}.`)}
${
  withData.length > 0 &&
  linkTabs(
    'Country',
    withData.slice(0, 12).map(each => ({
      label: each.name,
      href: `/macro?${new URLSearchParams({ country: each.country, ...days })}`,
      current: found.ok && each.country === found.value.country,
    })),
  )
}
${knownSlider(slider)}
${section({
  id: 'indicators',
  title: 'Indicators',
  lead: found.ok ? html`${found.value.coverage.sentence}.` : null,
  tools: answerLinks(found, 'indicators'),
  body: shown(found, 'Indicators', ({ country: of, indicators }) => [
    table({
      caption: 'Indicators with their newest observation',
      captionHidden: true,
      columns: ['Indicator', numeric('Latest'), numeric('Change'), 'Unit', tight('Period'), 'Recent', tight('Known since')],
      rows: indicators.flatMap(({ indicator, title, unit, latest, previous, frequency, recent = [] }) =>
        latest === null
          ? []
          : [
              [
                html`<a href="${`${seriesPath(of, indicator)}${as_of === undefined ? '' : `?as_of=${as_of}`}`}">${title}</a>`,
                shortly(latest.value),
                previous === null ? unknown : difference(latest.value - previous.value),
                unit,
                period(latest.date, frequency),
                [indicatorLine(title, frequency, recent), html` <span class="soft">${frequency}</span>`],
                instant(latest.known_from),
              ],
            ],
      ),
      empty:
        as_of === undefined
          ? 'No observation of this country is loaded. Its registered indicators are below; the jobs of their sources load them.'
          : 'Nothing about this country was known on this day. Choose a later one.',
    }),
    withoutData(indicators.filter(each => each.latest === null)),
  ]),
})}`,
    }
  },
})

/** A value with at most four decimals; from a billion on in short form, with all digits as its title. */
const shortly = (value: number): Content => (Math.abs(value) >= 1e9 ? compact(value) : number(value, { most: 4 }))
const difference = (value: number): Content =>
  change(value, Math.abs(value) >= 1e9 ? `${number(value / 1e9, { most: 2 })}\u00a0B` : number(value, { most: 4 }))

type Indicator = AnswerOf<'get_macro_country'>['indicators'][number]
const withoutData = (indicators: readonly Indicator[]): Content =>
  indicators.length > 0 &&
  html`<details><summary>${counted(indicators.length, 'registered indicator')} without an observation</summary>${table({
    caption: 'Indicators without an observation, with the series that would be read',
    columns: ['Indicator', 'Unit', tight('Frequency'), 'Series'],
    rows: indicators.map(({ title, unit, frequency, sources }) => [
      title,
      unit,
      frequency,
      join(
        sources.map(each => html`<code>${each.series}</code>`),
        ', ',
      ),
    ]),
  })}</details>`

export const macroSeriesPage = page('/macro/{country}/{indicator}', 'Macro series', {
  summary: 'One economic series as a chart and a table, with its revisions and as it was known on an earlier day.',
  question: question({
    country,
    indicator: text('the name of the indicator', 64, 'cpi'),
    as_of: asOf,
    slid: slidTo,
  }),
  operations: ['get_macro_series'],
  sample: '/macro/ca/unemployment_rate',
  async render({ question: { country: of, indicator, as_of: known, slid }, ask, dataNow }) {
    const requested = { country: of.toUpperCase(), indicator, order: 'desc', limit: 400 }
    const path = seriesPath(of, indicator)
    const [found, all] = await Promise.all([
      ask('get_macro_series', { ...requested, ...(known === undefined ? {} : endOf(known)) }),
      ask('get_macro_series', { ...requested, vintages: true }),
    ])
    const days = all.ok ? knownDays(all.value.observations) : []
    if (slid !== undefined) return { redirect: slidAddress({ path, days }, slid) }
    if (!found.ok) return { main: html`${pageHead('Macro series')}${missing(found, 'This series')}`, status: statusOf(found) }
    const { title, name, unit, frequency, observations, coverage, series_title, sources_of_indicator } = found.value
    const rows = observations.toReversed()
    const later = new Map(known !== undefined && all.ok ? all.value.observations.map(each => [each.date, each.value]) : [])
    const label = `${title}, ${name}`
    return {
      title: label,
      modules: ['line-chart', 'known-slider'],
      main: html`${pageHead(label, html`${series_title ?? unit}${series_title !== null && html`, ${unit}`}. <a href="${`/macro?country=${of.toUpperCase()}`}">All indicators of ${name}</a>`)}
${knownSlider({ path, days, as_of: known ?? null, today: utcDay(dataNow) })}
${section({
  id: 'chart',
  title: known === undefined ? 'Values' : html`Values as known on ${day(known)}`,
  tools: answerLinks(found, 'observations'),
  body: lineChart({
    id: 'series',
    label,
    unit,
    times: rows.map(each => each.date),
    series: [
      { label: known === undefined ? title : `known on ${known}`, values: rows.map(each => each.value) },
      ...(later.size === 0 ? [] : [{ label: 'known today', values: rows.map(each => later.get(each.date) ?? null) }]),
    ],
    decimals: 4,
  }),
})}
${section({
  id: 'observations',
  title: 'Observations',
  lead: 'A later vintage restates an observation; the first value stays known.',
  body: table({
    caption: 'Observations, newest first',
    captionHidden: true,
    columns: [
      tight('Period'),
      numeric('Value'),
      ...(later.size === 0 ? [] : [numeric('Today')]),
      tight('First published'),
      tight('Vintage'),
      'Status',
    ],
    rows: observations.map(each => [
      period(each.date, frequency),
      each.value === null ? unknown : number(each.value),
      ...(later.size === 0 ? [] : [(value => (value === null || value === undefined ? unknown : number(value)))(later.get(each.date))]),
      each.first_published === undefined || each.first_published === null ? unknown : day(each.first_published),
      each.vintage === null ? unknown : day(each.vintage),
      [each.revised && badge('revised', 'warn'), each.status],
    ]),
    empty: known === undefined ? coverage.sentence : 'No observation was known on this day. Choose a later one.',
    tall: true,
  }),
})}
<p class="small">Source: ${join(
        sources_of_indicator.map(each => html`<code>${each.series}</code> (${each.licence})`),
        '; ',
      )}.</p>`,
    }
  },
})

/** The days on which a value of the series became known, oldest first. */
const knownDays = (observations: AnswerOf<'get_macro_series'>['observations']): string[] =>
  [...new Set(observations.flatMap(each => (each.vintages ?? []).map(report => report.known_from.slice(0, 10))))].sort()
