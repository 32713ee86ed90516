// `/screener`: listings that fit an expression, with chosen columns and order; the address is the saved screen.
import { question } from '#schemas/operations/operation.ts'
import { cursor, text } from '#schemas/operations/parameters.ts'
import { inputField } from '../components/form.ts'
import { compact, day, number, percent, price, unknown } from '../components/format.ts'
import { notice, shown } from '../components/notice.ts'
import { answerLinks, companyLink, linkTabs, pageHead, pager, section } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, html } from '../html.ts'
import { type Faults, page } from '../page.ts'
import { sentence } from '../words.ts'
import { scatter } from './scatter.ts'

const standard = 'name,exchange,close,currency,market_cap_usd,dividend_yield_pct'
/** Screens to begin with; each is an address. */
const examples = [
  { label: 'Canadian yield above 3 %', filter: 'exchange in (TO, V) and dividend_yield_pct > 3', sort: 'dividend_yield_pct.desc' },
  { label: 'Largest', filter: 'market_cap_usd > 0', sort: 'market_cap_usd.desc' },
  { label: 'Near the 52-week high', filter: 'pct_from_52w_high > -5', sort: 'pct_from_52w_high.desc' },
] as const

export const screenerPage = page('/screener', 'Screener', {
  summary: 'Listings that fit an expression over fields of prices, fundamentals and filings, as a table, a chart and CSV.',
  navigation: 'Screener',
  question: question({
    filter: text('an expression over the fields', 1000, 'dividend_yield_pct > 3').optional(),
    fields: text('columns, separated by commas', 1000, standard).optional(),
    sort: text('a field and asc or desc', 100, 'close.desc').optional(),
    x: text('field of the horizontal axis', 64, 'market_cap_usd').optional(),
    y: text('field of the vertical axis', 64, 'dividend_yield_pct').optional(),
    cursor,
  }),
  operations: ['run_screener', 'list_screener_fields'],
  sample: '/screener?filter=dividend_yield_pct+%3E+2&sort=dividend_yield_pct.desc',
  async render({ question: { filter, fields = standard, sort, x, y, cursor: after }, ask }) {
    const chosen = [
      ...new Set([...fields.split(',').map(each => each.trim()), ...(x === undefined ? [] : [x]), ...(y === undefined ? [] : [y])]),
    ].filter(each => each !== '')
    const [found, known] = await Promise.all([
      ask('run_screener', {
        fields: chosen.filter(each => each !== 'code').join(','),
        limit: 100,
        ...(filter === undefined ? {} : { filter }),
        ...(sort === undefined ? {} : { sort }),
        ...(after === undefined ? {} : { cursor: after }),
      }),
      ask('list_screener_fields'),
    ])
    const all = known.ok ? known.value.fields : []
    const of = new Map(all.map(each => [each.name, each]))
    const state = definedOnly({ filter, fields: fields === standard ? undefined : fields, sort, x, y })
    const address = (changed: Readonly<Record<string, string>>): string => {
      const parameters = new URLSearchParams({ ...state, ...changed }).toString()
      return parameters === '' ? '/screener' : `/screener?${parameters}`
    }
    const sorted = (name: string): Content => {
      const [current, way] = (sort ?? '').split('.')
      const next = current === name && way === 'desc' ? 'asc' : 'desc'
      const about = of.get(name)
      return html`<a href="${address({ sort: `${name}.${next}` })}"${about !== undefined && html` title="${about.definition}"`}>${headingOf(name, about?.unit ?? null)}</a>${current === name && (way === 'asc' ? ' ↑' : ' ↓')}`
    }
    const isNumber = (name: string): boolean => ['number', 'integer'].includes(of.get(name)?.type ?? '')
    const columns = chosen.filter(each => each !== 'code')
    const faults: Faults = found.ok || found.status !== 400 ? {} : { filter: sentence(found.error.detail) }
    return {
      modules: ['screener'],
      main: html`${pageHead('Screener', 'Write a condition, or begin with one of these. The address of the page is the saved screen.')}
${linkTabs(
  'Screens to begin with',
  examples.map(each => ({
    label: each.label,
    href: `/screener?${new URLSearchParams({ filter: each.filter, sort: each.sort })}`,
    current: each.filter === filter && each.sort === sort,
  })),
)}
<form class="panel" method="get" action="/screener">
${inputField(
  {
    form: 'screen',
    name: 'filter',
    label: 'Condition',
    faults,
    help: html`Fields, numbers and words with <code>= != &lt; &lt;= &gt; &gt;= in (…) and or not</code>. The fields are listed below.`,
    attributes: html` autocomplete="off" autocapitalize="off" spellcheck="false" list="screener-words" maxlength="1000" data-completes`,
  },
  filter ?? '',
)}
<datalist id="screener-words">${all.map(each => html`<option value="${each.name}">${each.definition}</option>`)}</datalist>
<div class="pair">
${inputField({ form: 'screen', name: 'fields', label: 'Columns', faults: {}, attributes: html` autocomplete="off" spellcheck="false" maxlength="1000"` }, fields)}
${inputField({ form: 'screen', name: 'sort', label: 'Order', faults: {}, attributes: html` autocomplete="off" spellcheck="false" maxlength="100"` }, sort ?? '')}
</div>
<div class="pair">
${inputField({ form: 'screen', name: 'x', label: 'Chart: horizontal field', faults: {}, attributes: html` autocomplete="off" list="screener-words" maxlength="64"` }, x ?? '')}
${inputField({ form: 'screen', name: 'y', label: 'Chart: vertical field', faults: {}, attributes: html` autocomplete="off" list="screener-words" maxlength="64"` }, y ?? '')}
</div>
<p><button type="submit">Screen</button></p>
</form>
${
  found.ok &&
  x !== undefined &&
  y !== undefined &&
  section({
    id: 'chart',
    title: html`${y.replaceAll('_', ' ')} by ${x.replaceAll('_', ' ')}`,
    lead: 'The listings of this page of results. The table has the numbers.',
    body: scatter({
      x: { label: x.replaceAll('_', ' '), unit: of.get(x)?.unit ?? null },
      y: { label: y.replaceAll('_', ' '), unit: of.get(y)?.unit ?? null },
      points: found.value.data.flatMap(row => {
        const [across, up] = [numberOf(row, x), numberOf(row, y)]
        return across === null || up === null ? [] : [{ label: row.code, x: across, y: up }]
      }),
    }),
  })
}
${section({
  id: 'results',
  title: found.ok ? html`${number(found.value.total)} of ${number(found.value.universe)} listings` : 'Listings',
  lead:
    found.ok && found.value.session_date !== null
      ? html`Prices of ${day(found.value.session_date)}; fields by <code>${found.value.ruleset}</code>.`
      : null,
  tools: answerLinks(found, 'results'),
  body:
    !found.ok && found.status === 400
      ? notice('bad', html`<p>${sentence(found.error.detail)} ${found.error.hint !== undefined && sentence(found.error.hint)}</p>`)
      : shown(found, 'Results', ({ data, coverage, next_cursor }) => [
          table({
            caption: 'Listings that fit',
            captionHidden: true,
            columns: [tight('Symbol'), ...columns.map(name => ({ label: sorted(name), numeric: isNumber(name) }))],
            rows: data.map(row => [
              companyLink(row.code),
              ...columns.map(name => cell(row as Readonly<Record<string, unknown>>, name, of.get(name))),
            ]),
            empty: coverage.status === 'read' ? 'No listing fits this condition.' : coverage.sentence,
          }),
          pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
        ]),
})}
${section({
  id: 'fields',
  title: 'Fields',
  tools: answerLinks(known, 'fields'),
  body: shown(known, 'Fields', ({ fields: rows }) =>
    table({
      caption: 'Fields of the screener, with the share of listings that have a value',
      captionHidden: true,
      columns: [tight('Field'), 'Meaning', tight('Unit'), numeric('Filled')],
      rows: rows.map(each => [
        html`<code>${each.name}</code>`,
        each.definition,
        each.unit,
        each.filled_pct === null ? null : `${number(Number(each.filled_pct), { most: 1 })}\u00a0%`,
      ]),
      tall: true,
    }),
  ),
})}`,
    }
  },
})

/** `market_cap_usd` as "Market cap, USD", `dividend_yield_pct` as "Dividend yield". */
function headingOf(name: string, unit: string | null): string {
  const words = name.replace(/_(?:usd|pct)$/, '').replaceAll('_', ' ')
  const shown = unit === 'USD' ? ', USD' : ''
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${shown}`
}

const definedOnly = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** A value in the form that its unit has elsewhere: percent and ratios with two decimals, prices as prices, large amounts in short form. */
function cell(
  row: Readonly<Record<string, unknown>>,
  name: string,
  field: { readonly type: string; readonly unit: string | null } | undefined,
): Content {
  const value = row[name]
  if (value === null || value === undefined) return unknown
  if (typeof value === 'number' && field?.type === 'number') {
    if (field.unit?.startsWith('percent') === true) return percent(value)
    if (Math.abs(value) >= 1e6) return compact(value)
    if (field.unit === 'times') return number(value, { least: 2, most: 2 })
    return field.unit === 'currency' || field.unit?.endsWith('per share') === true
      ? price(value)
      : number(value, { most: Math.abs(value) >= 1000 ? 0 : 4 })
  }
  if (typeof value === 'number') return number(value)
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}
function numberOf(row: object, name: string): number | null {
  const value = (row as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'number' ? value : null
}
