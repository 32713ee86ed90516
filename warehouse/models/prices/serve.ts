// Serves the model of prices to answers. Only the indexes are in memory. A build is used for exactly its release, and a block only if its
// content has its SHA-256; everything else is read from the lake, with the same values.
import { Damaged } from '#schemas/errors.ts'
import type { ModelPrices, PriceModel } from '../../context/price-model.ts'
import type { Days, Factor } from '../../datasets/bars/bars.ts'
import { type Expected, isMomentary } from '../../store/lake/verifier.ts'
import type { Db } from '../../store/postgres.ts'
import { dayNumber, decodeTable, type Encoded, everyDay, factorsIn, foundPrices, heldIn, joinTables, sectionsOf, type Table } from './entry.ts'
import { type OpenPart, pricesDataset } from './part.ts'
import { closeParts, findPriceBuild, manifestPath, openParts, type PriceBuild, readManifest } from './store.ts'

export type PriceReader = {
  /** Opens the newest build, if it is another one than before. */
  refresh(): Promise<void>
  /** The model of exactly this release of its inputs; undefined if the open build is of another one. */
  at(release: number): PriceModel | undefined
  close(): Promise<void>
}
export type PriceReaderOptions = {
  readonly db: Db
  readonly data: string
  /** Called once for each build with damage, with the build's manifest. */
  readonly onDamage: (file: Expected, reason: string) => void
}

type Opened = { readonly key: string; readonly build: PriceBuild; readonly parts: readonly OpenPart[]; reported: boolean; using: number }

/** A build that was built again has the same hash, and its files may have replaced damaged ones. */
const keyOf = (build: PriceBuild): string => `${build.sha256} ${build.built_at}`

export function openPrices({ db, data, onDamage }: PriceReaderOptions): PriceReader {
  let opened: Opened | null = null

  function report(of: Opened, error: Damaged): void {
    if (of.reported) return
    of.reported = true
    onDamage({ dataset: pricesDataset, sha256: of.build.sha256, path: manifestPath(data, of.build.sha256) }, error.message)
  }
  async function replace(next: Opened | null): Promise<void> {
    const before = opened
    opened = next
    if (before?.using === 0) await closeParts(before.parts)
  }
  async function load(build: PriceBuild): Promise<Opened> {
    const empty: Opened = { key: keyOf(build), build, parts: [], reported: false, using: 0 }
    try {
      return { ...empty, parts: await openParts(data, (await readManifest(data, build.sha256)).parts) }
    } catch (error) {
      // A damaged build is opened again when a worker has built it again.
      if (!(error instanceof Damaged)) throw error
      report(empty, error)
      return { ...empty, reported: true }
    }
  }
  async function readFrom(of: Opened, symbols: readonly string[], days: Days): Promise<ModelPrices | null> {
    // Without parts, the build is damaged.
    if (of.parts.length === 0) return null
    of.using += 1
    try {
      const found: { readonly symbol: string; readonly entries: readonly Encoded[] }[] = []
      for (const symbol of symbols) {
        const entries = await Promise.all(of.parts.map(part => part.find(symbol)))
        found.push({ symbol, entries: entries.flatMap(bytes => (bytes === null ? [] : [sectionsOf(bytes)])) })
      }
      return modelPrices(found, days)
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
      if (build !== null && opened?.key === keyOf(build)) return
      await replace(build === null ? null : await load(build))
    },
    at(release) {
      const of = opened
      return of?.build.release === release ? { read: (symbols, days) => readFrom(of, symbols, days) } : undefined
    },
    close: () => replace(null),
  }
}

/** The rows of symbols from their entries, oldest part first. Null if two symbols have held actions: their order is that of the query. */
function modelPrices(found: readonly { readonly symbol: string; readonly entries: readonly Encoded[] }[], days: Days): ModelPrices | null {
  const range: [number, number] = [days.from === null ? everyDay[0] : dayNumber(days.from), days.to === null ? everyDay[1] : dayNumber(days.to)]
  const tables: { symbol: string; table: Table; corrected: boolean }[] = []
  const factors: Factor[] = []
  const held = []
  for (const { symbol, entries } of found) {
    const newest = (section: Exclude<keyof Encoded, 'bars'>): Buffer | null => entries.findLast(entry => entry[section] !== null)?.[section] ?? null
    const bars = entries.flatMap(entry => (entry.bars === null ? [] : [decodeTable(entry.bars, ...range)]))
    if (bars.length > 0) tables.push({ symbol, table: joinTables(bars), corrected: false })
    const corrections = newest('corrections')
    if (corrections !== null) tables.push({ symbol, table: decodeTable(corrections, ...range), corrected: true })
    for (const factor of factorsIn(newest('factors'))) factors.push({ symbol, ...factor })
    held.push(heldIn(newest('held')))
  }
  if (held.filter(actions => actions.length > 0).length > 1) return null
  // In the order of a query over all of them.
  if (found.length > 1) factors.sort((a, b) => (`${a.ex_date} ${a.symbol}` < `${b.ex_date} ${b.symbol}` ? -1 : 1))
  return { prices: foundPrices(tables), factors, held: held.flat() }
}
