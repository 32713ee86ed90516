// Names that other services use for what this one names otherwise: parameters, headers, formats and paths. The names are data,
// in other-names.json; hints are made from them, and no request is accepted because of them.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const Names = z.strictObject({
  parameters: z.array(z.strictObject({ names: z.array(z.string()), means: z.array(z.string()).min(1), note: z.string().optional() })),
  formats: z.record(z.string(), z.string()),
  headers: z.array(z.string().regex(/^[a-z_-]+$/)),
  paths: z.array(z.strictObject({ path: z.string().startsWith('/'), means: z.string().startsWith('/api/v1/') })),
})
const names = Names.parse(JSON.parse(readFileSync(new URL('./other-names.json', import.meta.url), 'utf8')))

/** The headers in which other services expect a key, in lower case. */
export const keyHeaders: readonly string[] = names.headers
/** Paths of other services, most specific first within one service, with the path and query of this one. */
export const otherPaths: readonly { readonly path: string; readonly means: string }[] = names.paths

/** `startDate`, `start-date` and `start_date` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

const parameters = names.parameters.map(({ names: others, means, note }) => ({ others: new Set(others.map(plain)), means, note: note ?? null }))

/** What this operation calls a parameter of another service; null if it has none of that meaning. `known`: the names that it takes. */
export function ownParameter(name: string, known: readonly string[]): { readonly name: string; readonly note: string | null } | null {
  const wanted = plain(name)
  const same = known.find(each => plain(each) === wanted)
  if (same !== undefined) return { name: same, note: null }
  for (const { others, means, note } of parameters) {
    const own = others.has(wanted) ? means.find(each => known.includes(each)) : undefined
    if (own !== undefined) return { name: own, note }
  }
  return null
}

/** The parameter of a query that holds a key under another service's name; null if there is none. */
export function misnamedKey(queryNames: readonly string[]): string | null {
  return queryNames.find(name => name !== 'apikey' && ownParameter(name, ['apikey']) !== null) ?? null
}

/** The format of this service that another name or a file ending means; null if there is none. */
export const ownFormat = (format: string): string | null => names.formats[format.toLowerCase().replace(/^\./, '')] ?? null
