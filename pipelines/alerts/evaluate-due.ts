// The job that evaluates alerts: rung by every release, and by the schedule for alerts that were armed behind a round's back and for days
// that pass.
import { type Evaluated, evaluateAlerts } from '#warehouse/alerts/evaluate.ts'
import { evaluateIpoAlerts } from '#warehouse/alerts/ipo-alerts.ts'
import type { Grounds } from '#warehouse/answers/ground.ts'
import { dataNow, findDataClock } from '#warehouse/data-clock.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import type { LakeWriter } from '#warehouse/lake/compact.ts'
import { openLake } from '#warehouse/lake/open.ts'
import type { Db } from '#warehouse/postgres.ts'

/** The job of jobs.yaml, and its plan. */
export const alertsJob = 'alerts'

export type AlertTools = { readonly db: Db; readonly writer: LakeWriter; readonly grounds: Grounds; readonly baseUrl: string }
export type Due = { readonly price: Evaluated; readonly ipo: Evaluated }

/** One round of each kind on the newest release; `now` dates what fires, prices are as of the installation's data clock. */
export async function evaluateOnce({ db, writer, grounds, baseUrl }: AlertTools, now: string): Promise<Due> {
  const lake = openLake(await loadCatalogue(db), writer.connections, writer.verifier)
  const clock = dataNow(await findDataClock(db), new Date(now)).toISOString()
  const tools = { db, ground: await grounds(lake, null), now, dataNow: clock, baseUrl, crashPoint: writer.crashPoint ?? (() => {}) }
  return { price: await evaluateAlerts(tools), ipo: await evaluateIpoAlerts(tools) }
}

/** Rounds until no release came while one ran; returns how many alerts fired and what to note of it. */
export async function evaluateDue(
  tools: AlertTools,
  now: () => number,
  signal: AbortSignal,
): Promise<{ readonly fired: number; readonly note: string }> {
  const notes: string[] = []
  let fired = 0
  for (let at: number | null = null; !signal.aborted; ) {
    const { release } = await loadCatalogue(tools.db)
    if (release === at) break
    at = release
    const begun = performance.now()
    const due = await evaluateOnce(tools, new Date(now()).toISOString())
    const ms = Math.round(performance.now() - begun)
    for (const [kind, done] of Object.entries(due))
      if (done.alerts > 0) notes.push(`${kind}: ${done.alerts} alerts on release ${done.release}, ${done.listings} read, ${done.fired} fired`)
    if (due.price.alerts + due.ipo.alerts > 0) notes.push(`${ms} ms`)
    fired += due.price.fired + due.ipo.fired
  }
  return { fired, note: notes.join('; ') }
}
