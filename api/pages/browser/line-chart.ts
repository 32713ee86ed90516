// Lines or bars of one or more series over days or named periods.
import uPlot from 'uplot'
import { colourOf, figuresOf, grouped, onScheme, type Parts, smallText, timeText } from './figure.ts'

type Data = {
  readonly style: 'line' | 'bars'
  readonly unit: string
  readonly decimals: number
  readonly times: readonly string[]
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

/** A value with its magnitude as a letter. */
function shortOf(value: number, decimals: number): string {
  const size = Math.abs(value)
  const [scale, letter] = size >= 1e12 ? [1e12, 'T'] : size >= 1e9 ? [1e9, 'B'] : size >= 1e6 ? [1e6, 'M'] : [1, '']
  return `${grouped(value / (scale as number), scale === 1 ? decimals : 2)}${letter}`
}

function draw({ figure, box, readout, data }: Parts<Data>): void {
  const { times, series, style, unit, decimals } = data
  const days = times.every(time => /^\d{4}-\d\d-\d\d/.test(time)) && style === 'line'
  // Periods with names are placed at whole numbers.
  const xs = days ? times.map(time => Date.parse(time) / 1000) : times.map((_, at) => at)
  const canvas = document.createElement('div')
  canvas.className = 'chart-canvas'
  box.append(canvas)
  let plot: uPlot | null = null
  const short = (value: number): string => shortOf(value, decimals)
  const say = (at: number | null | undefined): void => {
    if (at === null || at === undefined) {
      readout.replaceChildren()
      return
    }
    const values = series.map(({ label, values: each }) => {
      const value = each[at]
      return `${series.length > 1 ? `${label} ` : ''}${value === null || value === undefined ? 'not known' : `${short(value)} ${unit}`}`
    })
    readout.replaceChildren(`${timeText(times[at] ?? '')}  ${values.join('  ')}`)
  }
  const paint = (): void => {
    plot?.destroy()
    const colour = (name: string): string => colourOf(name, figure)
    const [soft, line] = [colour('soft'), colour('line')]
    const font = `${smallText()}px ${getComputedStyle(figure).fontFamily}`
    const axis = { stroke: soft, font, grid: { stroke: line, width: 1 }, ticks: { show: false } }
    // Two series are side by side; one is on its period.
    const barsOf = (at: number): uPlot.Series.PathBuilder | undefined =>
      uPlot.paths.bars?.({ size: [series.length > 1 ? 0.34 : 0.5, 56], align: series.length > 1 ? (at === 0 ? -1 : 1) : 0 })
    const point = (at: number): string => colour(`series-${(at % 5) + 1}`)
    plot = new uPlot(
      {
        width: box.clientWidth,
        height: box.clientHeight,
        ms: 1e-3,
        tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: { time: days, range: days || xs.length === 0 ? undefined : [-0.5, xs.length - 0.5] },
          y: { range: (_plot, low, high) => rangeOf(low ?? 0, high ?? 0, style) },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            ...(days ? {} : { splits: each => placesOf(times, each.width), values: (_plot, splits) => splits.map(at => times[at] ?? '') }),
          },
          { ...axis, size: smallText() * 5, values: (_plot, splits) => splits.map(short) },
        ],
        series: [
          {},
          ...series.map(({ label }, at) => ({
            label,
            stroke: point(at),
            width: 2,
            spanGaps: false,
            points: { show: times.length < 12 },
            ...(style === 'bars' ? { paths: barsOf(at), fill: point(at), points: { show: false } } : {}),
          })),
        ],
        hooks: { setCursor: [each => say(each.cursor.idx)] },
      },
      [xs, ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
      canvas,
    )
    box.classList.add('drawn')
  }
  paint()
  onScheme(paint)
  new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height: box.clientHeight })).observe(box)

  let chosen = times.length
  box.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -times.length, End: times.length }[event.key]
    if (step === undefined || !plot) return
    event.preventDefault()
    chosen = Math.max(0, Math.min(times.length - 1, chosen + step))
    plot.setCursor({ left: plot.valToPos(xs[chosen] ?? 0, 'x'), top: 0 })
    say(chosen)
  })
}

/** The periods whose names fit next to each other on an axis of this width, the last one among them. */
function placesOf(times: readonly string[], width: number): number[] {
  const longest = Math.max(...times.map(time => time.length)) * smallText() * 0.65 + 16
  const every = Math.max(1, Math.ceil((times.length * longest) / width))
  return times.map((_, at) => at).filter(at => (times.length - 1 - at) % every === 0)
}

/** Bars start at zero; lines leave a margin. */
function rangeOf(low: number, high: number, style: 'line' | 'bars'): [number, number] {
  if (style === 'bars') return [Math.min(0, low) * 1.08, Math.max(0, high) * 1.08 || 1]
  const margin = (high - low || Math.abs(high) || 1) * 0.08
  return [low - margin, high + margin]
}

for (const parts of figuresOf<Data>('line')) draw(parts)
