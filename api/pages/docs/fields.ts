// The members of an answer or a body with type and meaning, from its schema. A member without a description has the meaning that
// field-meanings.ts gives to its name.
import { z } from 'zod'
import { fieldMeanings } from './field-meanings.ts'

/** The keywords of JSON Schema that are read here. */
type Node = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Node>>
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Node
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}
export type FieldRow = {
  /** `bars[].close`: lists are marked, names of a map are `*`. */
  readonly name: string
  readonly depth: number
  readonly type: string
  /** Values of an enumeration. */
  readonly values: readonly string[]
  readonly nullable: boolean
  readonly optional: boolean
  readonly meaning: string | null
}
/** Deeper members are left out: such structures are quotes of other formats. */
const deepest = 6

/** The rows of a schema. `io`: `input` for bodies, whose members with a default may be left out. */
export function fieldsOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): FieldRow[] {
  const root = z.toJSONSchema(schema, { io }) as Node
  return rowsOf(root, root.$defs ?? {}, '', 0)
}

const resolved = (node: Node, defs: Readonly<Record<string, Node>>): Node =>
  node.$ref === undefined
    ? node
    : { ...defs[node.$ref.slice(node.$ref.lastIndexOf('/') + 1)], ...(node.description === undefined ? {} : { description: node.description }) }

/** The branches of a node that are not null. */
function branchesOf(node: Node, defs: Readonly<Record<string, Node>>): readonly Node[] {
  const here = resolved(node, defs)
  const branches = here.anyOf ?? here.oneOf
  if (branches === undefined) return here.type === 'null' ? [] : [here]
  return branches.flatMap(each => branchesOf(each, defs))
}

function rowsOf(node: Node, defs: Readonly<Record<string, Node>>, path: string, depth: number): FieldRow[] {
  const rows: FieldRow[] = []
  const seen = new Set<string>()
  for (const branch of branchesOf(node, defs)) {
    if (branch.type === 'array' && path === '') rows.push(...rowsOf(branch.items ?? {}, defs, '[].', depth))
    for (const [name, member] of Object.entries(branch.properties ?? {})) {
      // A member that several branches have is listed once.
      if (seen.has(name)) continue
      seen.add(name)
      rows.push(...memberRows(name, member, !(branch.required ?? []).includes(name), defs, path, depth))
    }
    if (typeof branch.additionalProperties === 'object' && Object.keys(branch.additionalProperties).length > 0)
      rows.push(...memberRows('*', branch.additionalProperties, true, defs, path, depth))
  }
  return rows
}

function memberRows(name: string, member: Node, optional: boolean, defs: Readonly<Record<string, Node>>, path: string, depth: number): FieldRow[] {
  const branches = branchesOf(member, defs)
  const lists = branches.filter(each => each.type === 'array')
  const marked = `${path}${name}${lists.length > 0 ? '[]' : ''}`
  const description = member.description ?? resolved(member, defs).description ?? branches.find(each => each.description !== undefined)?.description
  const row: FieldRow = {
    name: marked,
    depth,
    type: [...new Set(branches.map(each => typeOf(each, defs)))].join(' or ') || 'null',
    values: branches.flatMap(each => (each.enum ?? []).filter(value => value !== null).map(String)),
    nullable: isNullable(member, defs),
    optional,
    meaning: description ?? fieldMeanings[name] ?? null,
  }
  if (depth >= deepest) return [row]
  const inner = branches.flatMap(each => rowsOf(each.type === 'array' ? (each.items ?? {}) : each, defs, `${marked}.`, depth + 1))
  return [row, ...inner]
}

function isNullable(node: Node, defs: Readonly<Record<string, Node>>): boolean {
  const here = resolved(node, defs)
  return here.type === 'null' || (here.enum ?? []).includes(null) || (here.anyOf ?? here.oneOf ?? []).some(each => isNullable(each, defs))
}

function typeOf(node: Node, defs: Readonly<Record<string, Node>>): string {
  if (node.type === 'array') {
    const items = [...new Set(branchesOf(node.items ?? {}, defs).map(each => typeOf(each, defs)))]
    return `list of ${items.join(' or ')}`
  }
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum !== undefined) return 'one of'
  if (node.format === 'date') return 'date'
  if (node.format === 'date-time') return 'instant'
  return { string: 'text', integer: 'whole number', number: 'number', boolean: 'true or false', object: 'object' }[String(node.type)] ?? 'any'
}
