// SQL statements that are files next to the code that runs them.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = new Set<string>()

/** The statements of a folder by their names without `.sql`: read when a module is loaded, so that a missing file is noticed at the start. */
export function sqlIn<N extends string>(folder: string, names: readonly N[]): Readonly<Record<N, string>> {
  const statements = names.map(name => [name, readFileSync(join(folder, `${name}.sql`), 'utf8')] as const)
  for (const [, text] of statements) read.add(text)
  return Object.fromEntries(statements) as Record<N, string>
}

/** A name of the statements that this process has read until now: they are no part of its compiled code. */
export const statementsName = (): string => hash('sha256', [...read].sort().join('\n'), 'base64url')
