import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operations } from '#schemas/operations.ts'
import { IsoDate } from '#schemas/values.ts'
import { answersByRuleset } from '../answers/by-ruleset.ts'
import { allEditions, editionsOf, findEditions, rowsOf } from './catalogue.ts'
import { type Json, type JsonObject, keyText } from './compare.ts'
import { rulesetRegister } from './register.ts'

const folder = import.meta.dirname
const folders = readdirSync(folder, { withFileTypes: true })
  .filter(each => each.isDirectory() && readdirSync(join(folder, each.name)).some(file => file.endsWith('.json')))
  .map(each => each.name)
const editions = allEditions()
const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Entries of a list or the object at a path (`a.b`: the list b in each entry of a), one result per list. */
function listsAt(value: Json | undefined, path: readonly string[]): Json[][] {
  const [name, ...rest] = path
  if (name === undefined) return value === undefined ? [] : [Array.isArray(value) ? value : [value as Json]]
  const members = Array.isArray(value) ? value : [value]
  return members.filter(isObject).flatMap(each => listsAt(each[name], rest))
}
/** Paths of every list of objects in a document. */
function lists(value: Json, path: string): string[] {
  if (Array.isArray(value))
    return [...(value.length > 0 && value.every(isObject) ? [path] : []), ...value.flatMap(each => (isObject(each) ? lists(each, path) : []))]
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => lists(member, path === '' ? name : `${path}.${name}`)) : []
}

describe('the register of rulesets', () => {
  it('has an entry for every folder and every file of data', () => {
    expect(folders.filter(name => !rulesetRegister.some(each => each.folder === name))).toEqual([])
    const files = folders.flatMap(name =>
      readdirSync(join(folder, name)).flatMap(file => (file.endsWith('.json') ? [`warehouse/rulesets/${name}/${file}`] : [])),
    )
    expect(editions.map(each => each.path).sort()).toEqual(files.sort())
  })
  it('is in order, names nothing twice, and every ruleset has an edition', () => {
    const names = rulesetRegister.map(each => each.name)
    expect(names).toEqual([...new Set(names)].sort())
    expect(rulesetRegister.filter(each => editionsOf(each).length === 0)).toEqual([])
    expect(new Set(editions.map(each => each.ruleset)).size).toBe(editions.length)
  })
  it('names operations that are there', () => {
    const known = operations.map(each => each.id)
    expect(rulesetRegister.flatMap(each => each.operations).filter(id => !known.includes(id))).toEqual([])
  })
  it('has an entry for every operation that takes a ruleset, with the editions that its answers know', () => {
    const takers = operations.filter(each => 'ruleset' in each.question.shape).map(each => each.id)
    expect(Object.keys(answersByRuleset).sort()).toEqual(takers.sort())
    for (const id of takers) {
      const onDisk = rulesetRegister.filter(each => each.operations.includes(id)).flatMap(editionsOf)
      const known = answersByRuleset[id]?.editions({}) ?? []
      expect({ id, unknown: known.filter(name => !onDisk.some(each => each.ruleset === name)) }).toEqual({ id, unknown: [] })
      const families = rulesetRegister.filter(each => known.some(name => editionsOf(each).some(edition => edition.ruleset === name)))
      expect(known.toSorted()).toEqual(
        families
          .flatMap(editionsOf)
          .map(each => each.ruleset)
          .sort(),
      )
    }
  })
  it.each(editions)('$ruleset states since when it applies and its sources', edition => {
    const { document } = edition
    const sourced = document['source'] ?? document['sources'] ?? (rowsOf(edition).length > 0 && rowsOf(edition).every(row => row.sources.length > 0))
    expect({ ruleset: edition.ruleset, sourced: Boolean(sourced) }).toEqual({ ruleset: edition.ruleset, sourced: true })
    expect(edition.valid_to === null || edition.valid_to >= edition.valid_from).toBe(true)
  })
  it.each(editions)('$ruleset: every rule states since when, until when, from what, and how sure it is', ({ document, registered }) => {
    const missing = registered.rules.flatMap(path =>
      listsAt(document, path.split('.')).flatMap(list =>
        list
          .filter(each => each !== null)
          .flatMap((each, place) => {
            const row = isObject(each) ? each : {}
            const source = row['source'] ?? row['evidence']
            const day = (value: Json | undefined): boolean => value === null || IsoDate.safeParse(value).success
            const whole =
              day(row['valid_from']) && day(row['valid_to']) && source !== undefined && source !== '' && (!Array.isArray(source) || source.length > 0)
            return whole && typeof row['confidence'] === 'string' ? [] : [`${path} ${place}`]
          }),
      ),
    )
    expect(missing).toEqual([])
  })
  it('rules of law and method are rows: none of their rulesets is without', () => {
    expect(rulesetRegister.filter(each => each.kind !== 'product' && each.rules.length === 0).map(each => each.name)).toEqual([])
  })
  it.each(editions)('$ruleset: the keys tell the entries of its lists apart', ({ document, registered, ruleset }) => {
    for (const [path, key] of Object.entries(registered.keys))
      for (const list of listsAt(document, path.split('.'))) {
        const names = list.filter(isObject).map(each => keyText(each, key))
        expect({ ruleset, path, twice: names.filter((name, at) => names.indexOf(name) !== at) }).toEqual({ ruleset, path, twice: [] })
      }
    const first = lists(document, '').filter(path => !path.includes('.'))
    expect(first.filter(path => registered.keys[path] === undefined)).toEqual([])
  })
})

describe('editions on disk', () => {
  it('are found by name, the newest first, or by id', () => {
    expect(findEditions('djim').map(each => each.ruleset)).toEqual(['djim@2026-02', 'djim@2021-07'])
    expect(findEditions('djim@2021-07').map(each => each.valid_to)).toEqual(['2023-02-28'])
    expect(() => findEditions('djim@1999')).toThrow('no ruleset djim@1999')
    expect(() => findEditions('nothing')).toThrow('no ruleset')
  })
  it('list their rows with keys, and sources as their own list names them', () => {
    const [withholding] = findEditions('withholding')
    const row = rowsOf(withholding).find(each => each.at === 'accounts CA tfsa')
    expect(row).toMatchObject({ confidence: 'secondary', valid_to: null })
    expect(row?.sources.some(each => each.startsWith('A2: Canadian MoneySaver, https://'))).toBe(true)
    const counted = JSON.parse(readFileSync(join(folder, 'withholding', '2026-11.json'), 'utf8'))
    expect(rowsOf(withholding)).toHaveLength(1 + counted.countries.length + counted.accounts.length + counted.rules.length)
  })
})
