// Notices that the npm which runs this process is gone, kill -9 included. Plain JavaScript, built-in modules only.
import { readFileSync } from 'node:fs'

/** @param {number} pid @param {string} name */
function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    // No /proc on this system, or no such process.
    return ''
  }
}

/** The parent of a process; NaN if unknown. The program's name may contain anything up to its last parenthesis. @param {number} pid */
function parentOf(pid) {
  const stat = readProc(pid, 'stat')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? Number.NaN)
}

// As it was when this process started: an installation may take minutes.
const parent = process.ppid
/** npm runs a script with `sh -c`, and some shells remain between npm and the script. */
const shell = /^\S*sh\0-c\0/.test(readProc(parent, 'cmdline'))
const above = shell ? parentOf(parent) : Number.NaN

/**
 * Calls `ended` once when npm, or the shell between it and this process, is gone. Does nothing if npm runs nothing: a
 * process that was started in the background continues when its shell ends. Without /proc only the parent is watched.
 * @param {number} everyMs @param {() => void} ended
 */
export function whenNpmEnds(everyMs, ended) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const timer = setInterval(() => {
    if (process.ppid === parent && (Number.isNaN(above) || parentOf(parent) === above)) return
    clearInterval(timer)
    ended()
  }, everyMs)
  timer.unref()
}
