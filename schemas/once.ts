// Work that a start must not pay for, or must pay for only once.
import type { z } from 'zod'

/** A value that is made at its first use and then kept. Throws what `make` throws, at each use until it succeeds. */
export function madeOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * `schema.parse` for a value that is parsed once in a process, such as a table of the repository. Zod otherwise compiles a parser for each
 * object first, which pays for repeated parsing only: of the tables it took a seventh of the start of the API. Throws `ZodError`.
 */
export const parseOnce = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => schema.parse(value, { jitless: true })
