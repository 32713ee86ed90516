// SQL statements that are files next to the code that runs them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a statement of a folder by its name without `.sql`: called when a module is loaded. */
export const sqlIn =
  (folder: string) =>
  (name: string): string =>
    readFileSync(join(folder, `${name}.sql`), 'utf8')
