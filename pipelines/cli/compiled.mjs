// The programs of a start as compiled files: each with all its modules in a few files, where the sources are some thousand, most of them
// small. A program loads in half the time and with fewer pages of memory. compile-programs.ts writes them into node_modules/.cache/programs
// after an installation, and before a start whose sources have changed; without them, or with other sources, the sources run as they are.
// Plain JavaScript, built-in modules only: crossfile.mjs loads it with any Node.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

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

/** What decides whether a file is the same: its time of change in milliseconds and its size in bytes, else null. @param {string} file */
export function stateOf(file) {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : [found.mtimeMs, found.size]
}

/** Compiled files find their sources by a relative path, which a linked node_modules would lead into another repository. */
const hasOwnPackages = root =>
  existsSync(join(root, 'node_modules')) && realpathSync(join(root, 'node_modules')) === join(realpathSync(root), 'node_modules')

/** The newest compiled programs; null if there are none, or what a full disk left of the record. @param {string} root */
function readRecord(root) {
  if (!existsSync(recordFile(root))) return null
  try {
    return JSON.parse(readFileSync(recordFile(root), 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return null
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
  return isCurrent && existsSync(folder) ? folder : null
}

/**
 * The folder of compiled programs, which are compiled unless they are current; null if they could not be. A failure is reported and changes
 * nothing else: the sources run as they are.
 * @param {string} root @param {string} node the program that runs TypeScript @param {(line: string) => void} say
 */
export function ensureCompiled(root, node, say) {
  const found = currentFolder(root)
  const compiler = join(root, 'pipelines', 'cli', 'compile-programs.ts')
  if (found !== null || !hasOwnPackages(root) || !existsSync(compiler)) return found
  say('compiling the programs, once after an installation or a change of their sources')
  const done = spawnSync(node, [compiler, root], { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (done.status === 0) return currentFolder(root)
  const reason = done.error?.message ?? (done.stderr.trim().split('\n').at(-1) || `ended with ${done.status ?? done.signal}`)
  say(`they were not compiled, so the programs run from their sources, which load more slowly: ${reason}`)
  return null
}

/** The compiled program of a process that is compiled itself, else null: a service keeps to the state that it was started from. */
export function siblingOf(root, program) {
  const own = process.argv[1] === undefined ? null : dirname(process.argv[1])
  if (own === null || dirname(own) !== compiledFolder(root) || !programs.includes(program)) return null
  return join(own, compiledName(program))
}
