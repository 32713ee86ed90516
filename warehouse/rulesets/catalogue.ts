// The editions of the rulesets on disk, and the rows in them that state their certainty. For inspecting rules; answers by rules read their
// files through their schemas.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { type Json, type JsonObject, keyText } from './compare.ts'
import { rulesetRegister } from './register.ts'
import type { Registered } from './registered.ts'

const Head = z.looseObject({ ruleset: z.string(), valid_from: IsoDate, valid_to: IsoDate.nullish(), published: IsoDate.nullish() })

export type Edition = {
  readonly registered: Registered
  /** Its id, such as `withholding@2026-11`. */
  readonly ruleset: string
  /** From the root of the project. */
  readonly path: string
  readonly valid_from: string
  readonly valid_to: string | null
  readonly published: string | null
  readonly document: JsonObject
}

/** Every file of a ruleset's folder, by folder; a file that is no ruleset is `Broken`. */
function filesOf(folder: string): { readonly path: string; readonly document: JsonObject }[] {
  return readdirSync(join(import.meta.dirname, folder))
    .filter(name => name.endsWith('.json'))
    .sort()
    .map(name => ({
      path: `warehouse/rulesets/${folder}/${name}`,
      document: JSON.parse(readFileSync(join(import.meta.dirname, folder, name), 'utf8')) as JsonObject,
    }))
}

/** Between a ruleset's name and its edition: `@` in all but three ids that are older than the habit. */
const isOf = ({ name }: Registered, ruleset: string): boolean => ruleset.startsWith(name) && /^[@/-]\d/.test(ruleset.slice(name.length))

/** The editions of a ruleset, the newest first. */
export function editionsOf(registered: Registered): Edition[] {
  const found = filesOf(registered.folder).flatMap(({ path, document }) => {
    const head = Head.safeParse(document)
    if (!head.success) throw new Broken(`${path}: no ruleset: ${head.error.issues[0]?.path.join('.')} ${head.error.issues[0]?.message}`)
    const { ruleset, valid_from, valid_to, published } = head.data
    return isOf(registered, ruleset)
      ? [{ registered, ruleset, path, valid_from, valid_to: valid_to ?? null, published: published ?? null, document }]
      : []
  })
  const newer = (a: Edition, b: Edition): number =>
    a.valid_from === b.valid_from ? b.ruleset.localeCompare(a.ruleset, 'en', { numeric: true }) : a.valid_from < b.valid_from ? 1 : -1
  return found.sort(newer)
}

/** Every edition of every ruleset, in the order of the register. */
export const allEditions = (): Edition[] => rulesetRegister.flatMap(editionsOf)

/** The editions of a name: all of a ruleset, or the one of an id. Throws `BadRequest` that lists what there is. */
export function findEditions(name: string): readonly [Edition, ...Edition[]] {
  const registered = rulesetRegister.find(each => each.name === name)
  const found = registered ? editionsOf(registered) : allEditions().filter(each => each.ruleset === name)
  const [first, ...rest] = found
  if (first) return [first, ...rest]
  const family = rulesetRegister.find(each => isOf(each, name))
  throw new BadRequest(`there is no ruleset ${name.slice(0, 80)}`, {
    hint: family
      ? `editions of ${family.name}: ${editionsOf(family)
          .map(each => each.ruleset)
          .join(', ')}`
      : `rulesets: ${rulesetRegister.map(each => each.name).join(', ')}`,
  })
}

/** A row that states its certainty. */
export type Row = {
  /** Lists and keys that lead to it: `accounts CA tfsa`. */
  readonly at: string
  readonly confidence: string
  readonly valid_from: string | null
  readonly valid_to: string | null
  /** Its sources as the row states them: ids of the file's list, or words. */
  readonly source_ids: readonly string[]
  /** The same with the names and addresses that the file lists. */
  readonly sources: readonly string[]
  readonly row: JsonObject
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** The rows of an edition, in the order of the file; the file itself if it states the certainty of all of it. */
export function rowsOf(edition: Edition): Row[] {
  const rows: Row[] = []
  const listed = sourcesOf(edition.document)
  const visit = (value: Json, at: string, path: string): void => {
    if (Array.isArray(value)) {
      const key = edition.registered.keys[path]
      for (const [place, each] of value.entries()) visit(each, isObject(each) ? `${at} ${key ? keyText(each, key) : place + 1}`.trim() : at, path)
    } else if (isObject(value)) {
      const confidence = textOf(value['confidence'])
      const source_ids = [value['source'] ?? value['evidence'] ?? []].flat().filter(each => typeof each === 'string')
      if (confidence !== null)
        rows.push({
          at: at === '' ? 'the whole file' : at,
          confidence,
          // A price is of its day.
          valid_from: textOf(value['valid_from']) ?? textOf(value['date']),
          valid_to: textOf(value['valid_to']),
          source_ids,
          sources: source_ids.map(each => listed.get(each) ?? each),
          row: value,
        })
      for (const [name, member] of Object.entries(value)) visit(member, `${at} ${name}`.trim(), path === '' ? name : `${path}.${name}`)
    }
  }
  visit(edition.document, '', '')
  return rows
}

/** The file's own list of sources: id -> `id: name, address`. */
function sourcesOf(document: JsonObject): ReadonlyMap<string, string> {
  const { sources } = document
  return new Map(
    (Array.isArray(sources) ? sources : []).filter(isObject).flatMap(each => {
      const id = textOf(each['id'])
      return id === null
        ? []
        : [[id, [`${id}: ${textOf(each['name']) ?? ''}`, ...(textOf(each['url']) ? [textOf(each['url'])] : [])].join(', ')] as const]
    }),
  )
}
