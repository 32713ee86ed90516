// Answers from models: from the newest build. For a release or day without a build, the worker is asked to make one, and the request waits
// a limited time.
import { ModelMissing } from '#warehouse/models/missing.ts'
import { screener } from '#warehouse/models/model.ts'
import { findBuild, findNewestBuild } from '#warehouse/models/store.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { buildQueue, type Queue } from '#warehouse/store/queue.ts'

/** Maximum wait for a build; a market of 51,000 symbols takes longer and needs another request. */
const buildMs = 8_000
const pollMs = 100
/** The share of that wait for a build that a request has waited for in vain: the first build of a large market takes minutes. */
const slowShare = 1 / 16
/** Milliseconds after such a request for which its build counts as slow. */
const slowForMs = 60_000

export type ModelBuilds = {
  /** The release to answer from if the request names none: that of the newest build, because a newer one is still being computed. */
  builtRelease(release: number): Promise<number>
  /** Runs `work`. If a build is missing, requests it and runs `work` again when it is ready. Throws 503 if it is not ready in time. */
  awaiting<T>(work: () => Promise<T>): Promise<T>
}

export function modelBuilds(db: Db, queue: Queue, waitMs = buildMs): ModelBuilds {
  /** The build that was not ready in time, and when that was. */
  let slow = { name: '', at: Number.NEGATIVE_INFINITY }
  async function ask(missing: ModelMissing): Promise<void> {
    const { model, release, asOf } = missing
    const name = `${model.name} ${release} ${asOf ?? ''}`
    const isSlow = slow.name === name && performance.now() - slow.at < slowForMs
    // One build at a time over all requests: requests for many days wait for each other.
    await queue.send(
      buildQueue,
      {
        partition: name,
        from: null,
        to: null,
        symbols: null,
        backfill_id: null,
        request: { model: model.name, release, as_of: asOf },
      },
      { key: 'build' },
    )
    for (let waited = 0; waited < (isSlow ? waitMs * slowShare : waitMs); waited += pollMs) {
      if (await findBuild(db, model, release, asOf)) return
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
    slow = { name, at: performance.now() }
    throw missing
  }
  return {
    async builtRelease(release) {
      return (await findNewestBuild(db, screener, release))?.release ?? release
    },
    async awaiting(work) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ModelMissing)) throw error
        await ask(error)
        return await work()
      }
    },
  }
}
