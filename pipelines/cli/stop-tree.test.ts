// A service is started as people do it, by `npm start`, and one of its processes gets a signal: whatever that was, nothing is left
// running afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { inherited } from '#fixtures/inherited.ts'
import { findProgram } from '#fixtures/world/chaos/tools.ts'
import { openCluster } from '#warehouse/store/embedded-postgres/cluster.ts'
import { findRunning } from '#warehouse/store/embedded-postgres/server.ts'
import { compiledName, currentFolder } from './compiled.mjs'

type Process = { readonly pid: number; readonly parent: number; readonly command: string }

const root = join(import.meta.dirname, '..', '..')
const folders: string[] = []
const started = new Set<number>()

/** A process by its id; null if it is gone, or only waits for its parent to notice its end. */
function processOf(pid: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return null
    return { pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }
  } catch {
    return null
  }
}
const isAlive = (pid: number): boolean => processOf(pid) !== null

/** A process and everything that it started. */
function treeOf(pid: number): Process[] {
  const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []))
  const below = (parent: number): Process[] => all.filter(each => each.parent === parent).flatMap(each => [each, ...below(each.pid)])
  return [...all.filter(each => each.pid === pid), ...below(pid)]
}

async function until(what: string, done: () => boolean): Promise<void> {
  // The test's own time limit ends the wait.
  while (!done()) await sleep(50)
  expect(done(), what).toBe(true)
}

/** The tree of a service that is ready: npm, its shell if it keeps one, our programs, Postgres with its processes. */
async function startByNpm(): Promise<{ npm: ChildProcess; data: string; tree: Process[] }> {
  const base = await mkdtemp(join(tmpdir(), 'crossfile-tree-'))
  folders.push(base)
  const data = join(base, 'data')
  await mkdir(data)
  // Live data without sources: nothing is loaded, so that the start takes seconds.
  const jobs = join(base, 'jobs.yaml')
  await writeFile(jobs, 'version: 1\njobs: {}\n')
  const env = {
    ...inherited,
    PORT: '0',
    CROSSFILE_DATA: data,
    CROSSFILE_LOG: 'warn',
    CROSSFILE_CONTACT: 'A Tester tester@example.invalid',
    CROSSFILE_JOBS: jobs,
  }
  const npm = spawn('npm', ['start', '--', '--json'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  started.add(npm.pid as number)
  let result = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [npm.stdout, npm.stderr])
      stream?.on('data', (part: Buffer) => {
        result += part.toString()
        if (result.includes('"ready":true')) resolve()
      })
    npm.once('exit', code => reject(new Error(`npm ended with ${code}: ${result}`)))
  })
  const cluster = openCluster(join(data, 'postgres'))
  const postmaster = cluster === null ? null : findRunning(cluster)
  if (postmaster === null) throw new Error('no Postgres runs')
  const tree = new Map([...treeOf(npm.pid as number), ...treeOf(postmaster.pid)].map(each => [each.pid, each]))
  for (const pid of tree.keys()) started.add(pid)
  return { npm, data, tree: [...tree.values()] }
}

afterAll(async () => {
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  for (const folder of folders) {
    // Where root's Postgres could not enter the folder, its cluster is elsewhere.
    const pointer = join(folder, 'data', 'postgres', 'cluster.json')
    if (existsSync(pointer)) await rm(join((JSON.parse(readFileSync(pointer, 'utf8')) as { cluster: string }).cluster, '..'), { recursive: true })
    await rm(folder, { recursive: true, force: true })
  }
})

/** Programs run from their sources where packages are linked (compiled.mjs). */
const nameOf = (program: string): string => (currentFolder(root) === null ? program : compiledName(program))

const find = (tree: readonly Process[], text: string): number => {
  const found = tree.find(each => each.command.includes(text))
  if (found === undefined) throw new Error(`no process of the tree is called ${text}:\n${tree.map(each => each.command).join('\n')}`)
  return found.pid
}

const cases: readonly { readonly name: string; readonly send: (tree: readonly Process[], npm: number) => void }[] = [
  { name: 'SIGTERM to npm', send: (_tree, npm) => process.kill(npm, 'SIGTERM') },
  { name: 'SIGKILL to npm', send: (_tree, npm) => process.kill(npm, 'SIGKILL') },
  {
    name: 'SIGTERM to npm and its shell',
    send: (tree, npm) => {
      // The shell first: npm passes the signal on to it, and it may have ended then.
      const shells = tree.filter(({ parent, command }) => parent === npm && command.startsWith('sh '))
      for (const pid of [...shells.map(each => each.pid), npm]) process.kill(pid, 'SIGTERM')
    },
  },
  { name: 'Ctrl-C in its terminal', send: (_tree, npm) => process.kill(-npm, 'SIGINT') },
  { name: 'a terminal that is closed', send: (_tree, npm) => process.kill(-npm, 'SIGHUP') },
  { name: 'SIGKILL to the program that npm runs', send: tree => process.kill(find(tree, 'crossfile.mjs start'), 'SIGKILL') },
  { name: 'SIGKILL to the supervisor', send: tree => process.kill(find(tree, `${nameOf('pipelines/cli/main.ts')} start`), 'SIGKILL') },
]

describe.skipIf(process.platform !== 'linux' || findProgram('npm') === null)('npm start', () => {
  test.each(cases)('leaves nothing running after $name', async ({ send }) => {
    const { npm, data, tree } = await startByNpm()
    const programs = [
      'crossfile.mjs start',
      `${nameOf('pipelines/cli/main.ts')} start`,
      nameOf('pipelines/jobs/worker/main.ts'),
      nameOf('api/server.ts'),
      'postgres: ',
    ]
    for (const program of programs) find(tree, program)
    send(tree, npm.pid as number)
    await until('all ended', () => !tree.some(each => isAlive(each.pid)))
    const cluster = openCluster(join(data, 'postgres'))
    expect(cluster && findRunning(cluster)).toBe(null)
    const inside = readdirSync('/proc').filter(name => {
      try {
        return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === cluster?.folder
      } catch {
        return false
      }
    })
    expect(inside).toEqual([])
  })
})
