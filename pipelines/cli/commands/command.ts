// The description of one command, and the options that many commands share.
import type { Options } from '../arguments.ts'

export type Command = {
  readonly summary: string
  readonly usage: readonly string[]
  readonly details?: readonly string[]
  /** Follows the name in usage, for commands with subcommands or arguments. */
  readonly options: Options
  readonly examples: readonly (readonly [command: string, about: string])[]
  readonly exits?: readonly string[]
}

export const json = { about: 'one JSON document on stdout' }
export const noWait = { about: 'queue it and return; a worker runs it' }
