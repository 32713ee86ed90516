// The output of the PDF library for a page, in the coordinates of this folder: points from the top left corner of the page.

/** A sequence of characters that the file draws together. */
export type Run = {
  readonly text: string
  /** Left end of the baseline. */
  readonly x: number
  /** Of the baseline, downwards from the top. */
  readonly y: number
  readonly width: number
  readonly size: number
  readonly bold: boolean
  /** Degrees, 0 to 359; 0 is upright. */
  readonly angle: number
}
export type DrawnPage = {
  readonly page: number
  readonly width: number
  readonly height: number
  readonly runs: readonly Run[]
  readonly hasImages: boolean
  /** Why the page cannot be read; null: it was read. */
  readonly fault: string | null
}
export type DrawnDocument = {
  readonly pdf_version: string | null
  readonly title: string | null
  readonly scripts: boolean
  readonly pages: readonly DrawnPage[]
}

/** The page rotated so that most of its characters are upright: wide tables are often printed sideways. */
export function upright(drawn: DrawnPage): DrawnPage {
  const counts = new Map<number, number>()
  for (const { angle, text } of drawn.runs) counts.set(angle, (counts.get(angle) ?? 0) + text.length)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const turn = [90, 180, 270].find(angle => (counts.get(angle) ?? 0) > 0.6 * all)
  if (turn === undefined) return drawn
  const { width, height } = drawn
  const place = ({ x, y }: Run): { x: number; y: number } =>
    turn === 90 ? { x: y, y: width - x } : turn === 180 ? { x: width - x, y: height - y } : { x: height - y, y: x }
  const runs = drawn.runs.map(run => ({ ...run, ...place(run), angle: (run.angle - turn + 360) % 360 }))
  return { ...drawn, width: turn === 180 ? width : height, height: turn === 180 ? height : width, runs }
}
