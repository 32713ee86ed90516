// Damaged files as this process finds them and as the database knows them: each is recorded once, and those that another process found are
// hashed again here.
import { recordModelDamage } from '#warehouse/models/damage.ts'
import { isModelFile } from '#warehouse/models/store.ts'
import { findKnownDamage } from '#warehouse/people/status/damage.ts'
import { recordDamage } from '#warehouse/store/lake/damage.ts'
import { createVerifier } from '#warehouse/store/lake/open.ts'
import type { Remote } from '#warehouse/store/lake/remote.ts'
import type { Expected, Verifier } from '#warehouse/store/lake/verifier.ts'
import type { Db } from '#warehouse/store/postgres.ts'

/** Reports a damaged file of a model or copy; `consequence`: what it means for requests. */
export type ReportModel = (file: Expected, reason: string, consequence: string) => void

export type DamageTracker = {
  /** The verifier of this process, which reports damage here. */
  readonly verifier: Verifier
  readonly reportModel: ReportModel
  /** Components of the status with damaged files (`dataset:NAME`, `model:NAME`, `raw`), and what is wrong with each, in one sentence. */
  known(): ReadonlyMap<string, string>
  /** Reads the known damage from the database. Files that another process found damaged are hashed again, because their timestamps may be unchanged. */
  refresh(): Promise<void>
  /** Ends the reports: files that a stopping process cannot read are not damaged. */
  close(): void
}

/** `remote`: the bucket of the lake, or null. */
export function trackDamage(db: Db, data: string, remote: Remote | null, log: (message: string) => void): DamageTracker {
  let closing = false
  let known: ReadonlyMap<string, string> = new Map()
  const suspected = new Set<string>()
  const unrecorded = (error: unknown): void => log(`damage not recorded: ${error instanceof Error ? error.message : String(error)}`)
  const verifier = createVerifier(data, {
    remote,
    onDamage: (file, reason) => {
      if (closing) return
      if (isModelFile(file)) return reportModel(file, reason, 'answers are read from the lake, more slowly, until a worker has made it again')
      log(`${reason}: ${file.path}; requests that need it answer 503 until it is repaired (crossfile repair)`)
      void recordDamage(db, file, reason, 'api').then(refresh).catch(unrecorded)
    },
  })
  function reportModel(file: Expected, reason: string, consequence: string): void {
    if (closing) return
    void recordOfModel(file, reason, consequence).then(refresh).catch(unrecorded)
  }
  /** Records the file, and logs it if a build or copy still names it. */
  async function recordOfModel(file: Expected, reason: string, consequence: string): Promise<void> {
    if (await recordModelDamage(db, file, reason, 'api')) log(`${reason}: ${file.path}; ${consequence}`)
  }
  async function refresh(): Promise<void> {
    const { lake, byComponent } = await findKnownDamage(db)
    known = byComponent
    const names = new Set(lake.map(file => file.sha256))
    for (const file of lake) {
      if (suspected.has(file.sha256)) continue
      suspected.add(file.sha256)
      await verifier.recheck(verifier.expected(file)).catch(() => undefined) // reported by onDamage
    }
    for (const sha256 of suspected) if (!names.has(sha256)) suspected.delete(sha256)
  }
  return {
    verifier,
    reportModel,
    known: () => known,
    refresh,
    close: () => {
      closing = true
    },
  }
}
