// What an operation refused, as faults of a form.
import { BadRequest, CrossfileError, TooMany } from '#schemas/errors.ts'
import { sentence } from './pages/words.ts'

/** The faults by field; under '' what belongs to none of `fields`. Throws if the error page can explain the error better. */
export function faultsOf(error: unknown, fields: readonly string[]): Readonly<Record<string, string>> {
  if (error instanceof TooMany) return { '': `Too many attempts failed. Try again in ${error.retryAfterSeconds} seconds.` }
  if (error instanceof BadRequest && error.items) {
    const named = error.items.map(({ loc, msg }) => [fields.find(field => field === loc[1]) ?? '', sentence(msg)] as const)
    return Object.fromEntries(named)
  }
  if (error instanceof CrossfileError && (error.status < 500 || error.status === 503)) return { '': sentence(error.message) }
  throw error
}
