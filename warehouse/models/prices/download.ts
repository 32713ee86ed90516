// Downloads builds of the model of prices in the background: they are gigabytes, and answers are read from the lake or from the build before
// until one is complete.
import { setTimeout as sleep } from 'node:timers/promises'
import { Damaged, Upstream } from '#schemas/errors.ts'
import type { Remote } from '../../store/lake/remote.ts'
import { isMomentary } from '../../store/lake/verifier.ts'
import { isWholePart } from './part.ts'
import { closeParts, openParts, type PriceBuild, partFile, readManifest } from './store.ts'

/** A build that was built again has the same hash, and its files may have replaced damaged ones. */
export const keyOf = (build: PriceBuild): string => `${build.sha256} ${build.built_at}`

type Downloads = {
  /**
   * Downloads the files of a build that are not here, then calls `onComplete`. A newer call replaces an older one, whose download in progress
   * is finished. `isDamaged`: files that are here are read, and damaged ones are downloaded again.
   */
  start(build: PriceBuild, isDamaged: boolean): void
  /** True until the download of the build is complete or has failed. */
  isStarted(build: PriceBuild): boolean
  /** Starts nothing any more. */
  close(): void
}
type DownloadTools = {
  readonly data: string
  readonly remote: Remote
  readonly onComplete: (build: PriceBuild) => Promise<void>
  /** The bucket has other bytes or no such object. */
  readonly onDamage: (build: PriceBuild, error: Damaged) => void
  readonly onFailure: (error: unknown) => void
  /** The pause in milliseconds after a download that failed for now; default 10,000. */
  readonly retryMs?: number
}

const pauseMs = 10_000

type Wanted = { readonly build: PriceBuild; readonly isDamaged: boolean }

export function createDownloads({ data, remote, onComplete, onDamage, onFailure, retryMs = pauseMs }: DownloadTools): Downloads {
  const stop = new AbortController()
  let wanted: Wanted | null = null
  let running = false

  async function bring(of: Wanted): Promise<void> {
    const { parts } = await readManifest(data, of.build.sha256, remote)
    for (const part of parts) {
      if (wanted !== of) return
      const file = partFile(data, part)
      if (of.isDamaged && !(await isWholePart(file.path, part))) await remote.fetch(file)
      // Looks at the index, and downloads the part if it is not here.
      else await closeParts(await openParts(data, [part], remote))
    }
    if (wanted !== of) return
    await onComplete(of.build)
    if (wanted === of) wanted = null
  }
  async function run(): Promise<void> {
    for (let of = wanted; of !== null; of = wanted) {
      try {
        await bring(of)
      } catch (error) {
        const isDamage = error instanceof Damaged
        if (!isDamage && (error instanceof Upstream || isMomentary(error))) {
          // Ends early only if nothing is wanted any more.
          await sleep(retryMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
          continue
        }
        if (wanted === of) wanted = null
        if (isDamage) onDamage(of.build, error)
        else onFailure(error)
      }
    }
    running = false
  }
  return {
    start(build, isDamaged) {
      if (stop.signal.aborted || (wanted?.isDamaged === isDamaged && keyOf(wanted.build) === keyOf(build))) return
      wanted = { build, isDamaged }
      if (running) return
      running = true
      void run()
    },
    isStarted: build => wanted !== null && keyOf(wanted.build) === keyOf(build),
    close() {
      wanted = null
      stop.abort()
    },
  }
}
