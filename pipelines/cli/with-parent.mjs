// Loaded before the program by crossfile.mjs: ends this process when its parent is gone, kill -9 included. The parent holds
// the other end of a pipe; end of file means that the parent is gone. The process then sends itself a SIGTERM, which is its
// ordinary clean shutdown, and exits half a minute later if it is still running. A SIGTERM follows too when the npm that runs the parent is
// gone, if the parent names the processes up to it; the parent then waits for the shutdown. It writes to the pipe for each signal that
// it passes on: that this process is ending already needs no second signal.
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { createEnding, whenNpmEnds } from './npm-parent.mjs'

const graceMs = 30_000
const watchNpmMs = 10_000
const fd = process.env.CROSSFILE_PARENT_PIPE
const npm = process.env.CROSSFILE_PARENT_NPM
delete process.env.CROSSFILE_PARENT_PIPE
delete process.env.CROSSFILE_PARENT_NPM

if (fd !== undefined && isMainThread) {
  const pipe = new Socket({ fd: Number(fd), readable: true, writable: false })
  const ending = createEnding(() => {
    // Windows has no signals to send: the handlers are called as if the console closed.
    if (process.platform === 'win32' && process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM')
    else process.kill(process.pid, 'SIGTERM')
  })
  const end = () => {
    ending.request()
    setTimeout(() => process.exit(143), graceMs).unref()
  }
  pipe.once('end', end).once('error', end).on('data', ending.noteSignal)
  if (npm !== undefined) whenNpmEnds(npm.split(' ').map(Number), watchNpmMs, ending.request)
  pipe.resume()
  // The pipe alone must not keep a finished program running.
  pipe.unref()
}
