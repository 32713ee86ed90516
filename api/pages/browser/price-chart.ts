// Prices as candles or a line, volume, and marks. Pointer and arrow keys move over the points; the line below reads out point and marks.
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { colourOf, figuresOf, grouped, onScheme, type Parts, smallText, timeText } from './figure.ts'

type Mark = { readonly time: string; readonly kind: string; readonly letter: string; readonly title: string; readonly text: string }
/** One value for each time; null: none is known. */
type Column = readonly (number | null)[]
type Data = {
  readonly style: 'candles' | 'line'
  readonly currency: string
  readonly times: readonly string[]
  readonly open: Column
  readonly high: Column
  readonly low: Column
  readonly close: readonly number[]
  readonly volume: Column
  readonly marks: readonly Mark[]
}

/** The chart counts seconds as UTC; days are passed as their text. */
const chartTime = (time: string): Time => (time.length === 10 ? time : ((Date.parse(time) / 1000) as UTCTimestamp))

function draw({ figure, box, readout, data }: Parts<Data>): void {
  const { times, open, high, low, close, volume, marks, style } = data
  const canvas = document.createElement('div')
  canvas.className = 'chart-canvas'
  box.append(canvas)
  const least = Math.min(...close)
  const precision = least < 1 ? 4 : 2
  const chart: IChartApi = createChart(canvas, {
    autoSize: true,
    // The attribution is a link in the footer of every page: the library's own adds a style element, which the policy of the page refuses.
    layout: { attributionLogo: false, background: { color: 'transparent' } },
    handleScroll: { mouseWheel: false, pressedMouseMove: true, horzTouchDrag: true, vertTouchDrag: false },
    handleScale: { mouseWheel: false, pinch: true, axisPressedMouseMove: true },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.24 } },
    timeScale: { borderVisible: false, timeVisible: times[0]?.length !== 10, fixLeftEdge: true, fixRightEdge: true },
  })
  const priceFormat = { type: 'price', precision, minMove: 10 ** -precision } as const
  const prices: ISeriesApi<'Candlestick'> | ISeriesApi<'Line'> =
    style === 'candles'
      ? chart.addSeries(CandlestickSeries, { priceFormat, borderVisible: false, priceLineVisible: false })
      : chart.addSeries(LineSeries, { priceFormat, lineWidth: 2, priceLineVisible: false })
  const points = times.map((time, at) =>
    style === 'candles'
      ? { time: chartTime(time), open: open[at] ?? close[at]!, high: high[at] ?? close[at]!, low: low[at] ?? close[at]!, close: close[at]! }
      : { time: chartTime(time), value: close[at]! },
  )
  ;(prices as ISeriesApi<'Candlestick'>).setData(points as Parameters<ISeriesApi<'Candlestick'>['setData']>[0])
  const bars = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    priceLineVisible: false,
    lastValueVisible: false,
  })
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  const markers = createSeriesMarkers(prices as ISeriesApi<'Candlestick'>, [])
  const tone = (kind: string): string =>
    kind === 'buy' ? 'up' : kind === 'sell' ? 'down' : kind === 'split' ? 'mark-split' : kind === 'dividend' ? 'mark-dividend' : 'mark-other'

  const paint = (): void => {
    const colour = (name: string): string => colourOf(name, figure)
    const [ink, soft, line, up, down, accent] = ['ink', 'soft', 'line', 'up', 'down', 'link'].map(colour)
    chart.applyOptions({
      layout: { textColor: soft!, fontFamily: getComputedStyle(figure).fontFamily, fontSize: smallText() },
      grid: { vertLines: { visible: false }, horzLines: { color: line! } },
      crosshair: { vertLine: { color: soft!, labelBackgroundColor: ink! }, horzLine: { color: soft!, labelBackgroundColor: ink! } },
    })
    if (style === 'candles')
      (prices as ISeriesApi<'Candlestick'>).applyOptions({ upColor: up!, downColor: down!, wickUpColor: up!, wickDownColor: down! })
    else (prices as ISeriesApi<'Line'>).applyOptions({ color: accent! })
    bars.setData(
      times.flatMap((time, at) => {
        const value = volume[at]
        return value === null || value === undefined ? [] : [{ time: chartTime(time), value, color: colour('volume') }]
      }),
    )
    markers.setMarkers(
      marks.map(
        (mark): SeriesMarker<Time> => ({
          time: chartTime(mark.time),
          position: mark.kind === 'sell' || mark.kind === 'filing' || mark.kind === 'report' ? 'aboveBar' : 'belowBar',
          shape: mark.kind === 'buy' ? 'arrowUp' : mark.kind === 'sell' ? 'arrowDown' : mark.kind === 'split' ? 'square' : 'circle',
          color: colour(tone(mark.kind)),
          // The arrow of a trade states its direction.
          text: mark.kind === 'buy' || mark.kind === 'sell' ? '' : mark.letter,
          size: 1,
        }),
      ),
    )
  }
  paint()
  onScheme(paint)
  chart.timeScale().fitContent()
  box.classList.add('drawn')

  const tip = document.createElement('div')
  tip.className = 'chart-tip'
  tip.hidden = true
  box.append(tip)
  const number = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : grouped(value, precision === 4 ? 4 : 2, 2)
  const describe = (at: number): string[] => {
    const line = `${timeText(times[at]!)}  Open ${number(open[at])}  High ${number(high[at])}  Low ${number(low[at])}  Close ${number(close[at])} ${data.currency}`
    const held = volume[at]
    return [
      `${line}${held === null || held === undefined ? '' : `  Volume ${grouped(held, 0)}`}`,
      ...marks.filter(({ time }) => time === times[at]).map(({ text }) => text),
    ]
  }
  const show = (at: number | null, x: number): void => {
    if (at === null) {
      tip.hidden = true
      readout.replaceChildren()
      return
    }
    const [line = '', ...further] = describe(at)
    readout.replaceChildren(line)
    tip.replaceChildren(...further.map(text => Object.assign(document.createElement('p'), { textContent: text })))
    tip.hidden = further.length === 0
    const right = x > box.clientWidth / 2
    tip.style.left = right ? 'auto' : `${x + 14}px`
    tip.style.right = right ? `${box.clientWidth - x + 14}px` : 'auto'
  }
  let chosen = times.length
  chart.subscribeCrosshairMove(({ logical, point }) => {
    const at = logical === undefined ? null : Math.max(0, Math.min(times.length - 1, Math.round(logical)))
    if (at !== null && point) chosen = at
    show(point ? at : null, point?.x ?? 0)
  })
  box.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -times.length, End: times.length }[event.key]
    if (event.key === 'Escape') {
      chart.clearCrosshairPosition()
      show(null, 0)
    }
    if (step === undefined) return
    event.preventDefault()
    chosen = Math.max(0, Math.min(times.length - 1, chosen + step))
    const time = chartTime(times[chosen]!)
    chart.setCrosshairPosition(close[chosen]!, time, prices as ISeriesApi<'Line'>)
    show(chosen, chart.timeScale().timeToCoordinate(time) ?? 0)
  })
}

for (const parts of figuresOf<Data>('price')) draw(parts)
