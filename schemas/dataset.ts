// defineDataset(): one definition gives the type, the validation, the Parquet columns, the API schema and the catalogue entry.
import { z } from 'zod'
import { columnText } from './column-texts.ts'
import { madeOnce } from './once.ts'
import { type QuickCheck, quickCheckOf } from './quick-check.ts'
import { Flag, Instant, Release, Sha256, Text } from './values.ts'

/**
 * The origin of `known_from`: `accepted` the acceptance of the filing by EDGAR; `published` the time of publication; `filed` 22:00 Eastern
 * of the filed date (EDGAR's closing hour) if an index gives no time; `retrieved` the retrieval by this service.
 */
export const KnownBasis = z.enum(['accepted', 'published', 'filed', 'retrieved']).meta({ column: 'VARCHAR' })

/** The columns of every row in addition to its facts. */
const provenance = {
  known_from: Instant,
  known_basis: KnownBasis,
  source: Text, // the upstream's name, as in jobs.yaml
  raw_sha256: Sha256, // the raw document that contains it
  withdrawn: Flag, // true: from this release on, the key no longer exists
}
/** Assigned at commit; null inside a commit's file from before rows contained it. */
const releaseColumn = { release_from: Release }

export type Facts = Readonly<Record<string, z.ZodType>>

export type DatasetDefinition<F extends Facts = Facts> = {
  readonly name: string
  readonly title: string
  /** One or two sentences for analysts: what a row is, and what it is not. Becomes the COMMENT of the view. */
  readonly description: string
  readonly facts: z.ZodObject<F>
  /** Facts and provenance; rows are checked against it before they are stored. */
  readonly record: z.ZodType
  /** True only for rows that `record` accepts; false for most of those that it refuses, and for all whose reason is wanted. */
  readonly fits: QuickCheck
  /** Columns that name one fact; the newest row of a key at a release is current. */
  readonly key: readonly (keyof F & string)[]
  /** Total order of the rows in a file; files are split and found by its first column. */
  readonly order: readonly (keyof F & string)[]
  /** Column of the time that a row is about; the catalogue keeps its range per file. */
  readonly time: keyof F & string
  /** True: a key is committed once and never superseded, so reading needs no ranking (single rows are corrected elsewhere). */
  readonly appended_once?: boolean
  /** Columns with one value in all rows of a document, all of the key but its last: the rows are kept as text until they are written. */
  readonly same_in_document?: readonly string[]
  readonly freshness: string
  readonly licence: string
  /** Columns in file order: name and DuckDB type, facts first, then provenance, then release_from. */
  readonly columns: readonly Column[]
}
/**
 * A copy of some columns of each large file of a dataset, in another order, for questions that the dataset's own order does not serve. A
 * copy is derived from one file and can be made again at any time.
 */
export type SortedCopy = {
  readonly name: string
  readonly dataset: string
  /** The copied columns: a statement over copies has no others. */
  readonly columns: readonly string[]
  /** SQL expressions over the columns. */
  readonly order: readonly string[]
  readonly row_group: number
  /** Smaller files have no copy: reading them whole takes about as long as opening one more file. */
  readonly least_rows: number
}
export type Column = {
  readonly name: string
  readonly type: string
  readonly decimal: boolean
  readonly description: string | null
  /** True if a row may have no value in it. */
  readonly nullable: boolean
  /** SQL over the other columns: the value of rows in files that were written before the column existed. */
  readonly absent: string
}

type Provenance = z.infer<z.ZodObject<typeof provenance>>
/** A row of the dataset before it has a release. */
export type RowOf<D> = D extends DatasetDefinition<infer F> ? z.infer<z.ZodObject<F>> & Provenance : never
/** A row as read from the lake. */
export type StoredRow<D> = RowOf<D> & { readonly release_from: number }

type Rows<F extends Facts> = Pick<DatasetDefinition<F>, 'key' | 'order' | 'time' | 'appended_once' | 'same_in_document'>
type Definition<F extends Facts> = Pick<DatasetDefinition<F>, 'description'> & {
  readonly facts: F
  /** `order` is by default that of `key`. */
  readonly rows: Omit<Rows<F>, 'order'> & Partial<Pick<Rows<F>, 'order'>>
}

type Terms = Pick<DatasetDefinition, 'freshness' | 'licence'>
/** How soon a row is held after its publication, and under which licence. */
export const terms = (freshness: string, licence: string): Terms => ({ freshness, licence })
/** Terms of what EDGAR publishes. */
export const edgarTerms = (freshness: string): Terms => terms(freshness, 'public domain (SEC EDGAR)')

export function defineDataset<F extends Facts>(
  name: string,
  title: string,
  terms: Terms,
  { rows, ...definition }: Definition<F>,
): DatasetDefinition<F> {
  const taken = Object.keys({ ...provenance, ...releaseColumn }).find(name => Object.hasOwn(definition.facts, name))
  if (taken !== undefined) throw new TypeError(`${name}.${taken}: every row has a column of that name already`)
  const facts = z.strictObject(definition.facts) as unknown as z.ZodObject<F>
  const record = z.strictObject({ ...definition.facts, ...provenance })
  const columns = madeOnce(() => columnsOf(name, { ...definition.facts, ...provenance, ...releaseColumn }))
  return {
    name,
    title,
    order: rows.key,
    ...rows,
    ...definition,
    ...terms,
    facts,
    record,
    fits: quickCheckOf(record),
    get columns() {
      return columns()
    },
  }
}

/** The columns of a dataset with these values; made when they are first needed, which no start of a program does for every dataset. */
function columnsOf(dataset: string, values: Facts): readonly Column[] {
  const schema = z.toJSONSchema(z.object(values), { unrepresentable: 'throw' })
  return Object.entries(schema.properties ?? {}).map(([column, property]) => {
    const node = property as JsonNode
    const type = columnType(node, `${dataset}.${column}`)
    return {
      name: column,
      type,
      absent: (notNull(node)['absent'] as string | undefined) ?? `null::${type}`,
      decimal: (notNull(node)['decimal'] ?? false) === true,
      nullable: isNullable(node),
      description: (node['description'] as string | undefined) ?? (notNull(node)['description'] as string | undefined) ?? columnText(dataset, column),
    }
  })
}

type JsonNode = { readonly [key: string]: unknown }

/** The branch of an `anyOf` with null that is not null; the node itself otherwise. */
function notNull(node: JsonNode): JsonNode {
  const branches = node['anyOf'] as readonly JsonNode[] | undefined
  return branches?.find(branch => branch['type'] !== 'null') ?? node
}

function isNullable(node: JsonNode): boolean {
  const branches = node['anyOf'] as readonly JsonNode[] | undefined
  return node['type'] === 'null' || (branches?.some(isNullable) ?? false)
}

/** DuckDB's type of a JSON Schema node: `column` if a value type defines it, else LIST and STRUCT of its parts. */
function columnType(node: JsonNode, where: string): string {
  const branch = notNull(node)
  if (typeof branch['column'] === 'string') return branch['column']
  if (branch['type'] === 'array') return `${columnType(branch['items'] as JsonNode, `${where}[]`)}[]`
  if (branch['type'] === 'object') {
    const parts = Object.entries(branch['properties'] as Record<string, JsonNode>)
    return `STRUCT(${parts.map(([name, part]) => `"${name}" ${columnType(part, `${where}.${name}`)}`).join(', ')})`
  }
  if (branch['type'] === 'string') return 'VARCHAR'
  throw new TypeError(`${where}: no column type; build it from schemas/values.ts`)
}
