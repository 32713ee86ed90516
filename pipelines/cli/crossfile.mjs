#!/usr/bin/env node
// Entry point for any Node from 18 on, with nothing installed: brings node_modules up to package-lock.json, then runs the
// command line (main.ts), the tests (--test) or a package's bin (--exec NAME …) under the Node that the lockfile pins.
// Plain JavaScript, built-in modules only. Its messages go to stderr: stdout belongs to the command.
//
// Signals: on POSIX the child leads its own session, so a Ctrl-C of the terminal arrives here and is passed on once,
// however many times npm and the terminal repeat it within a second. A second Ctrl-C after that is passed on again.
// Orphans: the child gets a pipe to this process; with-parent.mjs, which it loads first, ends it when the pipe closes. npm gives
// this process no such pipe, and a signal for npm ends only npm and its shell: their process ids are watched instead, by the child
// where it can, so that this process is not woken while the child runs.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { compiledName, currentFolder, ensureCompiled } from './compiled.mjs'
import { ensureInstalled, readLock } from './installed.mjs'
import { createEnding, findNpm, isSeenByOthers, whenNpmEnds } from './npm-parent.mjs'
import { packagedNode } from './packaged-node.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')
/** Installed as a package: npm has installed its dependencies, and there is no lockfile. */
const isPackage = root.split(sep).includes('node_modules')
const repeatWithinMs = 1000
const watchNpmMs = 5_000
const withParent = pathToFileURL(join(here, 'with-parent.mjs')).href
/** Commands that load most of the sources; `--version` prepares an installation for a user who may not write into it (docs/how-to/systemd.md). */
const services = ['start', 'worker', 'api', '--version']

/** @param {string} line */
const say = line => process.stderr.write(`crossfile: ${line}\n`)

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`crossfile: ${message}\n`)
  process.exit(1)
}

/** The packaged Node of this platform, else the system's if it runs TypeScript unmodified (22.18 or newer). */
function findNode() {
  const packaged = packagedNode(root)
  const tried = packaged && spawnSync(packaged, ['--version'], { encoding: 'utf8' })
  if (tried && tried.status === 0) return packaged
  // npm puts this folder first on PATH, and a Node that cannot run would hide the working one at the next start.
  if (packaged && !isPackage) rmSync(join(root, 'node_modules', '.bin', 'node'), { force: true })
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath
  const why = packaged
    ? `the packaged Node does not run here (${(tried.error?.message ?? tried.stderr).trim().split('\n')[0]}; it needs glibc 2.28 or newer)`
    : `no packaged Node for ${process.platform}-${process.arch}`
  return fail(`${why}, and this one is ${process.version}: install Node 22.18 or newer and run the same command with it`)
}

/** The file behind a bin name, as the lockfile records it; the same on every platform, unlike node_modules/.bin. */
function findBin(name) {
  for (const [path, entry] of Object.entries(readLock(root).packages)) {
    const file = entry.bin?.[name]
    if (file !== undefined && path !== '' && existsSync(join(root, path, file))) return join(root, path, file)
  }
  return fail(`no installed package has a bin named "${name}"`)
}

/** The command line's program: the compiled one if it is current, and for a service, which loads far more, it is made so. */
async function commandLine(node, args) {
  const source = join('pipelines', 'cli', 'main.ts')
  if (isPackage) return join(root, source)
  const folder = services.includes(args[0]) ? await ensureCompiled(root, node, say) : currentFolder(root)
  return folder === null ? join(root, source) : join(folder, compiledName('pipelines/cli/main.ts'))
}

/** What to start: the program and its arguments. */
async function plan(args) {
  const node = findNode()
  const watch = ['--import', withParent]
  if (isPackage && args[0]?.startsWith('--') && ['--test', '--exec'].includes(args[0])) return fail(`${args[0]} is for a clone of the repository`)
  if (args[0] === '--test') return [node, [...watch, join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args.slice(1)]]
  if (args[0] !== '--exec') return [node, [...watch, await commandLine(node, args), ...args]]
  const [name, ...rest] = args.slice(1)
  if (name === undefined) return fail('--exec needs the name of a bin, such as: --exec tsc --noEmit')
  if (name === 'node') return [node, [...watch, ...rest]]
  const bin = findBin(name)
  const script = /\.[cm]?js$/.test(bin) || /^#!.*\bnode\b/.test(readFileSync(bin, 'latin1').slice(0, 200))
  return script ? [node, [...watch, bin, ...rest]] : [bin, rest]
}

function run(command, args) {
  // This process only waits from now on, and V8 would wake it every eight seconds to look for garbage.
  setFlagsFromString('--no-memory-reducer')
  const windows = process.platform === 'win32'
  const modules = isPackage ? dirname(root) : join(root, 'node_modules')
  const bin = join(modules, '.bin')
  const pathName = Object.keys(process.env).find(name => name.toUpperCase() === 'PATH') ?? 'PATH'
  const path = [bin, process.env[pathName]].filter(Boolean).join(delimiter)
  // Node strips no types below node_modules. Processes and threads of the program inherit the option.
  const strip = isPackage ? `--disable-warning=ExperimentalWarning --import ${pathToFileURL(join(here, 'strip-types.mjs')).href}` : ''
  const options = strip === '' ? {} : { NODE_OPTIONS: [process.env.NODE_OPTIONS, strip].filter(Boolean).join(' ') }
  // Node caches compiled code, checked by content, which shortens the start of each program by a third. Vitest has a separate compiler.
  const cache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', isPackage ? 'crossfile' : 'compiled') }
  const isWatchedByChild = npm !== null && args.includes(withParent) && isSeenByOthers(npm)
  const parents = { CROSSFILE_PARENT_PIPE: '3', ...(isWatchedByChild ? { CROSSFILE_PARENT_NPM: npm.join(' ') } : {}) }
  const env = { ...process.env, ...(process.argv[2] === '--test' ? {} : cache), ...options, [pathName]: path, ...parents }
  const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env, detached: !windows })
  child.on('error', error => fail(`could not start ${command}: ${error.message}`))
  const pipe = child.stdio[3]
  pipe?.on('error', () => {})
  // The child shuts down as usual.
  const ending = createEnding(() => child.kill('SIGTERM'))
  end = ending.request
  const last = new Map()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      const now = performance.now()
      const repeated = now - (last.get(signal) ?? -Infinity) < repeatWithinMs
      last.set(signal, now)
      // On Windows the console signals every process of the group.
      if (repeated || windows) return
      child.kill(signal)
      ending.noteSignal()
      // The child then needs no second signal (with-parent.mjs). It may have ended.
      pipe?.write('.')
    })
  }
  if (isWatchedByChild) stopWatching()
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
    process.kill(process.pid, signal)
    // A signal that cannot end this process (Node ignores SIGPIPE) still ends it as a failure.
    setTimeout(() => process.exit(1), 500)
  })
}

if (Number(process.versions.node.split('.')[0]) < 18) fail(`Node ${process.version} is too old: install Node 20 or newer`)
/** What to do when npm is gone. */
let end = () => process.exit(143)
const npm = findNpm()
const stopWatching = npm === null ? () => {} : whenNpmEnds(npm, watchNpmMs, () => end())
try {
  if (!isPackage && (await ensureInstalled(root, say))) await ensureCompiled(root, findNode(), say)
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
run(...(await plan(process.argv.slice(2))))
