// What one command says of itself, and the options that many have.
import type { Options } from '../arguments.ts'

export type Command = {
  readonly summary: string
  readonly usage: readonly string[]
  readonly details?: readonly string[]
  /** What is written behind the name, for commands that have others below them or words of their own. */
  readonly options: Options
  readonly examples: readonly (readonly [command: string, about: string])[]
  readonly exits?: readonly string[]
}

export const json = { about: 'one JSON document on stdout' }
export const noWait = { about: 'send it and return; a worker runs it' }
