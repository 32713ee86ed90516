/** Slices of at most `size` items, in order: a statement has one parameter per value, and Postgres takes 65,535 of them. */
export function* slicesOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}
