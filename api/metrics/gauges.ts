// Gauges at the time of a scrape: the release, queued work, sessions, this process.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sql } from 'kysely'
import type { Db } from '#warehouse/store/postgres.ts'
import { deadLetterQueue } from '#warehouse/store/queue.ts'
import type { Gauge } from './metrics.ts'

export type Head = { readonly release: number | null; readonly as_of: string }

/** One query per scrape; if Postgres does not respond, `crossfile_up` is 0 and its gauges are omitted. */
export function createGauges(db: Db, head: () => Head, now: () => Date): { read(): Promise<Gauge[]>; close(): void } {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    close: () => void delay.disable(),
    async read() {
      const { release, as_of } = head()
      const lag = Number.isNaN(delay.percentile(99)) ? 0 : delay.percentile(99) / 1e9
      delay.reset()
      const own: Gauge[] = [
        { name: 'crossfile_release', help: 'Release that this process answers from', value: release ?? 0 },
        {
          name: 'crossfile_release_age_seconds',
          help: 'Seconds since that release was committed',
          value: release === null ? 0 : Math.max(0, (now().getTime() - Date.parse(as_of)) / 1000),
        },
        { name: 'process_resident_memory_bytes', help: 'Memory of this process', value: process.memoryUsage.rss() },
        { name: 'crossfile_event_loop_delay_p99_seconds', help: 'Delay of the event loop since the last scrape', value: lag },
      ]
      try {
        return [...own, { name: 'crossfile_up', help: '1 where Postgres answers', value: 1 }, ...(await stored(db, now()))]
      } catch {
        return [...own, { name: 'crossfile_up', help: '1 where Postgres answers', value: 0 }]
      }
    },
  }
}

async function stored(db: Db, now: Date): Promise<Gauge[]> {
  const at = now.toISOString()
  const { rows: jobs } = await sql<{ queue: string; waiting: string; running: string }>`
    select name as queue, count(*) filter (where state in ('created', 'retry')) as waiting, count(*) filter (where state = 'active') as running
    from pgboss.job where state in ('created', 'retry', 'active') group by name order by name`.execute(db)
  const { rows: counts } = await sql<{ sessions: string; mails: string; pushes: string; subscriptions: string }>`
    select (select count(*) from user_session where idle_until > ${at} and expires_at > ${at}) as sessions,
      (select count(*) from mail_outbox where sent_at is null and given_up_at is null) as mails,
      (select count(*) from push_outbox where sent_at is null and given_up_at is null) as pushes,
      (select count(*) from push_subscription) as subscriptions`.execute(db)
  const [count] = counts
  const letters = jobs.find(each => each.queue === deadLetterQueue)
  return [
    ...jobs
      .filter(each => each.queue !== deadLetterQueue)
      .flatMap(({ queue, waiting, running }) => [
        { name: 'crossfile_jobs', help: 'Jobs by queue', value: Number(waiting), labels: { queue, state: 'waiting' } },
        { name: 'crossfile_jobs', help: 'Jobs by queue', value: Number(running), labels: { queue, state: 'running' } },
      ]),
    { name: 'crossfile_dead_letters', help: 'Jobs that were given up', value: Number(letters?.waiting ?? 0) },
    { name: 'crossfile_sessions', help: 'Sessions that are live', value: Number(count?.sessions ?? 0) },
    { name: 'crossfile_mails_waiting', help: 'Mails in the outbox', value: Number(count?.mails ?? 0) },
    { name: 'crossfile_pushes_waiting', help: 'Pushes in the outbox', value: Number(count?.pushes ?? 0) },
    { name: 'crossfile_push_subscriptions', help: 'Browsers that are sent notices', value: Number(count?.subscriptions ?? 0) },
  ]
}
