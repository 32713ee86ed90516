// Binary search in lists that are in order.

/** The place of the first of `count` places for which `isBefore` is false, if it is true for all places in front; `count` if there is none. */
export function firstPlace(count: number, isBefore: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
