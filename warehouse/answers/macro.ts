// Macro answers: the registered countries, a country's indicators with their latest values, and one indicator with its vintages.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type Built, digits, originsOf, type ReleaseContext, type RowOrigin, sourceTitle, upstreamSources } from '../context/answer.ts'
import { findHeldSeries, findLatest, findObservations, findSeries, type ObservationRow } from '../datasets/macro/macro.ts'
import { nearestWords } from '../datasets/macro/nearest.ts'
import {
  carryForward,
  carryFrom,
  firstPublished,
  isRevised,
  newestOf,
  type PeriodValues,
  periodValues,
  type Report,
} from '../datasets/macro/vintages.ts'
import {
  type Country,
  countries,
  findCountry,
  findIndicator,
  type Indicator,
  indicatorsOf,
  macroRulesets,
  providerOf,
} from '../rulesets/macro/rules.ts'
import { macroCountriesPage, macroCountryPage } from './paged/macro.ts'
import type { Answers, QuestionOf } from './types.ts'

const macroDatasets = ['macro_observations', 'macro_series', 'fx_rates'] as const

/** The country of a code; throws `NotFound` with the nearest ones. */
function countryOf(code: string): Country {
  const found = findCountry(code)
  if (found !== null) return found
  const near = countries.filter(each => each.name.toUpperCase().startsWith(code) || each.alpha3.startsWith(code.slice(0, 2))).slice(0, 5)
  throw new NotFound(`no country ${code} is registered`, {
    hint: near.length > 0 ? `near: ${near.map(each => `${each.country} ${each.name}`).join(', ')}` : 'GET /api/v1/macro/countries lists them',
  })
}

/** The indicator of a country by code or series; throws `NotFound` with the nearest codes. */
function indicatorOf({ country }: Country, code: string): Indicator {
  const found = findIndicator(country, code)
  if (found !== null) return found
  const near = nearestWords(
    code.toLowerCase(),
    indicatorsOf(country).map(each => each.code),
    6,
  )
  throw new NotFound(`no indicator ${code} is registered for ${country}`, {
    hint: near.length > 0 ? `near: ${near.join(', ')}` : `GET /api/v1/macro/${country} lists them`,
  })
}

const choices = ({ sources }: Indicator): object[] =>
  sources.map(({ series, table, licence, confidence }) => ({ series, table, licence, confidence }))
const aboutOf = ({ code, title, group, unit, frequency, seasonal_adjustment }: Indicator): object => ({
  indicator: code,
  title,
  group,
  unit,
  frequency,
  seasonal_adjustment,
})

async function buildMacroCountries({ lake }: ReleaseContext, question: QuestionOf<'list_macro_countries'>): Promise<Built> {
  const held = await findHeldSeries(lake, question.as_of ?? null)
  const known = new Set(held.map(each => each.series))
  const rows = countries.map(({ country, alpha3, name }) => {
    const indicators = indicatorsOf(country)
    return {
      country,
      alpha3,
      name,
      indicators: indicators.length,
      with_data: indicators.filter(each => each.sources.some(({ series }) => known.has(series))).length,
    }
  })
  // One document per series is enough to show that it is loaded.
  const counted = new Set(countries.flatMap(({ country }) => indicatorsOf(country).flatMap(each => each.sources.map(({ series }) => series))))
  const origins: RowOrigin[] = originsOf(held.filter(each => counted.has(each.series)))
  const names = [...new Set(held.filter(each => counted.has(each.series)).map(each => each.source))].sort()
  return {
    body: { rulesets: macroRulesets, count: rows.length, countries: rows },
    sources: names.map(name => ({ name: sourceTitle(name), accession: null, url: null, retrieved_at: null, sha256: null })),
    origins,
    datasets: macroDatasets,
  }
}

async function buildMacroCountry({ lake }: ReleaseContext, question: QuestionOf<'get_macro_country'>): Promise<Built> {
  const country = countryOf(question.country)
  const indicators = indicatorsOf(country.country)
  const names = [...new Set(indicators.flatMap(each => each.sources.map(({ series }) => series)))]
  const latest = await findLatest(lake, names, question.as_of ?? null, question.recent)
  const used: ObservationRow[] = []
  const rows = indicators.map(indicator => {
    const series = indicator.sources.map(each => each.series).find(each => latest.has(each)) ?? null
    const { valued = [], recent = [] } = series === null ? {} : (latest.get(series) ?? {})
    const [newest, before] = valued
    used.push(...valued, ...recent)
    return {
      ...aboutOf(indicator),
      sources: choices(indicator),
      series,
      latest: newest
        ? {
            date: newest.date,
            value: digits(newest.value),
            status: newest.status,
            vintage: newest.vintage,
            vintage_basis: newest.vintage_basis,
            known_from: newest.known_from,
            known_basis: newest.known_basis,
          }
        : null,
      previous: before ? { date: before.date, value: digits(before.value) } : null,
      ...(question.recent === undefined ? {} : { recent: recent.map(({ date, value }) => ({ date, value: digits(value) })) }),
    }
  })
  const withData = rows.filter(row => row.series !== null).length
  return {
    body: {
      ...country,
      rulesets: macroRulesets,
      coverage:
        withData === 0
          ? { status: 'not_loaded', sentence: `nothing of ${country.name} is loaded up to as_of; the jobs macro-* of jobs.yaml bring it` }
          : { status: 'read', sentence: `${withData} of ${rows.length} registered indicators have observations` },
      count: rows.length,
      with_data: withData,
      indicators: rows,
    },
    sources: upstreamSources(used),
    origins: originsOf(used),
    datasets: macroDatasets,
  }
}

/** The selected series: the requested one, else the first of the indicator with any data. */
async function answering({ lake }: ReleaseContext, indicator: Indicator, requested: string | undefined, asOf: string | null): Promise<string | null> {
  const names = indicator.sources.map(each => each.series)
  if (requested !== undefined) {
    const found = names.find(name => name.toLowerCase() === requested.toLowerCase())
    if (found === undefined)
      throw new NotFound(`${requested} is no series of ${indicator.country}/${indicator.code}`, { hint: `its series: ${names.join(', ')}` })
    return found
  }
  const latest = await findLatest(lake, names, asOf)
  return names.find(name => latest.has(name)) ?? null
}

const printedReport = ({ value, vintage, vintage_basis, status, known_from, known_basis }: Report): object => ({
  value: digits(value),
  vintage,
  vintage_basis,
  status,
  known_from,
  known_basis,
})

type SeriesQuestion = QuestionOf<'get_macro_series'>
type Entry = { readonly date: string; readonly row: object; readonly rows: readonly ObservationRow[] }

function entryOf(period: PeriodValues, question: SeriesQuestion, carried?: { readonly date: string; readonly carried: boolean }): Entry {
  const chosen = question.value === 'first' ? period.values[0] : newestOf(period)
  const date = carried?.date ?? period.date
  const row = {
    date,
    value: digits(chosen.value),
    ...(carried ? { observed_on: period.date, carried: carried.carried } : {}),
    status: chosen.status,
    vintage: chosen.vintage,
    vintage_basis: chosen.vintage_basis,
    first_published: firstPublished(period),
    revised: isRevised(period),
    known_from: chosen.known_from,
    known_basis: chosen.known_basis,
    ...(question.vintages ? { vintages: period.values.map(printedReport) } : {}),
  }
  return { date, row, rows: period.values }
}

/** The observations of a request, oldest first, for its whole range. */
function entriesOf(rows: readonly ObservationRow[], question: SeriesQuestion): Entry[] {
  const periods = periodValues(rows)
  if (question.fill === 'none') return periods.map(each => entryOf(each, question))
  const [first, last] = [periods[0], periods.at(-1)]
  if (!first || !last) return []
  const from = question.from ?? first.date
  const limit = question.to ?? last.date
  return carryForward(periods, from, limit).map(day => entryOf(day.observed, question, day))
}

async function buildMacroSeries(context: ReleaseContext, question: SeriesQuestion): Promise<Built> {
  const { cursor, limit, as_of: asOf = null, release: _release, receipt: _receipt, ...filters } = question
  const country = countryOf(question.country)
  const indicator = indicatorOf(country, question.indicator)
  if (question.fill === 'carry' && indicator.frequency !== 'daily')
    throw new BadRequest(`fill=carry is for daily series, and ${indicator.code} is ${indicator.frequency}`, { hint: 'leave fill out' })
  const after = cursor === undefined ? null : String(decodeCursor(cursor, 'get_macro_series', filters).after[0])
  const series = await answering(context, indicator, question.series, asOf)
  const from = question.from === undefined ? null : question.fill === 'carry' ? carryFrom(question.from) : question.from
  const rows = series === null ? [] : await findObservations(context.lake, series, { from, to: question.to ?? null }, asOf)
  const described = series === null ? undefined : (await findSeries(context.lake, [series], asOf)).get(series)
  const all = entriesOf(rows, question)
  const ordered = question.order === 'desc' ? all.reverse() : all
  const rest = after === null ? ordered : ordered.filter(each => (question.order === 'desc' ? each.date < after : each.date > after))
  const page = limit === undefined ? rest : rest.slice(0, limit)
  const last = page.at(-1)
  const more = page.length < rest.length && last !== undefined
  return {
    body: {
      ...country,
      ...aboutOf(indicator),
      rulesets: macroRulesets,
      series,
      series_title: described?.title ?? null,
      series_units: described?.units ?? null,
      copyright: described?.copyright ?? null,
      sources_of_indicator: choices(indicator),
      fill: question.fill,
      coverage: coverageOf(indicator, series, page.length),
      count: page.length,
      observations: page.map(each => each.row),
      next_cursor: more ? encodeCursor('get_macro_series', filters, context.lake.versionOf(macroDatasets).release, [last.date]) : null,
    },
    sources: upstreamSources(page.flatMap(each => each.rows)),
    origins: originsOf([...rows, ...(described ? [described] : [])]),
    datasets: macroDatasets,
  }
}

function coverageOf(indicator: Indicator, series: string | null, count: number): object {
  if (series === null) {
    const providers = [...new Set(indicator.sources.map(each => providerOf(each.series)))]
    return {
      status: 'not_loaded',
      sentence: `no observation of ${indicator.sources.map(each => each.series).join(' or ')} is loaded up to as_of (${providers.join(', ')})`,
    }
  }
  return count === 0
    ? { status: 'none', sentence: `${series} has no observation in this range up to as_of` }
    : { status: 'read', sentence: `observations of ${series}; periods that the source leaves out are left out` }
}

export const macroAnswers = {
  list_macro_countries: { build: buildMacroCountries, page: macroCountriesPage },
  get_macro_country: { build: buildMacroCountry, page: macroCountryPage },
  get_macro_series: { build: buildMacroSeries },
} satisfies Answers
