// jobs.yaml: all jobs with their schedules. Read once and checked by zod; every error names the line.
import { Cron } from 'croner'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { z } from 'zod'
import { BadRequest } from './errors.ts'
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

const JobsFile = z.strictObject({
  version: z.literal(1),
  jobs: z.record(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected a name in kebab-case'), JobDefinition),
})

/** The names that jobs may refer to. */
export type KnownNames = { readonly plans: ReadonlySet<string>; readonly sources: ReadonlySet<string> }

type Fault = { readonly path: readonly PropertyKey[]; readonly message: string }

/**
 * The jobs of a jobs.yaml text, by name. Throws `BadRequest` listing every fault as `path:line: key: what to change`. With `known`, a plan
 * or source that it does not contain is a fault.
 */
export function parseJobs(text: string, path: string, known: KnownNames | null = null): ReadonlyMap<string, JobDefinition> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const faults = document.errors.map(error => `${path}:${lines.linePos(error.pos[0]).line}: ${error.message}`)
  if (faults.length > 0) throw new BadRequest(faults.join('\n'), { hint: 'jobs.yaml must be valid YAML' })
  const parsed = JobsFile.safeParse(document.toJS())
  const found = parsed.success ? (known === null ? [] : unknownNames(parsed.data.jobs, known)) : parsed.error.issues.flatMap(faultsOf)
  if (parsed.success && found.length === 0) return new Map(Object.entries(parsed.data.jobs).map(([name, job]) => [name, { name, ...job }]))
  const list = found.map(each => `${path}:${lineOf(document.contents, each.path, lines)}: ${each.path.join('.') || 'the file'}: ${each.message}`)
  throw new BadRequest(list.join('\n'), { hint: 'schemas/jobs.ts describes every key' })
}

/** An issue of zod; each unknown key is a fault at its line. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }]
  return issue.keys.map(key => ({ path: [...issue.path, key], message: 'there is no such key' }))
}

function unknownNames(jobs: z.infer<typeof JobsFile>['jobs'], known: KnownNames): Fault[] {
  return Object.entries(jobs).flatMap(([name, job]) => [
    ...(known.sources.has(job.source) ? [] : [{ path: ['jobs', name, 'source'], message: `there is no source ${JSON.stringify(job.source)}` }]),
    ...(known.plans.has(job.plan) ? [] : [{ path: ['jobs', name, 'plan'], message: `there is no plan ${JSON.stringify(job.plan)}` }]),
  ])
}

/** Why a cron text cannot be used; null if it can, and has a next moment. */
function cronFault(text: string): string | null {
  try {
    return new Cron(text, { paused: true }).nextRun(new Date('2024-01-01T00:00:00Z')) === null ? 'no day and hour ever match these fields' : null
  } catch (error) {
    return `is no schedule: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

/** The line of the deepest node that the path reaches. */
function lineOf(root: Node | null, path: readonly PropertyKey[], lines: LineCounter): number {
  let node: unknown = root
  let offset = root?.range?.[0] ?? 0
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(item => isScalar(item.key) && item.key.value === step)
      if (!pair) break
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(step)]
      offset = (node as Node | undefined)?.range?.[0] ?? offset
    } else break
  }
  return lines.linePos(offset).line
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
