// `crossfile new` in a copy of the repository: the skeletons are written, their places filled in, and then the new dataset reads its
// fixture, the new endpoint answers over HTTP, and the job of the new source is planned.
import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placesLeft } from '#fixtures/places.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { marker } from './new/skeleton.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'crossfile-new-')))
const copy = join(folder, 'repository')
const { url } = await testDatabase()
const textOf = (file: string): string => readFileSync(join(copy, file), 'utf8')
/** What is filled into every place: long enough for a description. */
const filled = 'One row as the source reports it. This text is that of a test.'
/** The environment without that of the test runner, which a test run inside it would take for its own. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV|TEST|CROSSFILE_|DATABASE_URL)/.test(name)))

/** Runs a program of the copy; its exit code and its output. */
function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env: { ...env, ...more }, encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}` }
}
const crossfile = (...args: readonly string[]) => run([join(copy, 'pipelines/cli/main.ts'), ...args])
/** A program of node_modules, started without the check of the installation: it would install into the folder that the copy shares. */
const tool = (program: string, ...args: readonly string[]) => run([join(copy, 'node_modules', program), ...args])

/** The commands of CONTRIBUTING.md: the recipes are followed as they are printed there. */
const commands = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/`npm run -s crossfile -- (new [^`]+)`/g)].map(match =>
  (match[1] as string).split(' '),
)
const [newDataset = [], newOperation = [], newSource = []] = commands
/** By command: the files that it writes, and the registers that it changes. */
const made: { readonly command: readonly string[]; readonly written: readonly string[]; readonly changed: readonly string[] }[] = [
  {
    command: newDataset,
    written: [
      'schemas/short-interest.ts',
      'pipelines/read/short-interest.ts',
      'fixtures/short-interest/short-interest.csv',
      'fixtures/short-interest/short-interest.csv.expected.json',
    ],
    changed: ['schemas/index.ts', 'pipelines/read/register.ts', 'jobs.yaml'],
  },
  {
    command: newOperation,
    written: ['schemas/operations/short-interest.ts', 'warehouse/answers/short-interest.ts', 'warehouse/answers/short-interest.test.ts'],
    changed: ['schemas/operations/lake-operations.ts', 'warehouse/answers/index.ts'],
  },
  {
    command: newSource,
    written: [
      'pipelines/fetch/sources/short-reports.ts',
      'pipelines/fetch/sources/short-reports.test.ts',
      'pipelines/read/short-reports.ts',
      'fixtures/short-reports/short-reports.json',
      'fixtures/short-reports/short-reports.json.expected.json',
    ],
    changed: ['pipelines/fetch/sources/index.ts', 'pipelines/read/register.ts', 'pipelines/jobs/plans/plans.ts', 'jobs.yaml', 'docs/sources.md'],
  },
]
const touched = [...new Set(made.flatMap(({ written, changed }) => [...written, ...changed]))]

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\n')
  for (const file of files.filter(each => each !== '' && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    copyFileSync(join(root, file), join(copy, file))
  }
  symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'), 'junction')
})
let api: ChildProcess | null = null
afterAll(() => {
  api?.kill()
  rmSync(folder, { recursive: true, force: true })
})

describe('a skeleton', () => {
  it('of each kind has its command in CONTRIBUTING.md', () => {
    expect(commands.map(words => words.slice(0, 2).join(' '))).toEqual(['new dataset', 'new operation', 'new source'])
  })
  it.each([
    ['a name with capitals', ['new', 'dataset', 'ShortInterest'], 'is not a name'],
    ['a name that leaves its folder', ['new', 'dataset', '../short'], 'is not a name'],
    ['a reserved word', ['new', 'dataset', 'order'], 'is a reserved word'],
    ['a dataset that exists', ['new', 'dataset', 'bars'], 'exists already'],
    ['a job that does not exist', ['new', 'dataset', 'short_interest', '--job', 'none'], 'has no job none'],
    ['an operation that exists', ['new', 'operation', 'list_themes', '--dataset', 'bars'], 'exists already'],
    ['a path that is taken', ['new', 'operation', 'list_curated', '--dataset', 'bars', '--path', '/api/v1/themes'], 'is an operation already'],
    ['a dataset that does not exist', ['new', 'operation', 'list_shorts', '--dataset', 'shorts'], 'is not known'],
    ['a host of another source', ['new', 'source', 'shorts', '--dataset', 'bars', '--host', 'api.worldbank.org'], 'belongs to the source worldbank'],
    ['an address in place of a host', ['new', 'source', 'shorts', '--dataset', 'bars', '--host', 'https://a.example'], 'is not a host name'],
  ])('is not written for %s', (_what, command, message) => {
    const { code, text } = crossfile(...command)
    expect([code, text]).toEqual([2, expect.stringContaining(message)])
  })

  it.each(made)('is written by $command, and registered', ({ command, written, changed }) => {
    const before = changed.map(textOf)
    const { code, text } = crossfile(...command, '--json')
    expect([code, text]).toEqual([0, expect.stringContaining('{')])
    expect(JSON.parse(text)).toEqual({ written, changed })
    expect(changed.filter((file, at) => textOf(file) === before[at])).toEqual([])
  })

  it.each(made)('is not written a second time by $command', ({ command }) => {
    const before = touched.map(textOf)
    expect(crossfile(...command)).toEqual({ code: 2, text: expect.stringMatching(/exists? already/) })
    expect(touched.map(textOf)).toEqual(before)
  })

  it('has places to fill in, each named with its file', () => {
    const files = placesLeft(touched, textOf).map(each => each.slice(0, each.indexOf(':')))
    const complete = ['schemas/index.ts', 'pipelines/read/register.ts', 'schemas/operations/lake-operations.ts', 'warehouse/answers/index.ts']
    const data = ['fixtures/short-interest/short-interest.csv', 'fixtures/short-reports/short-reports.json', 'pipelines/fetch/sources/index.ts']
    expect([...new Set(files)].sort()).toEqual(touched.filter(file => ![...complete, ...data].includes(file)).sort())
  })
})

describe('a skeleton whose places are filled in', () => {
  beforeAll(() => {
    for (const file of touched) writeFileSync(join(copy, file), textOf(file).replaceAll(new RegExp(`${marker} [^'"\`\\n|*]*`, 'g'), filled))
    const fixture = 'fixtures/short-reports/short-reports.json'
    writeFileSync(join(copy, fixture), '{ "data": [{ "symbol": "GLPR.TO", "date": "2026-11-18", "value": 11.250 }] }\n')
    const expected = {
      ...JSON.parse(textOf(`${fixture}.expected.json`)),
      facts: { short_interest: [{ symbol: 'GLPR.TO', date: '2026-11-18', value: '11.250' }] },
    }
    writeFileSync(join(copy, `${fixture}.expected.json`), JSON.stringify(expected))
  })

  it('has no place left, is well formed and fits the types', () => {
    expect(placesLeft(touched, textOf)).toEqual([])
    const code = touched.filter(file => file.endsWith('.ts'))
    expect(tool('@biomejs/biome/bin/biome', 'check', '--write', ...code)).toMatchObject({ code: 0 })
    expect(tool('typescript/bin/tsc', '--noEmit')).toEqual({ code: 0, text: '' })
  })

  it('passes its tests and those of the registers', () => {
    const tests = [
      'warehouse/answers/short-interest.test.ts',
      'pipelines/read/fixtures.test.ts',
      'pipelines/read/register.test.ts',
      'pipelines/fetch/sources/short-reports.test.ts',
      'pipelines/fetch/sources/sources.test.ts',
    ]
    const { code, text } = tool('vitest/vitest.mjs', 'run', ...tests)
    expect([code, text]).toEqual([0, expect.stringContaining(`${tests.length} passed`)])
  })

  it('has a job whose plan lists the documents of a window', () => {
    writeFileSync(
      join(copy, 'planned.ts'),
      `import { readFileSync } from 'node:fs'
import { parseJobs } from './schemas/parse-jobs.ts'
import { plans } from './pipelines/jobs/plans/plans.ts'
import { upstreams } from './pipelines/fetch/sources/index.ts'
const known = { plans: new Set(plans.keys()), sources: new Set([...upstreams.keys(), 'crossfile']) }
const job = parseJobs(readFileSync('jobs.yaml', 'utf8'), 'jobs.yaml').get('short-reports')!
if (!known.plans.has(job.plan) || !known.sources.has(job.source)) throw new TypeError('not registered')
const window = { partition: 'x', from: '2026-11-18', to: '2026-11-19', symbols: null, today: '2026-11-19' }
const wanted = await plans.get(job.plan)!.first(window, { cikOf: async () => null })
console.log(JSON.stringify(wanted.map(each => [each.url, each.final])))
`,
    )
    const { code, text } = run([join(copy, 'planned.ts')])
    expect([code, text.trim()]).toEqual([
      0,
      JSON.stringify([
        ['https://data.example.org/short-reports?date=2026-11-18', true],
        ['https://data.example.org/short-reports?date=2026-11-19', false],
      ]),
    ])
  })

  it('ingests its fixtures, and its endpoint answers', async () => {
    const recorded = join(folder, 'recorded')
    mkdirSync(recorded)
    for (const file of ['short-interest/short-interest.csv', 'short-reports/short-reports.json'])
      copyFileSync(join(copy, 'fixtures', file), join(recorded, file.slice(file.indexOf('/') + 1)))
    const settings = { DATABASE_URL: url, CROSSFILE_DATA: join(folder, 'data'), CROSSFILE_LOG: 'error', PORT: '0' }
    const ingested = run([join(copy, 'pipelines/cli/main.ts'), 'ingest', '--recorded', recorded, '--json'], settings)
    expect([ingested.code, ingested.text]).toEqual([0, expect.stringContaining('"short_interest"')])
    api = fork(join(copy, 'api/server.ts'), [], { cwd: copy, env: { ...env, ...settings }, execPath: process.execPath, execArgv: [] })
    const { address } = await new Promise<{ address: string }>((resolve, reject) => {
      api?.once('message', message => resolve(message as { address: string }))
      api?.once('exit', code => reject(new Error(`the API ended with ${code}`)))
    })
    const response = await fetch(`${address}/api/v1/short-interest?symbol=glpr.to`)
    const answer = await response.text()
    expect([response.status, JSON.parse(answer)]).toEqual([
      200,
      expect.objectContaining({
        symbol: 'GLPR.TO',
        coverage: { status: 'read', sentence: filled, from: null },
        count: 2,
        rows: [
          { symbol: 'GLPR.TO', date: '2026-11-19', value: 12.5 },
          { symbol: 'GLPR.TO', date: '2026-11-18', value: 11.25 },
        ],
      }),
    ])
    // The digits of the source are kept.
    expect(answer).toContain('"value":11.250')
    const catalogue = (await (await fetch(`${address}/api/v1/data/catalog`)).json()) as { code?: string }
    expect(catalogue.code).toBe('unauthorized')
    const described = (await (await fetch(`${address}/openapi.json`)).json()) as { paths: Record<string, unknown> }
    expect(Object.keys(described.paths)).toContain('/api/v1/short-interest')
  })
})
