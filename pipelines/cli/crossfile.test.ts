import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'

const checkouts: string[] = []
const running: ChildProcess[] = []

const lock = (version: string) => ({
  lockfileVersion: 3,
  packages: {
    '': { name: 'crossfile', dependencies: { tape: version } },
    'node_modules/tape': { version, integrity: `sha512-${version}`, bin: { tape: 'tape.js' }, optionalDependencies: { 'tape-sparc': version } },
    'node_modules/tape-sparc': { version, integrity: 'sha512-x', optional: true, os: 'solaris', cpu: 'sparc' },
  },
})

/** What npm leaves behind: its record and the packages' folders. */
const fakeInstall = `
  const { mkdirSync, writeFileSync, readFileSync } = require('node:fs')
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const { '': self, 'node_modules/tape-sparc': other, ...rest } = packages
  mkdirSync('node_modules/tape', { recursive: true })
  writeFileSync('node_modules/tape/tape.js', 'console.log("tape", process.argv.slice(2).join())')
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: rest }))`

/** A checkout in which nothing is installed, with an npm that notes how it is called and does as `npm` says. */
function aCheckout({ main = '', npm = fakeInstall, version = '1.0.0' } = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'crossfile-checkout-'))
  checkouts.push(root)
  mkdirSync(join(root, 'pipelines', 'cli'), { recursive: true })
  mkdirSync(join(root, 'bin'))
  for (const name of ['compiled.mjs', 'crossfile.mjs', 'installed.mjs', 'npm-parent.mjs', 'packaged-node.mjs', 'with-parent.mjs'])
    copyFileSync(join(import.meta.dirname, name), join(root, 'pipelines', 'cli', name))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'crossfile', type: 'module' }))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock(version)))
  writeFileSync(join(root, 'pipelines', 'cli', 'main.ts'), main)
  const note = `require('node:fs').appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');`
  writeFileSync(join(root, 'bin', 'package.json'), '{"type":"commonjs"}')
  writeFileSync(join(root, 'bin', 'npm'), `#!${process.execPath}\n${note}\n${npm}`)
  chmodSync(join(root, 'bin', 'npm'), 0o755)
  return root
}

const npmCalls = (root: string): string[] =>
  existsSync(join(root, 'npm-calls')) ? readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n') : []

function start(root: string, args: readonly string[] = [], path = join(root, 'bin')): ChildProcess {
  const env = { PATH: [path, dirname(process.execPath)].join(delimiter), HOME: root }
  const child = spawn(process.execPath, [join(root, 'pipelines', 'cli', 'crossfile.mjs'), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  return child
}

async function run(root: string, args: readonly string[] = [], path?: string) {
  const child = start(root, args, path)
  let out = ''
  let err = ''
  child.stdout?.on('data', chunk => (out += chunk))
  child.stderr?.on('data', chunk => (err += chunk))
  const [code, signal] = await once(child, 'close')
  return { code, signal, out, err }
}

/** Waits until the child has printed `word`. */
async function printed(child: ChildProcess, word: string): Promise<string> {
  let out = ''
  child.stdout?.on('data', chunk => (out += chunk))
  while (!out.includes(word)) {
    if (child.exitCode !== null) throw new Error(`ended without printing ${word}: ${out}`)
    await sleep(10)
  }
  return out
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  for (const root of checkouts.splice(0)) rmSync(root, { recursive: true, force: true })
})

describe.skipIf(process.platform === 'win32')('the first start', () => {
  test('installs from the lockfile without install scripts, runs the command, and the second start installs nothing', async () => {
    const root = aCheckout({ main: 'const args: string[] = process.argv.slice(2); console.log("main", args.join()); process.exitCode = 3' })
    const first = await run(root, ['status', '--json'])
    expect(first).toMatchObject({ code: 3, out: 'main status,--json\n' })
    expect(first.err).toContain('installing the packages of package-lock.json')
    expect(npmCalls(root)).toHaveLength(1)
    expect(npmCalls(root)[0]).toMatch(/^ci --ignore-scripts --include=dev --include=optional /)
    expect(await run(root, ['status'])).toMatchObject({ code: 3, out: 'main status\n', err: '' })
    expect(npmCalls(root)).toHaveLength(1)
  })

  test('after a change of the lockfile installs again', async () => {
    const root = aCheckout()
    await run(root)
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock('1.0.1')))
    expect((await run(root)).code).toBe(0)
    expect(npmCalls(root)).toHaveLength(2)
  })

  test("takes somebody's own npm ci for what it is", async () => {
    const root = aCheckout()
    await run(root)
    rmSync(join(root, 'node_modules', '.crossfile-installed'))
    expect((await run(root)).code).toBe(0)
    expect(npmCalls(root)).toHaveLength(1)
    rmSync(join(root, 'node_modules', '.crossfile-installed'))
    rmSync(join(root, 'node_modules', 'tape'), { recursive: true })
    await run(root)
    expect(npmCalls(root)).toHaveLength(2)
  })

  test('two at the same moment install once', async () => {
    const root = aCheckout()
    const both = await Promise.all([run(root), run(root)])
    expect(both.map(each => each.code)).toEqual([0, 0])
    expect(npmCalls(root)).toHaveLength(1)
  })

  test('without npm says so', async () => {
    const root = aCheckout()
    rmSync(join(root, 'bin', 'npm'))
    // The folder of this Node may hold an npm of its own.
    const child = spawn(process.execPath, [join(root, 'pipelines', 'cli', 'crossfile.mjs')], { env: { PATH: join(root, 'bin') } })
    let err = ''
    child.stderr.on('data', chunk => (err += chunk))
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(err).toContain('npm is not on PATH')
  })

  test("without a network repeats npm's words and what to do, and leaves no stamp", async () => {
    const root = aCheckout({ npm: 'console.error("npm error code ENOTFOUND"); process.exit(1)' })
    const { code, err } = await run(root)
    expect(code).toBe(1)
    expect(err).toContain('npm error code ENOTFOUND')
    expect(err).toContain('cannot reach its registry')
    expect(existsSync(join(root, 'node_modules', '.crossfile-installed'))).toBe(false)
  })

  test('a lockfile that lacks optional packages of other platforms, which npm 11 refuses, is installed as it is', async () => {
    const refuse = `if (process.argv[2] === 'ci') { console.error('npm error code EUSAGE\\nnpm error Missing: tape-sparc@ from lock file'); process.exit(1) }`
    const root = aCheckout({ npm: `${refuse}\n${fakeInstall}` })
    expect((await run(root)).code).toBe(0)
    expect(npmCalls(root).map(call => call.split(' --ignore')[0])).toEqual(['ci', 'install --no-save'])
  })

  test('a lockfile that lacks a package that is needed is refused', async () => {
    const root = aCheckout({ npm: "console.error('npm error Missing: quote@1.0.0 from lock file'); process.exit(1)" })
    const { code, err } = await run(root)
    expect([code, npmCalls(root).length]).toEqual([1, 1])
    expect(err).toContain('Missing: quote@1.0.0')
  })
})

describe.skipIf(process.platform === 'win32')('the running command', () => {
  test('--exec runs the bin of a package with its arguments', async () => {
    expect(await run(aCheckout(), ['--exec', 'tape', '--fast', 'x'])).toMatchObject({ code: 0, out: 'tape --fast,x\n' })
    expect((await run(aCheckout(), ['--exec', 'nothing'])).err).toContain('no installed package has a bin named "nothing"')
  })

  test('a Ctrl-C that npm and the terminal both report reaches it once, and its exit code is ours', async () => {
    const root = aCheckout({
      main: `let times = 0; setInterval(() => {}, 1000)
        process.on('SIGINT', () => { times++; if (times === 1) setTimeout(() => process.exit(40 + times), 300) })
        console.log('ready')`,
    })
    const child = start(root)
    await printed(child, 'ready')
    child.kill('SIGINT')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([41, null])
  })

  test('dying of a signal is passed on as such', async () => {
    expect(await run(aCheckout({ main: 'process.kill(process.pid, "SIGKILL")' }))).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  test('ends cleanly when the one who started it is killed with -9', async () => {
    const root = aCheckout({
      main: `import { writeFileSync } from 'node:fs'
        setInterval(() => {}, 1000)
        process.on('SIGTERM', () => { writeFileSync(process.argv[2] ?? '', 'clean'); process.exit(0) })
        console.log('ready')`,
    })
    const mark = join(root, 'ended')
    const child = start(root, [mark])
    await printed(child, 'ready')
    child.kill('SIGKILL')
    while (!existsSync(mark)) await sleep(10)
    while (readFileSync(mark, 'utf8') !== 'clean') await sleep(10)
  })
})
