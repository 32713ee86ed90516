// Loaded before the program by crossfile.mjs: ends this process when its parent is gone, kill -9 included. The parent holds
// the other end of a pipe and never writes to it; end of file means that the parent is gone. The process then sends itself a
// SIGTERM, which is its ordinary clean shutdown, and exits half a minute later if it is still running. The same happens when the
// npm that runs the parent is gone, if the parent names the processes up to it.
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { whenNpmEnds } from './npm-parent.mjs'

const graceMs = 30_000
const watchNpmMs = 10_000
const fd = process.env.CROSSFILE_PARENT_PIPE
const npm = process.env.CROSSFILE_PARENT_NPM
delete process.env.CROSSFILE_PARENT_PIPE
delete process.env.CROSSFILE_PARENT_NPM

if (fd !== undefined && isMainThread) {
  const pipe = new Socket({ fd: Number(fd), readable: true, writable: false })
  let isEnding = false
  const end = () => {
    // A killed parent closes the pipe, and is missing between this process and npm too: one signal, because a second one is a second Ctrl-C.
    if (isEnding) return
    isEnding = true
    // Windows has no signals to send: the handlers are called as if the console closed.
    if (process.platform === 'win32' && process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM')
    else process.kill(process.pid, 'SIGTERM')
    setTimeout(() => process.exit(143), graceMs).unref()
  }
  pipe.once('end', end).once('error', end)
  if (npm !== undefined) whenNpmEnds(npm.split(' ').map(Number), watchNpmMs, end)
  pipe.resume()
  // The pipe alone must not keep a finished program running.
  pipe.unref()
}
