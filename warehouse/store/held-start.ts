// A program of `crossfile start` that is loaded before it may begin. Loading the modules of the worker or the API takes a second and needs
// neither the database nor the settings, so it happens while another program prepares the start.

/** The argument with which the supervisor starts such a program. */
export const heldArgument = 'held'

/** The message that releases it, with variables of the environment that were not known when it was started. */
export type Release = { readonly release: true; readonly environment: Readonly<Record<string, string>> }

/** Returns immediately, unless the program was started with `heldArgument`: then it waits for the supervisor, and sets what that sends. */
export async function untilReleased(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  if (!args.includes(heldArgument)) return
  const { environment } = await new Promise<Release>(resolve => process.once('message', message => resolve(message as Release)))
  Object.assign(process.env, environment)
}
