// `/macro`: the indicators of a country with their latest values. `/macro/{country}/{indicator}`: one series, also as it was known on an earlier day.
import { utcDay } from '#schemas/days.ts'
import { question } from '#schemas/operations/operation.ts'
import { day as dayParameter, text } from '#schemas/operations/parameters.ts'
import { lineChart } from '../components/chart.ts'
import { inputField } from '../components/form.ts'
import { change, day, instant, number, unknown } from '../components/format.ts'
import { badge, missing, shown, statusOf } from '../components/notice.ts'
import { answerLinks, linkTabs, pageHead, section } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { html, join } from '../html.ts'
import { type Parameters, page } from '../page.ts'

const country = text('a country by its two letters', 2, 'CA')
const seriesPath = (of: string, indicator: string): string => `/macro/${of.toLowerCase()}/${encodeURIComponent(indicator)}`

export const macroPage = page('/macro', 'Macro', {
  summary: 'Economic indicators of a country with their latest values, each with its source and every revision.',
  navigation: 'Macro',
  question: question({ country: country.default('CA') }),
  operations: ['get_macro_country', 'list_macro_countries'],
  sample: '/macro?country=CA',
  async render({ question: { country: requested }, ask }) {
    const [found, countries] = await Promise.all([ask('get_macro_country', { country: requested.toUpperCase() }), ask('list_macro_countries')])
    const withData = countries.ok ? countries.value.countries.filter(each => each.with_data > 0) : []
    return {
      main: html`${pageHead(found.ok ? html`Economy of ${found.value.name}` : 'Economy')}
${
  withData.length > 0 &&
  linkTabs(
    'Country',
    withData
      .slice(0, 12)
      .map(each => ({ label: each.name, href: `/macro?country=${each.country}`, current: found.ok && each.country === found.value.country })),
  )
}
${section({
  id: 'indicators',
  title: 'Indicators',
  lead: found.ok ? html`${found.value.coverage.sentence}.` : null,
  tools: answerLinks(found, 'indicators'),
  body: shown(found, 'Indicators', ({ country: of, indicators }) =>
    table({
      caption: 'Indicators with their newest observation',
      captionHidden: true,
      columns: ['Indicator', numeric('Latest'), numeric('Change'), 'Unit', tight('Period'), tight('Known since'), tight('Frequency')],
      rows: indicators
        .toSorted((a, b) => Number(b.latest !== null) - Number(a.latest !== null))
        .map(({ indicator, title, unit, latest, previous, frequency }) => [
          latest === null ? title : html`<a href="${seriesPath(of, indicator)}">${title}</a>`,
          latest === null ? unknown : number(latest.value, { most: 4 }),
          latest === null || previous === null ? unknown : change(latest.value - previous.value, number(latest.value - previous.value, { most: 4 })),
          unit,
          latest === null ? unknown : day(latest.date),
          latest === null ? unknown : instant(latest.known_from),
          frequency,
        ]),
      empty: 'No indicator is registered for this country.',
    }),
  ),
})}`,
    }
  },
})

export const macroSeriesPage = page('/macro/{country}/{indicator}', 'Macro series', {
  summary: 'One economic series as a chart and a table, with its revisions and as it was known on an earlier day.',
  question: question({
    country,
    indicator: text('the name of the indicator', 64, 'cpi'),
    known: dayParameter('show what was known at the end of this day', '2026-11-01').optional(),
  }),
  operations: ['get_macro_series'],
  sample: '/macro/ca/unemployment_rate',
  async render({ question: { country: of, indicator, known }, ask, dataNow }) {
    const requested = { country: of.toUpperCase(), indicator, order: 'desc', limit: 400 }
    const moment: Parameters = known === undefined ? {} : { as_of: `${known}T23:59:59Z` }
    const [found, now] = await Promise.all([
      ask('get_macro_series', { ...requested, ...moment }),
      known === undefined ? null : ask('get_macro_series', requested),
    ])
    if (!found.ok) return { main: html`${pageHead('Macro series')}${missing(found, 'This series')}`, status: statusOf(found) }
    const { title, name, unit, observations, coverage, series_title, sources_of_indicator } = found.value
    const rows = observations.toReversed()
    const later = new Map(now?.ok ? now.value.observations.map(each => [each.date, each.value]) : [])
    const label = `${title}, ${name}`
    return {
      title: label,
      modules: ['line-chart'],
      main: html`${pageHead(label, html`${series_title ?? unit}${series_title !== null && html`, ${unit}`}. <a href="${`/macro?country=${of.toUpperCase()}`}">All indicators of ${name}</a>`)}
<form class="inline-form" method="get" action="${seriesPath(of, indicator)}">
${inputField({ form: 'known', name: 'known', label: 'As known at the end of', faults: {}, attributes: html` max="${utcDay(dataNow)}"` }, known ?? '', 'date')}
<button type="submit">Show</button>${known !== undefined && html` <a href="${seriesPath(of, indicator)}">Show today’s values</a>`}
</form>
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
      day(each.date),
      each.value === null ? unknown : number(each.value),
      ...(later.size === 0 ? [] : [(value => (value === null || value === undefined ? unknown : number(value)))(later.get(each.date))]),
      each.first_published === undefined || each.first_published === null ? unknown : day(each.first_published),
      each.vintage === null ? unknown : day(each.vintage),
      [each.revised && badge('revised', 'warn'), each.status],
    ]),
    empty: coverage.sentence,
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
