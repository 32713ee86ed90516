// The data that this process answers from: one release at a time, replaced when a newer one is committed, with a lease that keeps its
// files. This module only reads, and DuckDB can access the folder of the lake only.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { Config } from '#schemas/config.ts'
import { BadRequest, Damaged } from '#schemas/errors.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import type { Models } from '#warehouse/context/model-rows.ts'
import { createContexts } from '#warehouse/context/release-contexts.ts'
import { filingIndexOn } from '#warehouse/datasets/filings/search-index.ts'
import { transcriptIndexOn } from '#warehouse/datasets/transcripts/search-index.ts'
import { sweepHourly } from '#warehouse/models/collect.ts'
import { copiesOf, sortedCopies } from '#warehouse/models/copies.ts'
import { modelsFolder } from '#warehouse/models/folder.ts'
import { priceInputs } from '#warehouse/models/prices/changes.ts'
import { openPrices, type PriceReader } from '#warehouse/models/prices/serve.ts'
import { openModels } from '#warehouse/models/serve.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import { onBeat, turnMs } from '#warehouse/store/beat.ts'
import { type DataClock, findDataClock } from '#warehouse/store/data-clock.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { type Catalogue, loadCatalogue, versionAt } from '#warehouse/store/lake/catalogue.ts'
import { type ConnectionPool, openConnections } from '#warehouse/store/lake/connections.ts'
import type { FindCopies } from '#warehouse/store/lake/copies.ts'
import { lakeFolder, openLake, type Verifier, verifyAhead } from '#warehouse/store/lake/open.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import type { Remote } from '#warehouse/store/lake/remote.ts'
import type { Expected } from '#warehouse/store/lake/verifier.ts'
import type { Address, Db } from '#warehouse/store/postgres.ts'
import type { LogFolder } from '#warehouse/store/receipts/log/folder.ts'
import { keepFullTiles } from '#warehouse/store/receipts/log/keep-tiles.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { followReleases } from './follow-releases.ts'
import { type ReportModel, trackDamage } from './track-damage.ts'

const leaseMs = 30_000
const leaseLifeSeconds = 120
/** A longer query of the API is interrupted. */
const queryMs = 3_000

type Head = { readonly release: number; readonly committed_at: string }
export type Serving = {
  readonly db: Db
  readonly data: string
  readonly connections: ConnectionPool
  readonly verifier: Verifier
  /** The bucket of the lake; null: its files are in the data folder. */
  readonly remote: Remote | null
  /** The published files of the receipt log. */
  readonly receiptLog: LogFolder
  head(): Head
  catalogue(): Catalogue
  /** The current instant for market data; follows the database immediately, or within 30 seconds if a notification is lost. */
  dataClock(): DataClock
  /** Components of the status with damaged files (`dataset:NAME`, `model:NAME`, `raw`), and what is wrong with each, in one sentence. */
  damage(): ReadonlyMap<string, string>
  /** Calls the listener, immediately or within 30 seconds, after a signing key was rotated, imported or revoked. */
  onSigningKeys(listener: () => void): void
  /** Listings, issuers and lake of a release, as known at `asOf`; throws `BadRequest` for a release that does not exist yet. */
  releaseContext(release: number | null, asOf: string | null): Promise<ReleaseContext>
  /** Registers the health address of this process for the worker that checks it. */
  servesAt(address: string): Promise<void>
  /** Loads the newest release now, before the next notification. */
  refresh(): Promise<void>
  close(): Promise<void>
}

type Log = (message: string) => void

/** The known copies of the files of a catalogue. */
async function copyFiles(find: FindCopies, { files }: Catalogue): Promise<readonly Expected[]> {
  const found = await Promise.all(sortedCopies.map(copy => find(copy, files.get(copy.dataset) ?? [])))
  return found.flatMap(of => [...of.values()])
}

/** The files of the receipt log; full tiles from a bucket are kept in memory. */
function openReceiptLog(data: string, remote: Remote | null): LogFolder {
  const folder = openLogFolder(data, remote)
  return remote === null ? folder : keepFullTiles(folder)
}

export async function openServing(config: Config, db: Db, url: Address, log: Log): Promise<Serving> {
  const instance = await openDuckdb({
    memoryLimit: `${config.duckdbMemoryApiMb}MB`,
    threads: 1,
    tempFolder: '',
    folders: [lakeFolder(config.dataFolder), modelsFolder(config.dataFolder)],
  })
  const connections = await openConnections(instance, 4)
  const remote = await openRemote(config, (_level, message) => log(message))
  const damage = trackDamage(db, config.dataFolder, remote, log)
  const { verifier } = damage
  const process_ = `api:${process.pid}:${randomBytes(4).toString('hex')}`
  await checkLakePlace(db, config.lake)
  let catalogue = await loadCatalogue(db)
  let head = headOf(catalogue)
  let clock = await findDataClock(db)
  let address: string | null = null
  let keys = await keysState(db)
  const keyListeners: (() => void)[] = []
  const contextAt = createContexts(cacheLimits.apiReleases)
  const indexes = { filingIndex: filingIndexOn(db), transcriptIndex: transcriptIndexOn(db) }
  const copies = copiesOf(db, config.dataFolder)
  const { models, prices, sweeping } = openModelReaders({ db, connections, data: config.dataFolder, remote }, damage.reportModel, log)

  async function lease(): Promise<void> {
    await sql`insert into reader_lease (process, catalogue_version, expires_at, address)
      values (${process_}, ${catalogue.version}, clock_timestamp() + make_interval(secs => ${leaseLifeSeconds}), ${address})
      on conflict (process) do update set catalogue_version = excluded.catalogue_version, expires_at = excluded.expires_at, address = excluded.address`.execute(
      db,
    )
  }
  async function refresh(): Promise<void> {
    const newest = await db.selectFrom('head').select(['release', 'catalogue_version']).executeTakeFirstOrThrow()
    clock = await findDataClock(db)
    const keysNow = await keysState(db)
    if (keysNow !== keys) for (const listener of keyListeners) listener()
    keys = keysNow
    if (newest.catalogue_version === catalogue.version) return
    const next = await loadCatalogue(db)
    // Changed listings are loaded before the new release is served, so that no request waits for 51,000 symbols. A damaged dataset does not
    // prevent the new release of the others: requests that need it are refused.
    await contextAt(openLake(next, connections, verifier), null).catch(error => {
      if (!(error instanceof Damaged)) throw error
    })
    // A read that lasted longer than a later one changes nothing.
    if (next.version < catalogue.version) return
    catalogue = next
    head = headOf(next)
    await lease()
    lookAhead()
  }
  /** Files are hashed before they are requested; a newer catalogue replaces an older one. */
  let ahead = new AbortController()
  function lookAhead(): void {
    ahead.abort()
    ahead = new AbortController()
    void verifyAhead(catalogue, verifier, ahead.signal, copyFiles(copies, catalogue)).catch(error => log(`files not read ahead: ${String(error)}`))
  }
  await lease()
  await damage.refresh()
  // Requests are answered without the model of prices too.
  await prices.refresh().catch(error => log(`prices not opened: ${String(error)}`))
  const warming = contextAt(openLake(catalogue, connections, verifier), null).catch(error => log(`listings not read ahead: ${String(error)}`))
  lookAhead()
  const leasing = onBeat(leaseMs, turnMs.second, () => void lease().catch(error => log(`lease not renewed: ${String(error)}`)))
  const following = followReleases({ db, url, read: () => all([refresh(), damage.refresh(), prices.refresh()]), log })

  return {
    db,
    data: config.dataFolder,
    connections,
    verifier,
    remote,
    receiptLog: openReceiptLog(config.dataFolder, remote),
    head: () => head,
    catalogue: () => catalogue,
    dataClock: () => clock,
    damage: damage.known,
    onSigningKeys: listener => void keyListeners.push(listener),
    async releaseContext(requested, asOf) {
      const release = requested ?? catalogue.release
      if (release > catalogue.release) await following.refresh()
      if (release > catalogue.release)
        throw new BadRequest(`release ${release} does not exist yet`, { hint: `the newest release is ${catalogue.release}` })
      // Listings are read without the time limit of a query, once per change for all requests.
      const releaseContext = await contextAt(openLake(catalogue, connections, verifier, release), asOf)
      const lake = openLake(catalogue, connections, verifier, release, queryMs, copies)
      const known = asOf === null ? prices.at(lake.versionOf(priceInputs).release) : undefined
      return { ...releaseContext, lake, ...indexes, models, ...(known ? { prices: known } : {}) }
    },
    async servesAt(where) {
      address = where
      await lease()
      // Makes the next round of checks due immediately, so that the status does not report a missing API for a minute.
      await requestRound(db)
    },
    refresh: following.refresh,
    async close() {
      damage.close()
      leasing.stop()
      clearInterval(sweeping)
      await following.close()
      await warming
      ahead.abort()
      await prices.close()
      await db
        .deleteFrom('reader_lease')
        .where('process', '=', process_)
        .execute()
        .catch(error => log(String(error)))
      connections.close()
    },
  }
}

function openModelReaders(
  reader: { readonly db: Db; readonly connections: ConnectionPool; readonly data: string; readonly remote: Remote | null },
  report: ReportModel,
  log: Log,
): { readonly models: Models; readonly prices: PriceReader; readonly sweeping: NodeJS.Timeout | undefined } {
  const damaged = (consequence: string) => (file: Expected, reason: string) => report(file, reason, consequence)
  const models = { ...reader, onDamage: damaged('requests that need it answer 503 until a worker has built it again') }
  const prices = {
    ...reader,
    onDamage: damaged('requests read the lake instead until a worker has built it again'),
    onFailure: (error: unknown) => log(`prices not downloaded: ${messageOf(error)}`),
  }
  const { db, data, remote } = reader
  const sweeping = remote ? sweepHourly({ db, data, stageFolder: null, remote }, error => log(`files not deleted: ${messageOf(error)}`)) : undefined
  return { models: openModels(models, queryMs), prices: openPrices(prices), sweeping }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Changes when a key begins or stops signing, or is revoked. */
async function keysState(db: Db): Promise<string> {
  return JSON.stringify(await db.selectFrom('signing_key').select(['kid', 'status', 'compromised_from']).orderBy('kid').execute())
}

/** Waits for all, also if one fails, so that the next read does not overlap with these. Throws the first reason. */
async function all(reads: readonly Promise<unknown>[]): Promise<void> {
  for (const read of await Promise.allSettled(reads)) if (read.status === 'rejected') throw read.reason
}

const headOf = (catalogue: Catalogue): Head => ({
  release: catalogue.release,
  committed_at: versionAt(catalogue, [...catalogue.releases.keys()], catalogue.release).committed_at,
})
