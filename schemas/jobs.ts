// A job of jobs.yaml: its schedule, plan, source and limits.
import { Cron } from 'croner'
import { z } from 'zod'
import { type DatasetName, datasetNames } from './index.ts'

const Calendar = z.enum(['XNYS', 'XTSE', 'BOC'])

const Schedule = z.strictObject({
  /** Five fields, as crontab has them. */
  cron: z
    .string()
    .regex(/^\S+(\s+\S+){4}$/, 'expected five fields: minute hour day month weekday')
    .superRefine((text, ctx) => {
      const fault = cronFault(text)
      if (fault !== null) ctx.addIssue(fault)
    }),
  time_zone: z.string().refine(isTimeZone, 'no such IANA time zone'),
  /** The job runs only if the day (in the time zone) is a session of this calendar. */
  calendar: Calendar.nullable().default(null),
})

export const JobDefinition = z.strictObject({
  title: z.string().min(3),
  /** An upstream of pipelines/fetch/sources, or `crossfile` for housekeeping. */
  source: z.string(),
  /** The name of a plan in pipelines/jobs/plans/plans.ts, which lists the addresses to request. */
  plan: z.string(),
  datasets: z.array(z.enum(datasetNames as [DatasetName, ...DatasetName[]])),
  schedule: Schedule.nullable(),
  /** Attempts that may run at the same time over all workers of this process. */
  concurrency: z.int().min(1).max(16).default(1),
  retry: z
    .strictObject({ limit: z.int().min(0).max(20), backoff_seconds: z.tuple([z.int().min(1), z.int().min(1)]) })
    .default({ limit: 8, backoff_seconds: [5, 900] }),
  timeout_minutes: z.int().min(1).max(1440).default(15),
  /** How a backfill is split into windows; `none` if the source has no history. */
  backfill: z.enum(['none', 'day', 'month', 'quarter', 'symbol']),
  /** Age of the newest successful load after which the status is stale; null for housekeeping. */
  freshness_minutes: z.int().min(1).nullable(),
  /** `on`, `off`, or `auto`: on if the source has the credential it needs. */
  enabled: z.enum(['on', 'off', 'auto']).default('auto'),
})
export type JobDefinition = z.infer<typeof JobDefinition> & { readonly name: string }

/** Why a cron text cannot be used; null if it can, and has a next moment. */
function cronFault(text: string): string | null {
  try {
    return new Cron(text, { paused: true }).nextRun(new Date('2024-01-01T00:00:00Z')) === null ? 'no day and hour ever match these fields' : null
  } catch (error) {
    return `is no schedule: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

/** Zones that were found: the jobs of a file name two or three, and a format takes longer to make than the rest of a job to check. */
const timeZones = new Set<string>()
function isTimeZone(name: string): boolean {
  if (timeZones.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    timeZones.add(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
