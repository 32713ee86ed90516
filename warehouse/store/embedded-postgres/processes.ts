// Finds the processes of a server in /proc: only PostgreSQL has the folder of its cluster as working directory.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Cluster } from './cluster.ts'

type Process = { readonly pid: number; readonly parent: number; readonly title: string }

/** A process of this cluster; null if it is another one, or has ended. */
function processOf(pid: number, cluster: Cluster): Process | null {
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) !== cluster.folder) return null
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the last parenthesis may contain any character; state and parent follow it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return { pid, parent, title: readFileSync(`/proc/${pid}/cmdline`, 'latin1') }
  } catch {
    // The process has ended or belongs to another user, so it does not belong to a cluster of this user.
    return null
  }
}

/** All processes of this cluster; empty on systems without /proc. */
export function findProcesses(cluster: Cluster): Process[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap(name => {
    const found = /^\d+$/.test(name) ? processOf(Number(name), cluster) : null
    return found === null ? [] : [found]
  })
}

/** Sends SIGKILL; a process that has already ended is not an error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Kills the processes that a killed postmaster left: they end only at their next wait, and keep the shared memory until then. Returns their
 * number. The postmaster is not one of them: only its children are titled `postgres: …`.
 */
export function killLeftovers(cluster: Cluster): number {
  const all = findProcesses(cluster)
  const own = new Set(all.map(each => each.pid))
  const left = all.filter(each => each.title.startsWith('postgres: ') && !own.has(each.parent))
  for (const { pid } of left) kill(pid)
  return left.length
}
