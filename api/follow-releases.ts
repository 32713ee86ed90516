// Keeps what this process answers from current: it is read again at each notification, and at intervals for what none announced.
import { sql } from 'kysely'
import { untilBeat } from '#warehouse/store/beat.ts'
import { createWakeup, listen, pollMs, releaseChannel } from '#warehouse/store/notifications.ts'
import type { Address, Db } from '#warehouse/store/postgres.ts'

export type FollowedReleases = {
  /** Reads again everything that changed before this call. Never rejects: a failure is logged, and the next look tries again. */
  refresh(): Promise<void>
  /** Waits for the refresh that is under way. */
  close(): Promise<void>
}
type Followed = {
  readonly db: Db
  readonly url: Address
  /** Reads everything that depends on the state of the database. */
  readonly read: () => Promise<unknown>
  readonly log: (message: string) => void
}

/** Follows the database until `close`; `read` is called once at a time, first when notifications begin to arrive. */
export function followReleases({ db, url, read, log }: Followed): FollowedReleases {
  let refreshing: Promise<void> | null = null
  let readState: string | null = null
  let isFailing = false
  async function readIf(onlyIfChanged: boolean): Promise<void> {
    // Found first: what changes while it is read is read again by the next look.
    const state = await findState(db)
    if (onlyIfChanged && state === readState) return
    await read()
    readState = state
  }
  /** A refresh that is under way does not count: it may have read before the change. Callers that wait for its end share the next one. */
  async function refreshAgain(onlyIfChanged: boolean): Promise<void> {
    await refreshing
    refreshing ??= readIf(onlyIfChanged)
      .then(
        () => {
          if (isFailing) log('the release is refreshed again')
          isFailing = false
        },
        error => {
          // An outage is logged once, when it begins: the next look follows after a second.
          if (!isFailing) log(`release not refreshed: ${error instanceof Error ? error.message : String(error)}`)
          isFailing = true
        },
      )
      .finally(() => {
        refreshing = null
      })
    await refreshing
  }
  const stopping = new AbortController()
  const changed = createWakeup()
  const listening = listen({
    url,
    applicationName: 'crossfile api listener',
    channels: new Map([[releaseChannel, changed]]),
    stop: stopping.signal,
    onFailure: reason => log(`notifications: ${reason}`),
  })
  const following = (async () => {
    while (!stopping.signal.aborted) {
      await changed.wait(untilBeat(isFailing ? pollMs : changed.pauseMs))
      if (!stopping.signal.aborted) await refreshAgain(true)
    }
  })()
  return {
    refresh: () => refreshAgain(false),
    async close() {
      stopping.abort()
      changed.notify()
      await Promise.all([listening, following, refreshing])
    },
  }
}

/** Changes with everything that a refresh reads: one row in place of nine queries, because nearly every look finds no change. */
async function findState(db: Db): Promise<string> {
  const { rows } = await sql<{ state: string }>`select jsonb_build_array(
    (select jsonb_build_array(release, catalogue_version) from head),
    (select frozen_at from data_clock where released_at is null),
    (select jsonb_agg(jsonb_build_array(kid, status, compromised_from) order by kid) from signing_key),
    (select jsonb_build_array(count(*), max(found_at)) from damaged_file),
    (select jsonb_build_array(count(*), max(built_at)) from model_build),
    (select jsonb_build_array(count(*), max(made_at)) from sorted_copy))::text as state`.execute(db)
  return rows[0]?.state ?? ''
}
