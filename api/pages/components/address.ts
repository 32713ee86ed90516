/** The members that have a value. */
export const given = <T extends object>(members: T): Given<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>
type Given<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Links of a page to itself: its path with the filters that are set, and with the parameters that a link changes or adds. */
export function addressOf(
  path: string,
  filters: Readonly<Record<string, string | undefined>>,
): (changed: Readonly<Record<string, string>>) => string {
  const set = given(filters)
  return changed => `${path}?${new URLSearchParams({ ...set, ...changed } as Record<string, string>)}`
}
