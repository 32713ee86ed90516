// The programs of a start as compiled files: each with all its modules in a few files, where the sources are some thousand, most of them
// small. A program loads in half the time and with fewer pages of memory. compile-programs.ts writes them into node_modules/.cache/programs
// after an installation, and before a start whose sources have changed; without them, or with other sources, the sources run as they are.
// Plain JavaScript, built-in modules only: crossfile.mjs loads it with any Node.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withInstallLock } from './installed.mjs'

/** Writes the bundled universe as a package. */
export const packageProgram = 'fixtures/universe-package/package.ts'
/** Serves the universe in the place of the upstreams. */
export const simulatorProgram = 'fixtures/world/simulator.ts'
/** Where the package is, next to the compiled programs. */
export const universeFolder = 'universe'

/** Programs that `crossfile start` runs, by their path in the repository. */
export const programs = [
  'api/server.ts',
  packageProgram,
  simulatorProgram,
  'pipelines/cli/main.ts',
  'pipelines/cli/start-prepare.ts',
  'pipelines/jobs/worker/main.ts',
]

/** Where the compiled programs are, a folder for each state of the sources. @param {string} root */
export const compiledFolder = root => join(root, 'node_modules', '.cache', 'programs')

/** The name of a compiled program in its folder. @param {string} program one of `programs` */
export const compiledName = program => `${program.replace(/\.ts$/, '').replaceAll('/', '.')}.js`

/** The record of the newest compiled programs: their folder, and the sources that they were made from. @param {string} root */
export const recordFile = root => join(compiledFolder(root), 'newest.json')

/**
 * What decides whether a file is the same: its time of change in milliseconds and its size in bytes; null if there is none, or this user may
 * not open its folder.
 * @param {string} file
 */
export function stateOf(file) {
  try {
    const { mtimeMs, size } = statSync(file)
    return [mtimeMs, size]
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code)) return null
    throw error
  }
}

/** Another start that installs or compiles is waited for this long: a service starts from its sources if another process keeps the lock. */
const mostWaitMs = 120_000

/** Compiled files find their sources by a relative path, which a linked node_modules would lead into another repository. */
const hasOwnPackages = root =>
  existsSync(join(root, 'node_modules')) && realpathSync(join(root, 'node_modules')) === join(realpathSync(root), 'node_modules')

/** The size in bytes of each file below a folder, by its path in it; null for one that is missing. @param {string} folder @param {readonly string[]} paths */
export const sizesIn = (folder, paths = filesIn(folder)) => Object.fromEntries(paths.map(path => [path, stateOf(join(folder, path))?.[1] ?? null]))

/** @param {string} folder @returns {string[]} */
function filesIn(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap(entry => (entry.isDirectory() ? filesIn(folder, `${below}${entry.name}/`) : [`${below}${entry.name}`]))
    .sort()
}

/** The newest compiled programs; null if there are none, this user may not read them, or a full disk left half of the record. @param {string} root */
function readRecord(root) {
  if (!existsSync(recordFile(root))) return null
  try {
    return JSON.parse(readFileSync(recordFile(root), 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError || error.code === 'EACCES') return null
    throw error
  }
}

const isSame = (a, b) => (a === null || b === null ? a === b : a[0] === b[0] && a[1] === b[1])

/** The folder of compiled programs, if they were made from the sources and packages as they are now; else null. @param {string} root */
export function currentFolder(root) {
  const record = hasOwnPackages(root) ? readRecord(root) : null
  if (record === null) return null
  const isCurrent = Object.entries(record.sources).every(([path, state]) => isSame(stateOf(join(root, path)), state))
  const folder = join(compiledFolder(root), record.folder)
  return isCurrent && isComplete(folder, record.files) ? folder : null
}

/** False for what a power cut, or a program that cleans caches, left of the files, and for a record of another version. */
function isComplete(folder, files) {
  if (files === undefined || !existsSync(folder)) return false
  return Object.entries(sizesIn(folder, Object.keys(files))).every(([path, size]) => size === files[path])
}

/**
 * The folder of compiled programs, which are compiled unless they are current; null if they could not be. A failure is reported and changes
 * nothing else: the sources run as they are.
 * @param {string} root @param {string} node the program that runs TypeScript @param {(line: string) => void} say
 */
export async function ensureCompiled(root, node, say, patienceMs = mostWaitMs) {
  const found = currentFolder(root)
  const compiler = join(root, 'pipelines', 'cli', 'compile-programs.ts')
  if (found !== null || !hasOwnPackages(root) || !existsSync(compiler)) return found
  const refuse = reason => {
    say(`the programs were not compiled and run from their sources, which load more slowly: ${reason}`)
    return null
  }
  try {
    return await withInstallLock(root, say, async () => currentFolder(root) ?? (await compile(root, node, compiler, say, refuse)), patienceMs)
  } catch (error) {
    // Its lock could not be written, or another process keeps it.
    return refuse(error.message)
  }
}

async function compile(root, node, compiler, say, refuse) {
  say('compiling the programs, once after an installation or a change of their sources')
  // The pipe ends the compiler if this process is killed (with-parent.mjs).
  const child = spawn(node, ['--import', new URL('./with-parent.mjs', import.meta.url).href, compiler, root], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, CROSSFILE_PARENT_PIPE: '3' },
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const [status, reason] = await new Promise(resolve => {
    child.once('error', error => resolve([1, error.message]))
    child.once('close', (code, signal) =>
      resolve([
        code,
        reasonIn(stderr) ||
          `the compiler ended with ${code ?? signal}${signal === 'SIGKILL' ? ' (usually because memory is used up; it needs more than 1 GB)' : ''}`,
      ]),
    )
  })
  return status === 0 ? currentFolder(root) : refuse(reason)
}

/** The compiler ends with its reason; one that Node ended prints the error, where it is, and Node's version. */
function reasonIn(stderr) {
  const lines = stderr.trim().split('\n')
  return lines.find(line => /^(\w*Error( \[\w+\])?|FATAL ERROR): /.test(line)) ?? lines.at(-1)
}

/** The compiled program of a process that is compiled itself: a service keeps to the state that it was started from. Null if its folder was deleted. */
export function compiledSibling(root, program) {
  const own = process.argv[1] === undefined ? null : dirname(process.argv[1])
  if (own === null || dirname(own) !== compiledFolder(root) || !programs.includes(program)) return null
  const compiled = join(own, compiledName(program))
  return existsSync(compiled) ? compiled : null
}

/** The file to start for a program, its path in the repository: the compiled one where this process is compiled, else the source. */
export const programFile = (root, program) => compiledSibling(root, program) ?? join(root, program)
