// Current state without the database: the disk, and the components whose state is unknown while the database is down.
import { statfs } from 'node:fs/promises'
import type { ComponentStatus } from '#schemas/status.ts'
import { type StatusRules, statusRules } from '../../rulesets/status/rules.ts'
import { leastFreeBytes } from '../../store/start-check/start-check.ts'
import type { Check } from './checks.ts'

/** The disk of the data folder: down if nothing can be written, degraded if little space is left. */
export async function checkStorage(dataFolder: string, rules: StatusRules = statusRules): Promise<Check> {
  const component = 'storage'
  try {
    const { bavail, blocks, bsize } = await statfs(dataFolder)
    const free = bavail * bsize
    if (free < leastFreeBytes) return { component, status: 'down', latency_ms: null, detail: 'the disk of the data folder is full' }
    const low = free < rules.free_disk_bytes && free < blocks * bsize * rules.free_disk_share
    if (low) return { component, status: 'degraded', latency_ms: null, detail: 'the disk of the data folder is nearly full' }
    return { component, status: 'operational', latency_ms: null, detail: null }
  } catch (error) {
    return {
      component,
      status: 'down',
      latency_ms: null,
      detail: `the data folder cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    }
  }
}

/** The bucket of the lake while it does not answer or refuses. The status is public: the text does not name it. */
export const bucketAway: Check = {
  component: 'bucket',
  status: 'degraded',
  latency_ms: null,
  detail: 'the bucket of the lake does not answer or refuses: requests that need a file that is not cached fail, and nothing is loaded',
}

/** A component's current check. */
export const shown = ({ component: name, status, latency_ms, detail }: Check, at: Date): ComponentStatus => ({
  name,
  status,
  latency_ms,
  detail,
  checked_at: at.toISOString(),
})

/**
 * The components while the database is down: `live` as checked now, the database down, and all others of `known` as unknown, with the
 * time of their last check. An earlier result does not describe the current state.
 */
export function withoutDatabase(known: readonly ComponentStatus[], live: readonly Check[], at: Date): ComponentStatus[] {
  const database: Check = { component: 'database', status: 'down', latency_ms: null, detail: 'the database does not answer' }
  const found = [database, ...live].map(check => shown(check, at))
  const names = new Set(found.map(each => each.name))
  const others = known.filter(each => !names.has(each.name))
  return [
    ...found,
    ...others.map(each => ({ ...each, status: 'unknown' as const, latency_ms: null, detail: 'cannot be checked while the database is away' })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The result of `work`, or an error after `ms`: a server that is frozen answers no statement and closes no connection. */
export async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  // It may fail after the deadline, when nothing waits for it.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
