// What `crossfile new` writes: new files, and changes of registers. Nothing is written before everything is known to fit.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BadRequest, Broken } from '#schemas/errors.ts'

export type Skeleton = {
  /** Text by path from the root of the repository. */
  readonly files: Readonly<Record<string, string>>
  /** By path: the new text of a register from its text. */
  readonly changes: Readonly<Record<string, (text: string, file: string) => string>>
}

/** A file of `templates/` with `{{name}}` replaced by the value of that name. Throws `Broken` for a name without a value. */
export function template(name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(import.meta.dirname, 'templates', `${name}.txt`), 'utf8')
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Broken(`template ${name}: no value for ${key}`)
    return value
  })
}

/** Marks a place that a person has to fill in. `fixtures/places.test.ts` lists those that are left. */
export const fillIn = (what: string): string => `${marker} ${what}`
export const marker = 'FILL IN:'

/** Writes a skeleton and returns the paths. Throws `BadRequest`, and writes nothing, if one of the new files exists. */
export function writeSkeleton(root: string, { files, changes }: Skeleton): { readonly written: string[]; readonly changed: string[] } {
  const there = Object.keys(files).filter(file => existsSync(join(root, file)))
  if (there.length > 0)
    throw new BadRequest(`${there.join(', ')} exists already: nothing was written`, { hint: 'choose another name, or remove the file' })
  const changed = Object.entries(changes).map(([file, change]) => [file, change(readFileSync(join(root, file), 'utf8'), file)] as const)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text, { flag: 'wx' })
  }
  for (const [file, text] of changed) writeFileSync(join(root, file), text)
  return { written: Object.keys(files), changed: Object.keys(changes) }
}
