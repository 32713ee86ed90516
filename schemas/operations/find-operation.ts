// Finds the operation of a method and a URL, as in a receipt's subject or a stored request.

type Addressed = { readonly method: string; readonly path: string }

/** The operation of `GET /api/v1/market/eod/AAPL` in a table, with the parameters in its path; null if none matches. */
export function requestedOperation<O extends Addressed>(
  table: readonly O[],
  name: string,
): { readonly operation: O; readonly parameters: Readonly<Record<string, string>> } | null {
  const [method, path = ''] = name.split(' ', 2)
  for (const operation of table) {
    if (operation.method !== method) continue
    const match = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)
    if (match)
      return { operation, parameters: Object.fromEntries(Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)])) }
  }
  return null
}
