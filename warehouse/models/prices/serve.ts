// Serves the model of prices to answers. Only the indexes are in memory. A build is used for exactly its release, and a block only if its
// content has its SHA-256; everything else is read from the lake, with the same values. With a bucket, a build that is not here, or not whole,
// is downloaded in the background.
import { Damaged, Upstream } from '#schemas/errors.ts'
import type { ModelPrices, PriceModel, SymbolPrices } from '../../context/price-model.ts'
import type { Days, Factor } from '../../datasets/bars/bars.ts'
import type { Remote } from '../../store/lake/remote.ts'
import { type Expected, isMomentary } from '../../store/lake/verifier.ts'
import type { Db } from '../../store/postgres.ts'
import { findModelDamage } from '../damage.ts'
import { decodeColumns } from './columns.ts'
import { createDownloads, keyOf } from './download.ts'
import {
  dayNumber,
  decodeTable,
  type Encoded,
  everyDay,
  factorsIn,
  foundPrices,
  heldIn,
  joinTables,
  openTable,
  sectionsOf,
  type Table,
} from './entry.ts'
import { type OpenPart, pricesDataset } from './part.ts'
import { closeParts, findPriceBuild, manifestPath, openParts, type PriceBuild, readManifest } from './store.ts'

export type PriceReader = {
  /** Opens the newest build, if it is another one than before. One that has to be downloaded is opened later. */
  refresh(): Promise<void>
  /** The model of exactly this release of its inputs; undefined if the open build is of another one. */
  at(release: number): PriceModel | undefined
  close(): Promise<void>
}
export type PriceReaderOptions = {
  readonly db: Db
  readonly data: string
  /** The bucket of the lake; null: the files are here only. */
  readonly remote?: Remote | null
  /** Called once for each build with damage, with the build's manifest. With a bucket, only damage there counts. */
  readonly onDamage: (file: Expected, reason: string) => void
  /** Called if a download fails for another reason than the bucket. */
  readonly onFailure?: (error: unknown) => void
  /** The pause in milliseconds after a download that failed for now. */
  readonly retryMs?: number
}

type Opened = { readonly key: string; readonly build: PriceBuild; readonly parts: readonly OpenPart[]; reported: boolean; using: number }

const fileOf = (data: string, { sha256 }: PriceBuild): Expected => ({ dataset: pricesDataset, sha256, path: manifestPath(data, sha256) })
const withParts = (build: PriceBuild, parts: readonly OpenPart[], reported: boolean): Opened => ({
  key: keyOf(build),
  build,
  parts,
  reported,
  using: 0,
})
/** Opens the files of a build on this disk. Throws `Damaged` if one is missing or damaged. */
const openHere = async (data: string, build: PriceBuild): Promise<Opened> =>
  withParts(build, await openParts(data, (await readManifest(data, build.sha256)).parts), false)

export function openPrices(options: PriceReaderOptions): PriceReader {
  const { db, data, remote = null, onDamage } = options
  let opened: Opened | null = null
  let isClosed = false
  const shared = remote === null ? null : followInBucket(options, remote, { isOpen: build => opened?.key === keyOf(build), replace })

  function report(of: Opened, error: Damaged): void {
    if (of.reported) return
    of.reported = true
    if (shared === null) onDamage(fileOf(data, of.build), error.message)
    else shared.repair(of.build)
  }
  async function replace(next: Opened | null): Promise<void> {
    const before = opened
    opened = isClosed ? null : next
    if (isClosed && next !== null) await closeParts(next.parts)
    if (before?.using === 0) await closeParts(before.parts)
  }
  async function load(build: PriceBuild): Promise<Opened> {
    try {
      return await openHere(data, build)
    } catch (error) {
      // A damaged build is opened again when a worker has built it again.
      if (!(error instanceof Damaged)) throw error
      onDamage(fileOf(data, build), error.message)
      return withParts(build, [], true)
    }
  }
  async function readFrom<T>(of: Opened, symbols: readonly string[], use: (found: readonly Found[]) => T): Promise<T | null> {
    // Without parts, the build is damaged.
    if (of.parts.length === 0) return null
    of.using += 1
    try {
      const found: Found[] = []
      for (const symbol of symbols) {
        const entries = await Promise.all(of.parts.map(part => part.find(symbol)))
        found.push({ symbol, entries: entries.flatMap(bytes => (bytes === null ? [] : [sectionsOf(bytes)])) })
      }
      return use(found)
    } catch (error) {
      if (error instanceof Damaged) report(of, error)
      else if (!isMomentary(error)) throw error
      return null
    } finally {
      of.using -= 1
      if (of !== opened && of.using === 0) await closeParts(of.parts)
    }
  }

  return {
    async refresh() {
      const build = await findPriceBuild(db)
      if (build !== null && shared !== null) return await shared.refresh(build)
      if (build !== null && opened?.key === keyOf(build)) return
      await replace(build === null ? null : await load(build))
    },
    at(release) {
      const of = opened
      if (of?.build.release !== release) return undefined
      return {
        read: (symbols, days) => readFrom(of, symbols, found => modelPrices(found, days)),
        readSymbol: symbol => readFrom(of, [symbol], ([only]) => symbolPrices(only as Found)),
      }
    },
    async close() {
      isClosed = true
      shared?.close()
      await replace(null)
    },
  }
}

type Shared = {
  /** Opens the build, if its files are here, or starts the download. */
  refresh(build: PriceBuild): Promise<void>
  /** Downloads what is damaged here, then opens the build again. */
  repair(build: PriceBuild): void
  close(): void
}

/** How a reader follows the builds of a bucket. A build is damaged if the bucket does not have it whole. */
function followInBucket(
  { db, data, onDamage, onFailure = () => {}, retryMs }: PriceReaderOptions,
  remote: Remote,
  reader: { readonly isOpen: (build: PriceBuild) => boolean; readonly replace: (next: Opened) => Promise<void> },
): Shared {
  /** The build that is damaged in the bucket. It is downloaded again when a worker has uploaded it again. */
  let failed: string | null = null
  const openWhole = (build: PriceBuild): Promise<Opened | null> =>
    openHere(data, build).catch(error => {
      if (error instanceof Damaged) return null
      throw error
    })
  const downloads = createDownloads({
    data,
    remote,
    async onComplete(build) {
      const next = await openWhole(build)
      if (next === null) throw new Upstream('files of the model of prices were deleted while they were downloaded')
      await reader.replace(next)
    },
    onDamage(build, error) {
      failed = keyOf(build)
      onDamage(fileOf(data, build), error.message)
    },
    onFailure,
    ...(retryMs !== undefined && { retryMs }),
  })
  return {
    async refresh(build) {
      if (failed === keyOf(build)) {
        if ((await findModelDamage(db)).some(({ sha256 }) => sha256 === build.sha256)) return
        failed = null
        return downloads.start(build, true)
      }
      if (reader.isOpen(build) || downloads.isStarted(build)) return
      const next = await openWhole(build)
      if (next) await reader.replace(next)
      else downloads.start(build, false)
    },
    repair: build => downloads.start(build, true),
    close: downloads.close,
  }
}

/** The entries of a symbol, oldest part first. */
type Found = { readonly symbol: string; readonly entries: readonly Encoded[] }

/** A section that the newest entry with it replaces. */
const newestOf = (entries: readonly Encoded[], section: Exclude<keyof Encoded, 'bars'>): Buffer | null =>
  entries.findLast(entry => entry[section] !== null)?.[section] ?? null
const barsOf = (entries: readonly Encoded[]): Buffer[] => entries.flatMap(({ bars }) => (bars === null ? [] : [bars]))
/** First and last day of a request, as days since 1970-01-01. */
const rangeOf = ({ from, to }: Days): [number, number] => [from === null ? everyDay[0] : dayNumber(from), to === null ? everyDay[1] : dayNumber(to)]

function symbolPrices({ symbol, entries }: Found): SymbolPrices {
  const corrections = newestOf(entries, 'corrections')
  return {
    factors: factorsIn(newestOf(entries, 'factors')).map(factor => ({ symbol, ...factor })),
    held: heldIn(newestOf(entries, 'held')),
    columns: days =>
      corrections !== null && openTable(corrections, ...everyDay).count > 0 ? null : decodeColumns(barsOf(entries), ...rangeOf(days)),
  }
}

/** The rows of symbols from their entries. Null if two symbols have held actions: their order is that of the query. */
function modelPrices(found: readonly Found[], days: Days): ModelPrices | null {
  const range = rangeOf(days)
  const tables: { symbol: string; table: Table; corrected: boolean }[] = []
  const factors: Factor[] = []
  const held = []
  for (const { symbol, entries } of found) {
    const bars = barsOf(entries).map(bytes => decodeTable(bytes, ...range))
    if (bars.length > 0) tables.push({ symbol, table: joinTables(bars), corrected: false })
    const corrections = newestOf(entries, 'corrections')
    if (corrections !== null) tables.push({ symbol, table: decodeTable(corrections, ...range), corrected: true })
    for (const factor of factorsIn(newestOf(entries, 'factors'))) factors.push({ symbol, ...factor })
    held.push(heldIn(newestOf(entries, 'held')))
  }
  if (held.filter(actions => actions.length > 0).length > 1) return null
  // In the order of a query over all of them.
  if (found.length > 1) factors.sort((a, b) => (`${a.ex_date} ${a.symbol}` < `${b.ex_date} ${b.symbol}` ? -1 : 1))
  return { prices: foundPrices(tables), factors, held: held.flat() }
}
