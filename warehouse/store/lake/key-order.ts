// The order of keys in sorted files. JavaScript compares texts by their units of UTF-16, DuckDB by bytes of UTF-8.

/** Negative, 0 or positive, as `one` is before, equal to or after `other` in the order of DuckDB. */
export const compareKeys = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))
