// Boxes of a cover page as filers tick them: [X], |_|, ☒, and letters of the Wingdings fonts, whose shape the text does not keep.

export type Box = { readonly ticked: boolean; readonly start: number; readonly end: number }

/** Letters only: `o`, `q` and `¨` are empty boxes in Wingdings, `x`, `þ`, `ý` ticked ones; `£` is an empty one in Wingdings 2. */
const box =
  /\[[\s_]{0,6}([xX✓✔√*])[\s_]{0,6}\]|\[[\s_]{0,8}\]|\|[\s_]{0,4}([xX])[\s_]{0,4}\||\|[\s_]{1,6}\||\/[\s_]{0,3}([xX])[\s_]{0,3}\/|\/[\s_]{1,4}\/|\([\s_]{0,4}([X✓✔√])[\s_]{0,4}\)|\([\s_]{0,6}\)|([☒☑✓✔✗✘🗹⊠■þý√])|([☐□❑❒¨¨£])|(?<![\w.'’-])_{0,6}([xX])_{0,6}(?![\w'’])|(?<![\w.'’-])([oq])(?![\w'’-])|(?<![\w])_{2,12}(?!\w)/gu

/** Every box of a short text, in its order. */
export function boxesIn(text: string): Box[] {
  return [...text.matchAll(box)].map(match => ({
    ticked: [match[1], match[2], match[3], match[4], match[5], match[7]].some(part => part !== undefined),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** Which of some marked places are ticked: by their line if each box has its own line, else by the side that all boxes are on. */
export function tickedOf<T>(
  text: string,
  places: readonly { readonly name: T; readonly start: number; readonly end: number }[],
): { name: T; box: Box }[] {
  const [first] = places
  const last = places.at(-1)
  if (first === undefined || last === undefined) return []
  const boxes = boxesIn(text).filter(each => !places.some(place => each.start >= place.start && each.end <= place.end))
  const alone = boxes
    .filter(each => each.ticked)
    .map(each => ({
      box: each,
      near: places.filter(place => !text.slice(Math.min(each.start, place.start), Math.max(each.end, place.end)).includes('\n')),
    }))
  if (alone.every(each => each.near.length === 1)) return alone.flatMap(({ box: own, near }) => near.map(place => ({ name: place.name, box: own })))
  const before = boxes.some(each => each.end <= first.start && !text.slice(each.end, first.start).includes('\n\n'))
  const behind = boxes.some(each => each.start >= last.end)
  const ahead = before && (!behind || boxes.filter(each => each.end <= last.start).length >= places.length)
  return places.flatMap((place, at) => {
    const from = ahead ? (places[at - 1]?.end ?? 0) : place.end
    const to = ahead ? place.start : (places[at + 1]?.start ?? text.length)
    const own = boxes.filter(each => each.start >= from && each.end <= to)
    const nearest = ahead ? own.at(-1) : own[0]
    return nearest?.ticked ? [{ name: place.name, box: nearest }] : []
  })
}
