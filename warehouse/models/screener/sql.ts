// The statements of this model, by file name.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
const statements = new Map(
  readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => [name.slice(0, -'.sql'.length), readFileSync(join(folder, name), 'utf8')]),
)

export function sqlOf(name: string): string {
  const sql = statements.get(name)
  if (sql === undefined) throw new TypeError(`the screener has no statement ${name}`)
  return sql
}
/** All of them, in the order of their names: their text identifies the model's definition. */
export const allSql = (): string => [...statements].map(([name, sql]) => `${name}\n${sql}`).join('\n')
