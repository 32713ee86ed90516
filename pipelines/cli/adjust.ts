// `crossfile adjust`: adjusts one symbol's bars by an action file and prints the series, or compares it with an expected one.
// The action file is the truth here: nothing is held back, and what looks doubtful is said on stderr.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { IsoDate, plainDecimal } from '#schemas/values.ts'
import { type Convention, conventions } from '#warehouse/prices/actions.ts'
import { type AdjustMode, adjustBars, deriveFactors, type Ohlcv } from '#warehouse/prices/adjust.ts'
import { pricesOf } from '#warehouse/prices/closes.ts'
import { fxLookup, type RateRow } from '#warehouse/prices/fx.ts'
import { judgeActions } from '#warehouse/prices/judge.ts'
import { type ActionRow, type BarFile, readActions, readBars, readExpected, readRates } from '../bars/adjust-files.ts'
import { stem } from '../bars/body.ts'
import { currencyOf } from '../bars/cells.ts'
import { bankOfCanadaReader } from '../fx/bank-of-canada.ts'

export type AdjustIo = { readonly out: (line: string) => void; readonly err: (line: string) => void }

const usage =
  'crossfile adjust --bars F.csv --actions F.csv [--expected F.csv [--tolerance 1e-4]] [--convention NAME] [--adjust all|split|none] [--as-of DATE] [--currency CAD] [--fx RATES] [--amount-basis post_split|pre_split] [--exclude-spinoffs] [--json]'
const aliases: Readonly<Record<string, Convention>> = {
  yahoo: 'yahoo_crsp',
  crsp: 'yahoo_crsp',
  default: 'yahoo_crsp',
  lean: 'yahoo_crsp',
  quandl: 'quandl_wiki',
  wiki: 'quandl_wiki',
  split: 'split_only',
  splits: 'split_only',
}

/**
 * Prints CSV, or with `--expected` the worst relative difference and its day. Returns 0; 1 where an expected day has no bar
 * or a difference is above `--tolerance`; 2 for input that cannot be read, with the file, the line and what to change.
 */
export async function adjust(argv: readonly string[], io: AdjustIo): Promise<number> {
  try {
    return run(optionsOf(argv), io)
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    io.err(`crossfile adjust: ${error.message}`)
    if (error.hint) io.err(`  ${error.hint}`)
    return 2
  }
}

type Options = {
  readonly bars: string
  readonly actions: string
  readonly expected: string | null
  readonly tolerance: number | null
  readonly convention: Convention
  readonly mode: AdjustMode
  readonly asOf: string | null
  readonly currency: string | null
  readonly fx: string | null
  readonly basis: 'post_split' | 'pre_split'
  readonly excludeSpinoffs: boolean
  readonly json: boolean
}

function optionsOf(argv: readonly string[]): Options {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const options = {
    bars: text,
    actions: text,
    expected: text,
    tolerance: text,
    convention: text,
    adjust: text,
    'as-of': text,
    currency: text,
    fx: text,
    'amount-basis': text,
    'exclude-spinoffs': flag,
    json: flag,
  }
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (cause) {
    throw new BadRequest(cause instanceof Error ? cause.message : 'the arguments cannot be read', { hint: usage, cause })
  }
  if (values.bars === undefined || values.actions === undefined) throw new BadRequest('--bars and --actions are both needed', { hint: usage })
  const name = (values.convention ?? 'yahoo_crsp').toLowerCase().replaceAll('-', '_')
  const convention = aliases[name] ?? conventions.find(known => known === name)
  if (convention === undefined)
    throw new BadRequest(`--convention ${values.convention}: no such convention`, { hint: `known: ${conventions.join(', ')}` })
  const oneOf = <T extends string>(option: string, value: string | undefined, known: readonly [T, ...T[]]): T => {
    const found = value === undefined ? known[0] : known.find(item => item === value)
    if (found === undefined) throw new BadRequest(`--${option} ${value} is not known`, { hint: `one of ${known.join(', ')}` })
    return found
  }
  const tolerance = values.tolerance === undefined ? null : Number(values.tolerance)
  if (tolerance !== null && !(tolerance >= 0))
    throw new BadRequest(`--tolerance ${values.tolerance} is no number of 0 or more`, { hint: 'e.g. --tolerance 1e-4' })
  if (values['as-of'] !== undefined && !IsoDate.safeParse(values['as-of']).success)
    throw new BadRequest(`--as-of ${values['as-of']} is no day`, { hint: 'write YYYY-MM-DD' })
  if (values.currency !== undefined && !/^[A-Z]{3}$/.test(values.currency))
    throw new BadRequest(`--currency ${values.currency} is no currency`, { hint: 'e.g. --currency CAD' })
  return {
    bars: values.bars,
    actions: values.actions,
    expected: values.expected ?? null,
    tolerance,
    convention,
    mode: oneOf<AdjustMode>('adjust', values.adjust, ['all', 'split', 'none']),
    asOf: values['as-of'] ?? null,
    currency: values.currency ?? null,
    fx: values.fx ?? null,
    basis: oneOf('amount-basis', values['amount-basis'], ['post_split', 'pre_split']),
    excludeSpinoffs: values['exclude-spinoffs'],
    json: values.json,
  }
}

function fileText(option: string, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (cause) {
    const why = cause instanceof TypeError ? 'is not UTF-8 text' : 'cannot be read'
    throw new BadRequest(`--${option} ${path} ${why}`, { hint: cause instanceof TypeError ? 'save it as UTF-8' : 'check the path', cause })
  }
}

function run(options: Options, io: AdjustIo): number {
  const file = readBars(options.bars, fileText('bars', options.bars))
  const { actions, notes } = readActions(options.actions, fileText('actions', options.actions), symbolOf(options.bars), options.basis)
  const rates = options.fx === null ? [] : ratesOf(options.fx)
  const currency = options.currency ?? priceCurrency(options.bars, file, actions)
  const traded = file.bars.filter(bar => bar.close !== null)
  const asOf = options.asOf ?? traded.at(-1)!.date
  const context = { symbol: symbolOf(options.bars), currency, prices: pricesOf(file.bars), fx: fxLookup(rates), asOf }
  const { factors, unapplied } = deriveFactors(actions, { ...context, convention: options.convention })
  const series = adjustBars(file.bars, factors, options.mode, { asOf, excludeSpinoffs: options.excludeSpinoffs })

  const lineOf = (action: { readonly sequence: number }): string => `${options.actions} line ${action.sequence}`
  const told = [
    ...file.notes.map(note => ({ ...note, where: `${options.bars} line ${note.line}`, applied: false })),
    ...notes.map(note => ({ ...note, where: `${options.actions} line ${note.line}`, applied: false })),
    ...unapplied.map(({ action, reason, detail }) => ({ where: lineOf(action), reason, detail, applied: false })),
    ...doubts(actions, context, new Set(unapplied.map(({ action }) => action.sequence))).map(({ action, reason, detail }) => ({
      where: lineOf(action),
      reason,
      detail,
      applied: true,
    })),
  ].map(({ where, reason, detail, applied }) => ({ where, reason, detail, applied }))
  for (const { where, reason, detail, applied } of told) io.err(`${where}: ${reason}: ${detail}${applied ? '; applied all the same' : ''}`)

  const summary = {
    convention: options.convention,
    adjust: options.mode,
    currency,
    as_of: asOf,
    bars: file.bars.length,
    actions: actions.length,
    ex_dates: factors.length,
    notes: told,
  }
  if (options.expected !== null) return compare(options, series, summary, io)
  if (options.json) io.out(JSON.stringify({ ...summary, factors, rows: series.map(rowOf) }))
  else {
    io.out('date,adjusted_close,adjusted_open,adjusted_high,adjusted_low,adjusted_volume,close,factor')
    const raw = new Map(file.bars.map(bar => [bar.date, bar.close]))
    for (const bar of series) {
      const cells = [bar.close, bar.open, bar.high, bar.low, bar.volume, raw.get(bar.date) ?? null, bar.factor]
      io.out([bar.date, ...cells.map(value => (value === null ? '' : plainDecimal(value)))].join(','))
    }
  }
  return 0
}

const rowOf = (bar: Ohlcv & { readonly factor: number }) => ({
  date: bar.date,
  adjusted_close: bar.close,
  adjusted_open: bar.open,
  adjusted_high: bar.high,
  adjusted_low: bar.low,
  adjusted_volume: bar.volume,
  factor: bar.factor,
})

/** The canonical symbol in the bars' file name where there is one; only used in messages and for the currency. */
function symbolOf(path: string): string {
  return parseSymbol(stem(path.replaceAll('\\', '/')))?.symbol ?? 'BARS'
}

/** The currency of the prices: the bars' own column, else the listing's in the file name, else the only one that the actions name. */
function priceCurrency(path: string, file: BarFile, actions: readonly ActionRow[]): string {
  if (file.currency !== null) return file.currency
  const symbol = symbolOf(path)
  if (/\.(?:TO|V)$/.test(symbol)) return currencyOf(symbol)
  const named = new Map<string, number>()
  for (const { currency } of actions) if (currency !== null) named.set(currency, (named.get(currency) ?? 0) + 1)
  return [...named].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? 'USD'
}

function ratesOf(path: string): RateRow[] {
  const text = fileText('fx', path)
  if (!/^\s*\{/.test(text)) return readRates(path, text)
  const body = new TextEncoder().encode(text)
  const parsed = bankOfCanadaReader.parse({
    sha256: '',
    source: 'bank-of-canada',
    url: `file:${path}`,
    retrieved_at: '',
    status: 200,
    headers: {},
    body,
  })
  return [...(parsed.facts.fx_rates ?? [])]
}

/** What the warehouse would have asked about: said, not acted upon. A second source cannot be had from one file. */
function doubts(
  actions: readonly ActionRow[],
  context: { currency: string; prices: ReturnType<typeof pricesOf>; fx: ReturnType<typeof fxLookup>; asOf: string },
  left: ReadonlySet<number>,
) {
  const applied = actions.filter(action => !left.has(action.sequence))
  const { held, ignored } = judgeActions(applied, { ...context, decisions: new Map() })
  const listed = [...held, ...ignored].filter(({ reason }) => reason !== 'needs_second_source')
  return listed.map(({ action, reason, detail }) => ({ action, reason, detail }))
}

function compare(options: Options, series: readonly (Ohlcv & { readonly factor: number })[], summary: object, io: AdjustIo): number {
  const path = options.expected!
  const { closes, notes } = readExpected(path, fileText('expected', path))
  if (closes.size === 0) throw new BadRequest(`${path}: no row has an adjusted close`, { hint: 'expected the header date,adjusted_close' })
  const ours = new Map(series.map(bar => [bar.date, bar.close]))
  const missing: string[] = []
  let compared = 0
  let worst: { date: string; adjusted_close: number; expected: number; relative_difference: number } | null = null
  for (const [date, expected] of [...closes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const close = ours.get(date) ?? null
    if (close === null) {
      missing.push(date)
      continue
    }
    compared += 1
    const difference = expected === close ? 0 : Math.abs(close - expected) / Math.abs(expected)
    if (worst === null || difference > worst.relative_difference) worst = { date, adjusted_close: close, expected, relative_difference: difference }
  }
  const tooFar = options.tolerance !== null && worst !== null && !(worst.relative_difference <= options.tolerance)
  const equal = missing.length === 0 && !tooFar
  if (options.json)
    io.out(JSON.stringify({ ...summary, worst, compared, missing, without_expected: notes.length, tolerance: options.tolerance, ok: equal }))
  else {
    if (worst)
      io.out(
        `worst relative difference ${worst.relative_difference.toExponential(3)} on ${worst.date}: ${plainDecimal(worst.adjusted_close)} against ${plainDecimal(worst.expected)}`,
      )
    io.out(
      `${compared} days compared, ${missing.length} expected days without a bar${missing.length > 0 ? `: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''}` : ''}`,
    )
    if (tooFar) io.err(`above the tolerance of ${options.tolerance}`)
  }
  return equal ? 0 : 1
}
