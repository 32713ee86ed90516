// The job that evaluates alerts. Every release sends it. The schedule also runs it, for alerts that were armed during a round and for
// conditions on the date.

import { some } from '#schemas/counts.ts'
import type { ReleaseContexts } from '#warehouse/context/release-contexts.ts'
import { type Evaluated, evaluateAlerts } from '#warehouse/people/alerts/evaluate.ts'
import { evaluateIpoAlerts } from '#warehouse/people/alerts/ipo-alerts.ts'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Db } from '#warehouse/store/postgres.ts'

/** The job of jobs.yaml, and its plan. */
export const alertsJob = 'alerts'

export type AlertTools = { readonly db: Db; readonly writer: LakeWriter; readonly contexts: ReleaseContexts; readonly baseUrl: string }
export type Due = { readonly price: Evaluated; readonly ipo: Evaluated }

/** One round of each kind on the newest release; `now` dates the firings, and prices are as of the installation's data clock. */
export async function evaluateOnce({ db, writer, contexts, baseUrl }: AlertTools, now: string): Promise<Due> {
  const lake = openLake(await loadCatalogue(db), writer.connections, writer.verifier)
  const clock = dataNow(await findDataClock(db), new Date(now)).toISOString()
  const tools = { db, context: await contexts(lake, null), now, dataNow: clock, baseUrl, crashPoint: writer.crashPoint ?? (() => {}) }
  return { price: await evaluateAlerts(tools), ipo: await evaluateIpoAlerts(tools) }
}

/** Repeats rounds until no release is committed during one; returns the number of alerts that fired and the notes. */
export async function evaluateDue(
  tools: AlertTools,
  now: () => number,
  signal: AbortSignal,
): Promise<{ readonly fired: number; readonly note: string }> {
  const notes: string[] = []
  let fired = 0
  for (let at: number | null = null; !signal.aborted; ) {
    const { release } = await tools.db.selectFrom('head').select('release').executeTakeFirstOrThrow()
    if (release === at) break
    at = release
    const begun = performance.now()
    const due = await evaluateOnce(tools, new Date(now()).toISOString())
    const ms = Math.round(performance.now() - begun)
    for (const [kind, done] of Object.entries(due))
      if (done.alerts > 0) notes.push(`${kind}: ${some(done.alerts, 'alert')} on release ${done.release}, ${done.listings} read, ${done.fired} fired`)
    if (due.price.alerts + due.ipo.alerts > 0) notes.push(`${ms} ms`)
    fired += due.price.fired + due.ipo.fired
  }
  return { fired, note: notes.join('; ') }
}
