// Macro series by country and indicator, and the economic calendar.
import { z } from 'zod'
import { Amount, envelope, NextCursor } from '../answer.ts'
import { KnownBasis } from '../dataset.ts'
import { Frequency, VintageBasis } from '../macro.ts'
import { Count, Flag, Instant, IsoDate, Text } from '../values.ts'
import { dataQuestion, mineral, operation, research } from './operation.ts'
import { cursor, day, flag, integer, oneOf, pageLimit, seriesLimit, shaped } from './parameters.ts'

const known = { known_from: Instant, known_basis: KnownBasis }
const Coverage = z
  .object({ status: z.enum(['read', 'none', 'not_loaded']), sentence: Text })
  .describe('read: data is loaded; none: loaded, but nothing in this range; not_loaded: no data is loaded')

const country = shaped('country by its two or three letters (ISO 3166)', /^[A-Z]{2,3}$/, 'two or three letters such as CA or CAN', 'CA', raw =>
  raw.trim().toUpperCase(),
)
const Country = z.object({ country: Text.describe('ISO 3166 alpha-2'), alpha3: Text, name: Text })

const about = {
  indicator: Text,
  title: Text,
  group: Text,
  unit: Text,
  frequency: Frequency,
  seasonal_adjustment: z.enum(['SA', 'SAAR', 'NSA']).describe('SA adjusted, SAAR adjusted at an annual rate, NSA not adjusted'),
}
const Choice = z.object({
  series: Text.describe('source and its name of the series'),
  table: Text.nullable(),
  licence: Text,
  confidence: Text.describe('confidence that the series is the indicator'),
})

const CountriesAnswer = z.object({
  rulesets: z.array(Text),
  count: Count,
  countries: z.array(
    Country.extend({
      indicators: Count.describe('registered for the country'),
      with_data: Count.describe('indicators with loaded observations'),
    }),
  ),
  ...envelope,
})

const CountryAnswer = z.object({
  ...Country.shape,
  rulesets: z.array(Text),
  coverage: Coverage,
  count: Count,
  with_data: Count,
  indicators: z.array(
    z.object({
      ...about,
      sources: z.array(Choice).describe('first choice first; the next ones are used if it has no data'),
      series: Text.nullable().describe('the series of latest; null if nothing is loaded'),
      latest: z
        .object({ date: IsoDate, value: Amount, status: Text.nullable(), vintage: IsoDate.nullable(), vintage_basis: VintageBasis, ...known })
        .nullable(),
      previous: z.object({ date: IsoDate, value: Amount }).nullable().describe('the latest earlier period with a value'),
      recent: z
        .array(
          z.object({ date: IsoDate.describe('first day of the period'), value: Amount.nullable().describe('null: the source marks it as missing') }),
        )
        .optional()
        .describe('with recent: the last periods of the series, oldest first; periods that the source leaves out are left out'),
    }),
  ),
  ...envelope,
})

const Report = z.object({
  value: Amount.nullable(),
  vintage: IsoDate.nullable(),
  vintage_basis: VintageBasis,
  status: Text.nullable(),
  ...known,
})
const SeriesAnswer = z.object({
  ...Country.shape,
  ...about,
  rulesets: z.array(Text),
  series: Text.nullable().describe('the series used for the answer; null if none is loaded'),
  series_title: Text.nullable().describe('title given by the source; null if its description is not loaded'),
  series_units: Text.nullable(),
  copyright: Text.nullable().describe('the rights in the series as stated by the source'),
  sources_of_indicator: z.array(Choice),
  fill: z.enum(['none', 'carry']),
  coverage: Coverage,
  count: Count,
  observations: z.array(
    z.object({
      date: IsoDate.describe('first day of the period; with fill=carry the requested day'),
      value: Amount.nullable().describe('digits as printed; null: the source marks it as missing'),
      observed_on: IsoDate.optional().describe('with fill=carry: the day of the value'),
      carried: Flag.optional().describe('with fill=carry: true if the value is from an earlier day'),
      status: Text.nullable(),
      vintage: IsoDate.nullable().describe('first day of the value; vintage_basis states if it was released or only seen on that day'),
      vintage_basis: VintageBasis,
      first_published: IsoDate.nullable().describe('day of the first value of the period; null if no source states it'),
      revised: Flag,
      ...known,
      vintages: z.array(Report).optional().describe('with vintages=1: every value of the period, oldest first'),
    }),
  ),
  next_cursor: NextCursor,
  ...envelope,
})

const Figure = z.object({
  indicator: Text,
  title: Text,
  unit: Text,
  series: Text,
  period: IsoDate.nullable().describe('first day of the period of actual'),
  actual: Amount.nullable().describe('the first value that the agency published on the day; null until it is loaded'),
  previous: Amount.nullable().describe('value of the previous period as known before the release'),
})
const EconomicCalendarAnswer = z.object({
  from: IsoDate,
  to: IsoDate,
  country: Text.nullable(),
  rulesets: z.array(Text),
  coverage: Coverage.extend({ schedules: z.array(Text).describe('schedules that cover these days') }),
  count: Count,
  events: z.array(
    z.object({
      date: IsoDate.describe('in the time zone of the agency'),
      scheduled_at: Instant.nullable().describe('null if no schedule states the time of day'),
      country: Text,
      agency: Text.nullable(),
      title: Text,
      period: Text.nullable().describe('the period of the figures, as the schedule prints it'),
      actual: Amount.nullable().describe('of the first entry in figures'),
      previous: Amount.nullable(),
      consensus: z.null().describe('always null: no official schedule has one'),
      figures: z.array(Figure).describe('registered indicators that the release contains'),
      schedules: z.array(Text).describe('schedules that list the event'),
      url: Text.nullable(),
      ...known,
    }),
  ),
  next_cursor: NextCursor,
  ...envelope,
})

export const macroOperations = [
  operation('list_economic_events', 'GET /api/v1/market/economic-calendar', {
    tag: 'Calendars',
    access: 'public',
    summary: 'Releases of economic figures, past and upcoming',
    description:
      "Days on which agencies of the United States and Canada release figures, from their schedules and FRED's release dates, with the released value and the previous one from official series. There is no consensus: no official source has one.",
    question: dataQuestion({
      from: day('first day; default: the day of the answer', '2026-11-01').optional(),
      to: day('last day, at most 366 after the first; default: 31 days after it', '2026-12-31').optional(),
      country: oneOf('country of the agency', ['US', 'CA']).optional(),
      limit: pageLimit(100, 1000, 'events'),
      cursor,
    }),
    answer: EconomicCalendarAnswer,
    rows: 'events',
    data: true,
    served_from: 'lake',
    freshness: '3 days',
    agents: [research('calendars', 'economic', ['from', 'to', 'country', 'limit', 'cursor'], { defaults: { limit: 20 } })],
    example: '/api/v1/market/economic-calendar?from=2026-11-10&to=2026-12-10&limit=3',
  }),
  operation('list_macro_countries', 'GET /api/v1/macro/countries', {
    tag: 'Macro',
    access: 'public',
    summary: 'Countries with macro indicators',
    description: 'The registered countries, with the number of indicators of each and the number with loaded data.',
    question: dataQuestion({}),
    answer: CountriesAnswer,
    rows: 'countries',
    data: true,
    served_from: 'page',
    freshness: '4 days',
    agents: [research('macro', 'countries', [])],
  }),
  operation('get_macro_country', 'GET /api/v1/macro/{country}', {
    tag: 'Macro',
    access: 'public',
    summary: 'The indicators of one country with their latest values',
    description:
      'Every indicator registered for the country: unit, frequency, source and series, and its latest value with the day on which it became known. recent=24 adds the last 24 periods of each, as known at as_of.',
    question: dataQuestion({
      country,
      recent: integer('number of last periods to list for each indicator', 1, 60, { example: 24 }).optional(),
    }),
    answer: CountryAnswer,
    rows: 'indicators',
    data: true,
    served_from: 'page',
    freshness: '4 days',
    agents: [research('macro', 'country', ['country']), mineral('commodity_series', 'country', ['country'])],
    example: '/api/v1/macro/US?recent=24',
  }),
  operation('get_macro_series', 'GET /api/v1/macro/{country}/{indicator}', {
    tag: 'Macro',
    access: 'public',
    summary: 'Observations of one indicator, with vintages',
    description:
      'Values as printed, each with its first day of validity and whether it was revised; with as_of, the values known at that time. Periods that the source omits are omitted here. fill=carry returns a value for every day of a daily series, with the day of each value.',
    question: dataQuestion({
      country,
      indicator: shaped(
        'code of the indicator, or the name of its series (unemployment_rate, UNRATE, v2062815)',
        /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,60}$/,
        'a code such as unemployment_rate, or a series such as UNRATE',
        'unemployment_rate',
      ),
      from: day('first period').optional(),
      to: day('last period', '2026-12-31').optional(),
      order: oneOf('by period', ['asc', 'desc'], 'asc').default('asc'),
      limit: seriesLimit('observations', 24),
      cursor,
      series: shaped(
        'one of the series of the indicator, instead of the first that has data',
        /^[a-z-]{2,20}:[A-Za-z0-9_./-]{1,60}$/,
        'a series of the answer, such as fred:UNRATE',
        'fred:UNRATE',
      ).optional(),
      value: oneOf('the latest or the first value of each period', ['latest', 'first'], 'latest').default('latest'),
      fill: oneOf('carry: every day of a daily series; days without a value get the last earlier one', ['none', 'carry'], 'none').default('none'),
      vintages: flag('1: list every value of each period').optional(),
    }),
    answer: SeriesAnswer,
    rows: 'observations',
    data: true,
    served_from: 'lake',
    freshness: '4 days',
    cursor_key: ['text'],
    agents: [
      research('macro', 'series', ['country', 'indicator', 'from', 'to', 'order', 'limit', 'cursor'], { defaults: { order: 'desc', limit: 24 } }),
      mineral('commodity_series', 'series', ['country', 'indicator', 'from', 'to', 'order', 'limit', 'cursor'], {
        defaults: { order: 'desc', limit: 24 },
      }),
    ],
    example: '/api/v1/macro/US/unemployment_rate?from=2026-06-01&limit=3',
  }),
] as const
