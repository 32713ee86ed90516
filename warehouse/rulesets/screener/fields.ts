// The fields of the screener as data: what each is, in what unit, from which datasets, and for which listings it can be there.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type DatasetName, datasetNames } from '#schemas/index.ts'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import table from './fields.json' with { type: 'json' }

const FieldType = z.enum(['text', 'number', 'integer', 'date', 'boolean'])
const Field = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  group: z.string(),
  type: FieldType,
  unit: z.string().nullable(),
  /** Its meaning, with its formula. */
  definition: z.string().min(10),
  datasets: z.array(z.enum(datasetNames as [DatasetName, ...DatasetName[]])).min(1),
  /** A filter (warehouse/models/screener/filter.ts) for the listings that can have it; `true`: all of them. */
  eligible: z.string(),
  /** Why fewer than four in five of them may have it. */
  reason: z.string().optional(),
})
const Ruleset = z.strictObject({
  ruleset: z.string().regex(/^screener@\d+$/),
  valid_from: IsoDate,
  sources: z.array(z.string()).min(1),
  confidence: z.string(),
  /** Funds that represent a country's market; the first one with bars is used. */
  benchmarks: z.array(z.strictObject({ country: z.string(), codes: z.array(z.string()).min(1), source: z.string(), confidence: z.string() })),
  /** Divisions of the Standard Industrial Classification. */
  divisions: z.array(
    z.strictObject({
      from_sic: z.string().regex(/^\d{4}$/),
      to_sic: z.string().regex(/^\d{4}$/),
      sector: z.string(),
      source: z.string(),
      confidence: z.string(),
    }),
  ),
  fields: z.array(Field).min(60),
})
export type ScreenerField = z.infer<typeof Field>

export const screenerRules = parseOnce(Ruleset, table)
export const screenerFields: readonly ScreenerField[] = screenerRules.fields
const byName = new Map(screenerFields.map(field => [field.name, field]))
/** The field with this name; undefined if there is none. */
export const fieldNamed = (name: string): ScreenerField | undefined => byName.get(name)

/** The datasets of all fields, in a fixed order. */
export const screenerDatasets: readonly DatasetName[] = datasetNames.filter(name => screenerFields.some(field => field.datasets.includes(name)))
export const screenerRulesDigest: string = createHash('sha256').update(JSON.stringify(table)).digest('hex')
