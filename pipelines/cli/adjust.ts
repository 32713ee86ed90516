// `crossfile adjust`: adjusts one symbol's bars by an action file and prints the series, or compares it with an expected one.
// The action file is taken as correct: nothing is held back, and doubtful actions are reported on stderr.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { plainDecimal } from '#schemas/values.ts'
import { type Convention, conventions } from '#warehouse/datasets/prices/actions.ts'
import { type AdjustMode, adjustBars, deriveFactors, type Ohlcv } from '#warehouse/datasets/prices/adjust.ts'
import { gapsOf, reportedGap } from '#warehouse/datasets/prices/cadence.ts'
import { pricesOf } from '#warehouse/datasets/prices/closes.ts'
import { evaluateActions } from '#warehouse/datasets/prices/evaluate-actions.ts'
import { fxLookup, type RateRow } from '#warehouse/datasets/prices/fx.ts'
import { dayOf } from '../jobs/backfill/arguments.ts'
import { stem } from '../read/csv/body.ts'
import { currencyOf } from '../read/csv/cells.ts'
import { bankOfCanadaReader } from '../read/fx/bank-of-canada.ts'
import { vendorActions, vendorBars, vendorExpected } from './adjust/adjust-documents.ts'
import { type ActionRow, type BarFile, type Note, readActions, readBars, readExpected, readRates, unnamed } from './adjust/adjust-files.ts'
import { type Closes, compare } from './adjust-compare.ts'

export type AdjustIo = { readonly out: (line: string) => void; readonly err: (line: string) => void }

const usage =
  'crossfile adjust --bars FILE --actions FILE [--actions FILE] [--symbol RY.TO] [--expected FILE [--tolerance 1e-4|yahoo|lean|wiki|eodhd|exact]] [--convention NAME] [--adjust all|split|none] [--as-of DATE] [--currency CAD] [--fx RATES] [--amount-basis post_split|pre_split] [--exclude-spinoffs] [--json]'
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

/** How far each vendor's adjusted column may differ from the exact one: printed digits, 32-bit floats. */
const tolerances: Readonly<Record<string, number>> = { exact: 1e-12, wiki: 1e-10, quandl: 1e-10, lean: 1e-5, yahoo: 5e-6, eodhd: 5e-5 }

/**
 * Files are CSV tables or documents as EODHD, Tiingo, Polygon, Yahoo, Alpha Vantage, Quandl, Lean and TMX send them.
 * Prints CSV, or with `--expected` the worst relative difference and its day. Returns 0; 1 if an expected day has no bar
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
  readonly actions: readonly string[]
  readonly symbol: string | null
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
    actions: { type: 'string', multiple: true } as const,
    symbol: text,
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
  if (values.bars === undefined || values.actions === undefined) throw new BadRequest('--bars and --actions are required', { hint: usage })
  const name = (values.convention ?? 'yahoo_crsp').toLowerCase().replaceAll('-', '_')
  const convention = aliases[name] ?? conventions.find(known => known === name)
  if (convention === undefined)
    throw new BadRequest(`--convention ${values.convention}: no such convention`, { hint: `known: ${conventions.join(', ')}` })
  const oneOf = <T extends string>(option: string, value: string | undefined, known: readonly [T, ...T[]]): T => {
    const found = value === undefined ? known[0] : known.find(item => item === value)
    if (found === undefined) throw new BadRequest(`--${option} ${value} is not known`, { hint: `one of ${known.join(', ')}` })
    return found
  }
  const tolerance = values.tolerance === undefined ? null : (tolerances[values.tolerance.toLowerCase()] ?? Number(values.tolerance))
  if (tolerance !== null && !(tolerance >= 0))
    throw new BadRequest(`--tolerance ${values.tolerance} is not a number of 0 or more`, {
      hint: `e.g. --tolerance 1e-4, or a source by name: ${Object.keys(tolerances).join(', ')}`,
    })
  const symbol = values.symbol === undefined ? null : parseSymbol(values.symbol)
  if (values.symbol !== undefined && !symbol) throw new BadRequest(`--symbol ${values.symbol} is not a symbol`, { hint: 'e.g. --symbol RY.TO' })
  if (values['as-of'] !== undefined) dayOf('--as-of', values['as-of'])
  if (values.currency !== undefined && !/^[A-Z]{3}$/.test(values.currency))
    throw new BadRequest(`--currency ${values.currency} is not a currency`, { hint: 'e.g. --currency CAD' })
  return {
    bars: values.bars,
    actions: values.actions,
    symbol: symbol?.symbol ?? null,
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
    // Without the mark that some editors write at the beginning of a file.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(readFileSync(path))
  } catch (cause) {
    const why = cause instanceof TypeError ? 'is not UTF-8 text' : 'cannot be read'
    throw new BadRequest(`--${option} ${path} ${why}`, { hint: cause instanceof TypeError ? 'save it as UTF-8' : 'check the path', cause })
  }
}

function run(options: Options, io: AdjustIo): number {
  const barText = fileText('bars', options.bars)
  const vendor = vendorBars(options.bars, barText, options.symbol)
  const symbol = options.symbol ?? vendor?.symbol ?? symbolOf(options.bars)
  const file = vendor ?? readBars(options.bars, barText)
  const actionFiles = options.actions.map(path => actionsOf(path, symbol, options.basis))
  const actions = actionFiles.flatMap(({ actions: own }, at) => own.map(action => ({ ...action, sequence: at * linesAFile + action.sequence })))
  const rates = options.fx === null ? [] : ratesOf(options.fx)
  const currency = options.currency ?? priceCurrency(symbol, file, actions)
  const traded = file.bars.filter(bar => bar.close !== null)
  const asOf = options.asOf ?? traded.at(-1)!.date
  const context = { symbol, currency, prices: pricesOf(file.bars), fx: fxLookup(rates), asOf }
  const { factors, unapplied } = deriveFactors(actions, { ...context, convention: options.convention })
  const series = adjustBars(file.bars, factors, options.mode, { asOf, excludeSpinoffs: options.excludeSpinoffs })

  const placeOf = (path: string, line: number): string => (line === 0 ? path : `${path} line ${line}`)
  const lineOf = ({ sequence }: { readonly sequence: number }): string =>
    placeOf(options.actions[Math.floor(sequence / linesAFile)] ?? '', sequence % linesAFile)
  const findings = [
    ...file.notes.map(note => ({ ...note, where: placeOf(options.bars, note.line), applied: false })),
    ...actionFiles.flatMap(({ notes }, at) => notes.map(note => ({ ...note, where: placeOf(options.actions[at] ?? '', note.line), applied: false }))),
    ...unapplied.map(({ action, reason, detail }) => ({ where: lineOf(action), reason, detail, applied: false })),
    ...gapsOf(actions).map(gap => ({
      where: options.actions.join(', '),
      reason: 'dividend_gap',
      detail: `${symbol} ${reportedGap(gap)}`,
      applied: false,
    })),
    ...doubts(actions, context, new Set(unapplied.map(({ action }) => action.sequence))).map(({ action, reason, detail }) => ({
      where: lineOf(action),
      reason,
      detail,
      applied: true,
    })),
  ].map(({ where, reason, detail, applied }) => ({ where, reason, detail, applied }))
  for (const { where, reason, detail, applied } of findings) io.err(`${where}: ${reason}: ${detail}${applied ? '; applied anyway' : ''}`)

  const summary = {
    convention: options.convention,
    adjust: options.mode,
    currency,
    as_of: asOf,
    bars: file.bars.length,
    actions: actions.length,
    ex_dates: factors.length,
    notes: findings,
  }
  if (options.expected !== null) {
    const { expected, without } = expectedOf(options.expected, symbol, file.bars)
    const others = alternatives(options, { bars: file.bars, actions, context, asOf })
    return compare(options, { ours: closesOf(series), expected, without, others, raw: closesOf(file.bars) }, summary, io)
  }
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

/** The canonical symbol in the name of the bars' file, if there is one; only used in messages and for the currency. */
function symbolOf(path: string): string {
  return parseSymbol(stem(path.replaceAll('\\', '/')))?.symbol ?? unnamed
}

/** Lines of one action file. The sequence of an action is its file's number times this, plus its line. */
const linesAFile = 1_000_000
function actionsOf(path: string, symbol: string, basis: Options['basis']): { actions: readonly ActionRow[]; notes: readonly Note[] } {
  const text = fileText('actions', path)
  return vendorActions(path, text, symbol, 1) ?? readActions(path, text, symbol, basis)
}

function expectedOf(path: string, symbol: string, bars: readonly Ohlcv[]): { expected: Closes; without: number } {
  const text = fileText('expected', path)
  const vendor = vendorExpected(path, text, bars)
  if (vendor) return { expected: vendor, without: 0 }
  const { closes, notes } = readExpected(path, text, symbol)
  if (closes.size === 0) throw new BadRequest(`${path}: no row has an adjusted close`, { hint: 'expected the header date,adjusted_close' })
  return { expected: closes, without: notes.length }
}

/** The result of the same bars and actions under the other conventions and modes, by the options that select them. */
function alternatives(
  options: Options,
  {
    bars,
    actions,
    context,
    asOf,
  }: { bars: readonly Ohlcv[]; actions: readonly ActionRow[]; context: Parameters<typeof deriveFactors>[1]; asOf: string },
): readonly { readonly name: string; readonly closes: () => Closes }[] {
  const series = (convention: Convention, mode: AdjustMode) => (): Closes => {
    const { factors } = deriveFactors(actions, { ...context, convention })
    return closesOf(adjustBars(bars, factors, mode, { asOf, excludeSpinoffs: options.excludeSpinoffs }))
  }
  const ways = [
    ...conventions.map(convention => ({ name: `--convention ${convention}`, convention, mode: 'all' as const })),
    { name: '--adjust none', convention: 'yahoo_crsp' as const, mode: 'none' as const },
  ]
  return ways
    .filter(({ convention, mode }) => convention !== options.convention || mode !== options.mode)
    .map(({ name, convention, mode }) => ({ name, closes: series(convention, mode) }))
}
const closesOf = (series: readonly Ohlcv[]): Closes => new Map(series.flatMap(bar => (bar.close === null ? [] : [[bar.date, bar.close] as const])))

/** The currency of the prices: the bars' column, else the listing's in the file name, else the only one that the actions name. */
function priceCurrency(symbol: string, file: BarFile, actions: readonly ActionRow[]): string {
  if (file.currency !== null) return file.currency
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

/** What the warehouse would hold for review: reported, not acted on. One file cannot give a second source or the basis of a table's amounts. */
function doubts(
  actions: readonly ActionRow[],
  context: { currency: string; prices: ReturnType<typeof pricesOf>; fx: ReturnType<typeof fxLookup>; asOf: string },
  left: ReadonlySet<number>,
) {
  const applied = actions.filter(action => !left.has(action.sequence))
  const { held, ignored } = evaluateActions(applied, { ...context, decisions: new Map() })
  const unasked = new Set<string>(['needs_second_source', 'amount_basis_unknown'])
  const listed = [...held, ...ignored].filter(({ reason }) => !unasked.has(reason))
  return listed.map(({ action, reason, detail }) => ({ action, reason, detail }))
}
