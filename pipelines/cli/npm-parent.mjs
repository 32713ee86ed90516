// Notices that the npm which runs a program is gone, kill -9 included. Plain JavaScript, built-in modules only.
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
  if (pid === process.pid) return process.ppid
  const stat = readProc(pid, 'stat')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? Number.NaN)
}

/**
 * The processes from this one up to npm, as process ids; null if npm does not run it. npm runs a script with `sh -c`, and some shells remain
 * between npm and the script. Called when this process starts: an installation may take minutes.
 * @returns {number[] | null}
 */
export function findNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return null
  const parent = process.ppid
  const above = /^\S*sh\0-c\0/.test(readProc(parent, 'cmdline')) ? parentOf(parent) : Number.NaN
  return [process.pid, parent, ...(Number.isNaN(above) ? [] : [above])]
}

/** Whether another process than the first of them can watch them: there is a /proc. @param {number[]} chain */
export const isSeenByOthers = chain => readProc(chain[0] ?? 0, 'stat') !== ''

/**
 * Calls `ended` once when npm, or the shell between it and the first process of `chain` (findNpm), is gone. Without /proc only the parent of
 * this process is watched. The timer does not keep the process running. Returns how to stop it.
 * @param {number[]} chain @param {number} everyMs @param {() => void} ended
 */
export function whenNpmEnds(chain, everyMs, ended) {
  const timer = setInterval(() => {
    if (chain.every((pid, at) => at + 1 === chain.length || parentOf(pid) === chain[at + 1])) return
    clearInterval(timer)
    ended()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Milliseconds between a signal and a second one: a second one is a second Ctrl-C, which ends a program before it has stored its work. */
const shutdownMs = 30_000

/**
 * Requests the end of a program once, by `send`. `noteSignal` states that the program has received a signal from elsewhere: `request` then waits
 * until half a minute after it, because some programs handle a signal and continue. The timer does not keep the process running.
 * @param {() => void} send
 */
export function createEnding(send) {
  let signalledAt = Number.NEGATIVE_INFINITY
  let isSent = false
  const noteSignal = () => {
    signalledAt = performance.now()
  }
  const request = () => {
    if (isSent) return
    const leftMs = signalledAt + shutdownMs - performance.now()
    if (leftMs > 0) return void setTimeout(request, leftMs).unref()
    isSent = true
    send()
  }
  return { noteSignal, request }
}
