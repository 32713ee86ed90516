// Checks that node_modules matches package-lock.json, and installs if not. A stamp in node_modules holds the lockfile's SHA-256
// and the platform, so that the check costs one hash at each start. No install script of a package ever runs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const stampName = '.crossfile-installed'
const npmArguments = [
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

/** @param {string} root */
export const readLock = root => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** The stamp that this lockfile on this platform must have. @param {string} root */
function wantedStamp(root) {
  const text = readFileSync(join(root, 'package-lock.json'))
  return `${createHash('sha256').update(text).digest('hex')} ${process.platform}-${process.arch}\n`
}

const stampHolds = root => {
  const stamp = join(root, 'node_modules', stampName)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wantedStamp(root)
}

const libc = () => (process.report?.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl')
const allows = (list, value) => {
  const names = list === undefined ? [] : [list].flat()
  const allowed = names.filter(name => !name.startsWith('!'))
  return !names.includes(`!${value}`) && (allowed.length === 0 || allowed.includes(value))
}
/** An optional package for this platform; the others may be missing. */
const isOurs = entry =>
  entry.os !== undefined &&
  allows(entry.os, process.platform) &&
  allows(entry.cpu, process.arch) &&
  (entry.libc === undefined || process.platform !== 'linux' || allows(entry.libc, libc()))

/**
 * True if an earlier `npm ci` or `npm install` has already installed every package of the lockfile: npm's record in
 * node_modules agrees in version and integrity, and each folder exists. Packages of other platforms are ignored.
 * @param {string} root
 */
function isComplete(root) {
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages ?? {}
  return Object.entries(readLock(root).packages).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true
    const here = installed[path]
    if (here === undefined) return Boolean(wanted.optional) && !isOurs(wanted)
    return here.version === wanted.version && here.integrity === wanted.integrity && existsSync(join(root, path))
  })
}

/** The npm to use: the one that runs this process, else the one on PATH. */
function npm() {
  const script = process.env.npm_execpath
  if (script !== undefined && /^npm/.test(basename(script)) && existsSync(script))
    return { command: process.execPath, before: [script], shell: false }
  return process.platform === 'win32' ? { command: 'npm.cmd', before: [], shell: true } : { command: 'npm', before: [], shell: false }
}

/**
 * True if npm ci refuses only because the lockfile omits optional packages, those of platforms whose packages its
 * registry does not carry: npm 11 calls that out of sync, npm 10 installs it.
 */
function lacksOnlyOptional(root, stderr) {
  const optional = new Set(Object.values(readLock(root).packages).flatMap(entry => Object.keys(entry.optionalDependencies ?? {})))
  const complaints = stderr.split('\n').filter(line => /\b(Missing|Invalid): /.test(line))
  return complaints.length > 0 && complaints.every(line => optional.has(/Missing: (@?[^@\s]+)@\S* from lock file/.exec(line)?.[1] ?? ''))
}

function runNpm(root, args) {
  const { command, before, shell } = npm()
  const done = spawnSync(command, [...before, ...args, ...npmArguments], {
    cwd: root,
    stdio: ['ignore', 2, 'pipe'],
    encoding: 'utf8',
    shell,
    maxBuffer: 1 << 26,
  })
  if (done.error) {
    const missing = done.error.code === 'ENOENT'
    throw new Error(
      missing ? 'npm is not on PATH: install it (it comes with Node), then run the same command again' : `npm did not start: ${done.error.message}`,
    )
  }
  if (done.signal) throw new Error(`npm was stopped by ${done.signal}; the next start repeats the installation`)
  return done
}

function install(root) {
  rmSync(join(root, 'node_modules', stampName), { force: true })
  let done = runNpm(root, ['ci'])
  // --no-save: the lockfile's versions and hashes apply to every package that it lists, and it is not rewritten.
  if (done.status !== 0 && lacksOnlyOptional(root, done.stderr)) done = runNpm(root, ['install', '--no-save'])
  if (done.status !== 0) {
    const offline = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/.test(done.stderr)
    const advice = offline
      ? 'npm cannot reach its registry: connect this machine, or copy node_modules from one of the same platform'
      : 'see the npm output above'
    throw new Error(`${done.stderr.trimEnd()}\nthe packages could not be installed (exit code ${done.status}): ${advice}`)
  }
  if (!isComplete(root))
    throw new Error('npm succeeded, but node_modules does not match package-lock.json: delete node_modules and run the same command again')
}

const isAlive = pid => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * The result of `work`, while no other start installs into the folder or compiles there: npm ci begins by deleting files that another start
 * may be using, and two compilers need 2 GB of memory for the same result. Rejects after `patienceMs` of waiting, or if its lock cannot be written.
 */
export async function withInstallLock(root, say, work, patienceMs = Number.POSITIVE_INFINITY) {
  const name = createHash('sha256')
    .update(`${root} ${process.getuid?.() ?? ''}`)
    .digest('hex')
    .slice(0, 16)
  const lock = join(tmpdir(), `crossfile-install-${name}.lock`)
  const begun = performance.now()
  for (let reported = false; ; ) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Error(`could not write ${lock}: ${error.message}`)
    }
    try {
      const owner = Number(readFileSync(lock, 'utf8'))
      // A lock without a number is still being written, or was truncated by a full disk. In a container, a start that was killed and the
      // next one can have the same number.
      const stale = owner > 0 ? owner === process.pid || !isAlive(owner) : Date.now() - statSync(lock).mtimeMs > 10_000
      if (stale) unlinkSync(lock)
      else if (performance.now() - begun >= patienceMs)
        throw new Error(`process ${owner || '?'} holds ${lock}: delete it if that process does neither install nor compile`)
      else if (!reported) {
        say(`waiting for process ${owner || '?'}, which is installing or compiling (if it does neither, delete ${lock})`)
        reported = true
      }
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/**
 * Returns once node_modules matches package-lock.json, and true if that is now recorded, so that what follows an installation can be done;
 * reports one line if it has to install.
 * @param {string} root @param {(line: string) => void} say
 */
export async function ensureInstalled(root, say) {
  if (stampHolds(root)) return false
  if (!existsSync(join(root, 'package-lock.json'))) throw new Error(`no package-lock.json in ${root}: the checkout is not complete`)
  return await withInstallLock(root, say, () => {
    if (stampHolds(root)) return true
    if (!isComplete(root)) {
      say(`installing the packages of package-lock.json into ${join(root, 'node_modules')} (npm ci, no install scripts)`)
      install(root)
    }
    try {
      writeFileSync(join(root, 'node_modules', stampName), wantedStamp(root))
      return true
    } catch (error) {
      // A node_modules that this user cannot write to (an image, another owner) is complete nevertheless.
      say(`node_modules is complete; its stamp could not be written (${error.code}), so the next start checks again`)
      return false
    }
  })
}
