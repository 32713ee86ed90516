// Adds lines to registers: an import at its sorted place, an entry before the end of a list. Pure, from text to text.
import { Broken } from '#schemas/errors.ts'
import type { Names } from './names.ts'

/** Groups of imports in their order: Node, packages, layers, other folders, this folder. */
const groupOf = (module: string): number =>
  module.startsWith('node:') ? 0 : module.startsWith('#') ? 2 : module.startsWith('../') ? 3 : module.startsWith('./') ? 4 : 1
/** The order of the formatter: by group, then by path without its ending. */
function comesBefore(a: string, b: string): boolean {
  if (groupOf(a) !== groupOf(b)) return groupOf(a) < groupOf(b)
  return a.replace(/\.ts$/, '') < b.replace(/\.ts$/, '')
}

/** The text of `file` with an import statement added. */
export function withImport(text: string, file: string, names: string, module: string): string {
  const statements = [...text.matchAll(/^import\s[^;]*?from '([^']+)'.*\n/gm)]
  const next = statements.find(each => comesBefore(module, each[1] as string))
  const last = statements.at(-1)
  if (!last) throw new Broken(`${file} has no import`, { hint: 'register the new file by hand' })
  const at = next ? next.index : last.index + last[0].length
  return `${text.slice(0, at)}import { ${names} } from '${module}'\n${text.slice(at)}`
}

/** The text of `file` with lines added in front of the first text that `end` matches behind `start`. Throws `Broken` if the list is not found. */
export function withLines(text: string, file: string, lines: string, start: string, end: string): string {
  const from = text.indexOf(start)
  const at = from < 0 ? -1 : text.indexOf(end, from)
  if (at < 0) throw new Broken(`${file}: no "${start.trim()}" that ends with "${end.trim()}" was found`, { hint: 'register the new file by hand' })
  return text.slice(0, at) + lines + text.slice(at)
}

/** Adds the list `name` of a module to a register: its import, and its spread in front of `end` in the list that begins with `start`. */
export const withEntry =
  (name: string, module: string, start: string, end: string) =>
  (text: string, file: string): string =>
    withLines(withImport(text, file, name, module), file, `  ...${name},\n`, start, end)

/** Adds the readers of a new file to the register of readers, in front of those that take what no other reader does. */
export const withReaders = ({ camel, kebab }: Names) => withEntry(`${camel}Readers`, `./${kebab}.ts`, 'export const readers', '  ...barReaders,\n')
