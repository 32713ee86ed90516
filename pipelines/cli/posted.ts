// Maps options of a command to the request body of its operation: reads numbers, checks the body, and reports errors by option.
import { BadRequest } from '#schemas/errors.ts'
import { decimalText } from '#schemas/values.ts'

type Schema<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly { path: PropertyKey[]; message: string }[] } }
}

/**
 * `options`: the option that sets a member of the body, by the member; in capitals, a positional argument. `hintText`: rewrites a hint of
 * the API in terms of the command line.
 */
export function postedBy(command: string, options: Readonly<Record<string, string>>, hintText = (text: string): string => text) {
  const shown = (option: string): string => (/^[A-Z]/.test(option) ? option : `--${option}`)
  const refuse = (option: string, fault: string, hint = `crossfile help ${command}`, cause?: unknown): BadRequest =>
    new BadRequest(`${command}: ${shown(option)}${fault === '' ? '' : `: ${fault}`}`, { hint, ...(cause === undefined ? {} : { cause }) })
  const inText = (text: string): string =>
    text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, word => (options[word] === undefined ? word : shown(options[word])))
  /** Turns an error about members of the body into one about options; returns any other error unchanged. */
  function renamed(error: unknown): unknown {
    if (!(error instanceof BadRequest)) return error
    const [, member = '', fault = ''] = /^(\w+): (.*)$/s.exec(error.message) ?? []
    const option = options[member]
    const hint = error.hint === undefined ? undefined : hintText(inText(member === '' ? error.hint : error.hint.replace(`${member}: `, '')))
    if (option !== undefined) return refuse(option, hintText(fault), hint, error)
    const message = inText(error.message)
    return message === error.message ? error : new BadRequest(`${command}: ${message}`, { hint: hint ?? `crossfile help ${command}`, cause: error })
  }
  return {
    /** A number with or without thousands commas; undefined if the option is absent. Throws `BadRequest` that names it. */
    number(option: string, text: string | undefined): number | undefined {
      if (text === undefined) return undefined
      const decimal = decimalText(text)
      if (decimal === null) throw refuse(option, `${JSON.stringify(text.slice(0, 60))} is not a number such as 10000 or 1.25`)
      return Number(decimal)
    },
    /** The body of the given members; throws `BadRequest` that names the option of the first fault. */
    checked<T>(schema: Schema<T>, members: Readonly<Record<string, unknown>>): T {
      const read = schema.safeParse(Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)))
      if (read.success) return read.data
      const [issue] = read.error.issues
      const member = String(issue?.path[0] ?? '')
      throw refuse(options[member] ?? member, members[member] === undefined ? 'is missing' : (issue?.message ?? ''))
    },
    /** Runs, and names the option if a member of the body is refused. */
    naming<T>(run: () => T): T {
      try {
        return run()
      } catch (error) {
        throw renamed(error)
      }
    },
    /** As `naming`, for what takes time. */
    async namingLater<T>(run: () => Promise<T>): Promise<T> {
      try {
        return await run()
      } catch (error) {
        throw renamed(error)
      }
    },
  }
}
