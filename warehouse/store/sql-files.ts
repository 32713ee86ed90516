// SQL statements that are files next to the code that runs them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The statements of a folder by their names without `.sql`: read when a module is loaded, so that a missing file is noticed at the start. */
export function sqlIn<N extends string>(folder: string, names: readonly N[]): Readonly<Record<N, string>> {
  return Object.fromEntries(names.map(name => [name, readFileSync(join(folder, `${name}.sql`), 'utf8')])) as Record<N, string>
}
