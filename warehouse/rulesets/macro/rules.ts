// The registers of countries and indicators: which series of which source answers for an indicator, first choice first. Data, checked
// once when the module is read; all functions here are pure.
import { z } from 'zod'
import { Broken } from '#schemas/errors.ts'
import { Frequency } from '#schemas/macro.ts'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import countryTable from './countries.json' with { type: 'json' }
import indicatorTable from './indicators.json' with { type: 'json' }
import worldBankTable from './world-bank.json' with { type: 'json' }

export const Confidence = z.enum(['high', 'medium', 'low', 'general_knowledge'])
const Code = z.string().regex(/^[a-z][a-z0-9_]{1,39}$/, 'expected a code in snake_case')
const Head = {
  ruleset: z.string().regex(/^macro-[a-z-]+@\d{4}-\d\d$/),
  valid_from: IsoDate,
  published: IsoDate,
  source: z.string().min(10),
}
const SeriesSource = z.strictObject({
  series: z.string().regex(/^(?:fred|bank-of-canada|statcan|worldbank):\S{1,60}$/),
  table: z.string().nullable(),
  licence: z.string(),
  confidence: Confidence,
})

const Indicator = z.strictObject({
  country: z.string().regex(/^[A-Z]{2}$/),
  code: Code,
  group: z.string(),
  title: z.string(),
  unit: z.string(),
  frequency: Frequency,
  seasonal_adjustment: z.enum(['SA', 'SAAR', 'NSA']),
  sources: z.array(SeriesSource).min(1),
})
/** `sources`: first choice first; the next ones answer if it has nothing. */
export type Indicator = z.infer<typeof Indicator>

const Countries = z.strictObject({ ...Head, countries: z.array(z.string().regex(/^[A-Z]{2} [A-Z]{3} \S.*$/)).min(100) })
const Indicators = z.strictObject({ ...Head, indicators: z.array(Indicator).min(30) }).check(context => {
  const seen = new Set<string>()
  for (const { country, code } of context.value.indicators) {
    const key = `${country}/${code}`
    if (seen.has(key) || code.startsWith('annual_')) context.issues.push({ code: 'custom', message: `${key} occurs twice`, input: key })
    seen.add(key)
  }
})
const WorldBank = z.strictObject({
  ...Head,
  licence: z.string(),
  indicators: z
    .array(
      z.strictObject({
        code: Code.startsWith('annual_'),
        world_bank: z.string().regex(/^[A-Z0-9.]{3,40}$/),
        title: z.string(),
        unit: z.string(),
        group: z.string(),
        confidence: Confidence,
      }),
    )
    .min(1),
})

const countryRules = parseOnce(Countries, countryTable)
const indicatorRules = parseOnce(Indicators, indicatorTable)
const worldBankRules = parseOnce(WorldBank, worldBankTable)

export const macroRulesets = [countryRules.ruleset, indicatorRules.ruleset, worldBankRules.ruleset] as const

export type Country = { readonly country: string; readonly alpha3: string; readonly name: string }
export const countries: readonly Country[] = countryRules.countries
  .map(line => ({ country: line.slice(0, 2), alpha3: line.slice(3, 6), name: line.slice(7) }))
  .sort((a, b) => (a.country < b.country ? -1 : 1))

const byCode = new Map(countries.flatMap(each => [[each.country, each] as const, [each.alpha3, each] as const]))
/** A country by its two or three letters (ISO 3166), in any case. */
export const findCountry = (code: string): Country | null => byCode.get(code.toUpperCase()) ?? null

/** Codes of the World Bank's indicators, which every country has. */
export const worldBankIndicators = worldBankRules.indicators

const national = Map.groupBy(indicatorRules.indicators, each => each.country)

/** The indicators kept for a country: its own first, then the annual ones of the World Bank. */
export function indicatorsOf(country: string): readonly Indicator[] {
  return [
    ...(national.get(country) ?? []),
    ...worldBankRules.indicators.map(each => ({
      country,
      code: each.code,
      group: each.group,
      title: each.title,
      unit: each.unit,
      frequency: 'annual' as const,
      seasonal_adjustment: 'NSA' as const,
      sources: [{ series: `worldbank:${each.world_bank}/${country}`, table: null, licence: worldBankRules.licence, confidence: each.confidence }],
    })),
  ]
}

/** An indicator by its code, or by the name of one of its series with or without its source (`UNRATE`, `statcan:v2062815`). */
export function findIndicator(country: string, code: string): Indicator | null {
  const requested = code.toLowerCase()
  const all = indicatorsOf(country)
  return (
    all.find(each => each.code === requested) ??
    all.find(each => each.sources.some(({ series }) => series.toLowerCase() === requested || ownName(series).toLowerCase() === requested)) ??
    null
  )
}

/** A series' name without its source. */
export const ownName = (series: string): string => series.slice(series.indexOf(':') + 1)
export const providerOf = (series: string): string => series.slice(0, series.indexOf(':'))

/** The series of a source that national indicators use, once each, by their own names. */
export function registeredSeries(provider: 'fred' | 'bank-of-canada' | 'statcan'): readonly string[] {
  const names = indicatorRules.indicators.flatMap(each => each.sources.map(({ series }) => series)).filter(series => providerOf(series) === provider)
  return [...new Set(names.map(ownName))].sort()
}

const countriesOfSeries = new Map<string, Set<string>>()
for (const { country, sources } of indicatorRules.indicators)
  for (const { series } of sources) countriesOfSeries.set(series, (countriesOfSeries.get(series) ?? new Set()).add(country))

/** The countries whose indicators use a series. */
export function countriesUsing(series: string): readonly string[] {
  const worldBank = /^worldbank:[A-Z0-9.]+\/([A-Z]{2})$/.exec(series)?.[1]
  return worldBank === undefined ? [...(countriesOfSeries.get(series) ?? [])] : findCountry(worldBank) ? [worldBank] : []
}

/** An indicator that another ruleset names; throws `Broken` if the register has none. */
export function indicatorNamed(country: string, code: string): Indicator {
  const found = findIndicator(country, code)
  if (found === null) throw new Broken(`${indicatorRules.ruleset} has no indicator ${country}/${code}`)
  return found
}
