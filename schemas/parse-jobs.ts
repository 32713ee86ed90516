// Reads jobs.yaml: all jobs with their schedules. Checked by zod; every error names the line. Separate from the
// description of a job, which belongs to the schemas of the API: the API reads no YAML.
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { z } from 'zod'
import { BadRequest } from './errors.ts'
import { JobDefinition } from './jobs.ts'

const JobsFile = z.strictObject({
  version: z.literal(1),
  jobs: z.record(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected a name in kebab-case'), JobDefinition),
})

/** The names that jobs may refer to. */
export type KnownNames = { readonly plans: ReadonlySet<string>; readonly sources: ReadonlySet<string> }

type Fault = { readonly path: readonly PropertyKey[]; readonly message: string }

/** The newest text that was without faults, as a start reads the same file several times. */
let newest: { readonly text: string; readonly jobs: ReadonlyMap<string, JobDefinition> } | null = null

/**
 * The jobs of a jobs.yaml text, by name. Throws `BadRequest` listing every fault as `path:line: key: what to change`. With `known`, a plan
 * or source that it does not contain is a fault.
 */
export function parseJobs(text: string, path: string, known: KnownNames | null = null): ReadonlyMap<string, JobDefinition> {
  if (newest?.text === text && (known === null || unknownNames(Object.fromEntries(newest.jobs), known).length === 0)) return newest.jobs
  const jobs = parseText(text, path, known)
  newest = { text, jobs }
  return jobs
}

function parseText(text: string, path: string, known: KnownNames | null = null): ReadonlyMap<string, JobDefinition> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const faults = document.errors.map(error => `${path}:${lines.linePos(error.pos[0]).line}: ${error.message}`)
  if (faults.length > 0) throw new BadRequest(faults.join('\n'), { hint: 'jobs.yaml must be valid YAML' })
  const parsed = JobsFile.safeParse(document.toJS(), { jitless: true })
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
