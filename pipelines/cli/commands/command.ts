// The description of one command, and the options that many commands share.
import type { Options } from '../arguments.ts'

/** A command line, with a remark if it needs one. */
type Example = string | readonly [command: string, about: string]

export type Command = {
  readonly summary: string
  readonly usage: readonly string[]
  readonly details?: readonly string[]
  /** Follows the name in usage, for commands with subcommands or arguments. */
  readonly options: Options
  readonly examples: readonly Example[]
  readonly exits?: readonly string[]
}

/** An option that takes a value; help shows `value` as its placeholder. */
export const valued = (value: string, about: string) => ({ value, about })
/** An option that takes a value and may be given several times. */
export const repeated = (value: string, about: string) => ({ value, about, many: true }) as const
/** A switch. */
export const flag = (about: string) => ({ about })

export const json = flag('one JSON document on stdout')
export const noWait = flag('queue it and return; a worker runs it')

/** Options and example of a command that only groups others: the example shows the help of one of them. */
export const group = (member: string) => ({ options: {}, examples: [[`crossfile help ${member}`, 'its options']] }) as const
