/**
 * A search that gives null until its index is complete. `isComplete` is called until it is true once: a complete index stays complete while
 * the process runs.
 */
export function onceComplete<Given extends readonly unknown[], Found>(
  isComplete: () => Promise<boolean>,
  search: (...given: Given) => Promise<Found>,
): (...given: Given) => Promise<Found | null> {
  let complete = false
  return async (...given) => {
    complete ||= await isComplete()
    return complete ? await search(...given) : null
  }
}
