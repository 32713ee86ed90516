// The package as npm packs it, installed below node_modules of an empty folder and started there. The dependencies are links to those of the
// repository, so the test needs no network; npm itself is needed for packing.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endProcess } from '#fixtures/child-process.ts'
import { inherited } from '#fixtures/inherited.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'crossfile-package-'))
const home = join(folder, 'empty')
const installed = join(home, 'node_modules', 'crossfile')
const windows = process.platform === 'win32'
const hasNpm = !windows && spawnSync('npm', ['--version']).status === 0
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
/** What a user's shell has, without the options of the test runner. */
const environment = inherited
let started: ChildProcess | null = null

/** Links every dependency but this package, scoped ones by their scope. */
function linkDependencies(from: string, to: string): void {
  for (const name of readdirSync(from)) if (name !== '.bin' && name !== 'crossfile') symlinkSync(join(from, name), join(to, name))
}

const bin = join(home, 'node_modules', '.bin', 'crossfile')
const run = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { cwd: home, env: environment, encoding: 'utf8' })

describe.skipIf(!hasNpm)('the package', () => {
  let files: string[] = []
  beforeAll(() => {
    const npm = ['pack', '--ignore-scripts', '--offline', '--json', '--pack-destination', folder]
    const [packed] = JSON.parse(execFileSync('npm', npm, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as [
      { filename: string; files: { path: string }[] },
    ]
    files = packed.files.map(({ path }) => path)
    mkdirSync(join(home, 'node_modules', '.bin'), { recursive: true })
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', join(home, 'node_modules')])
    execFileSync('mv', [join(home, 'node_modules', 'package'), installed])
    linkDependencies(join(root, 'node_modules'), join(home, 'node_modules'))
    // What npm does for a bin.
    symlinkSync(join('..', 'crossfile', 'pipelines', 'cli', 'crossfile.mjs'), bin)
    chmodSync(join(installed, 'pipelines', 'cli', 'crossfile.mjs'), 0o755)
  })
  afterAll(async () => {
    await endProcess(started, 'SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  it('holds the programs, the jobs, the universe and the documentation, and no test, data or setting', () => {
    for (const file of ['pipelines/cli/crossfile.mjs', 'api/server.ts', 'jobs.yaml', 'fixtures/world/simulator.ts', 'docs/README.md', 'LICENSE'])
      expect(files).toContain(file)
    expect(files.filter(file => /\.test\.ts$|^(?:data|node_modules|bench)\/|(?:^|\/)\.env/.test(file))).toEqual([])
    expect(files.length).toBeGreaterThan(1000)
  })
  it('runs its commands: Node strips no types below node_modules, the launcher does', () => {
    const reported = run('--version')
    expect([reported.status, reported.stdout, reported.stderr]).toEqual([0, `crossfile ${version}\n`, ''])
    expect(run('jobs', '--json')).toMatchObject({ status: 0, stderr: '' })
    expect(run('--test')).toMatchObject({ status: 1, stderr: expect.stringContaining('for a clone of the repository') })
    // A typing mistake gets the nearest command, and no stack trace.
    expect(run('statsu')).toMatchObject({ status: 2, stderr: expect.stringContaining('did you mean status?') })
  })
  it('starts in an empty folder, answers, and makes answers in threads', async () => {
    const child = spawn(process.execPath, [bin, 'start', '--json'], {
      cwd: home,
      env: { ...environment, PORT: '0', CROSSFILE_LOG: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started = child
    let problems = ''
    child.stderr.on('data', chunk => {
      problems += String(chunk)
    })
    const line = await new Promise<string>((resolve, reject) => {
      let out = ''
      child.stdout.on('data', chunk => {
        out += String(chunk)
        if (out.includes('\n')) resolve(out)
      })
      child.once('exit', code => reject(new Error(`ended with ${code}: ${problems}`)))
    })
    const { api, key } = JSON.parse(line) as { api: string; key: string }
    expect(existsSync(join(home, 'data', 'postgres'))).toBe(true)
    const workbook = await fetch(`${api}/api/v1/market/eod/GLPR.TO?limit=2&format=xlsx`)
    expect([workbook.status, workbook.headers.get('content-type')]).toEqual([200, expect.stringContaining('spreadsheetml')])
    const drill = await fetch(`${api}/api/v1/data/drill/interpret`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hole A-1 returned 10.0 m of 3.2 g/t gold.' }),
    })
    expect(drill.status).toBe(200)
    expect(run('open')).toMatchObject({ status: 0, stdout: `${api}/\n` })
  })
})
