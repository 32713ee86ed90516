// Loaded before the program by crossfile.mjs: ends this process when its parent is gone, kill -9 included. The parent holds
// the other end of a pipe and never writes to it; end of file means that the parent is gone. The process then gets a SIGTERM
// from itself, which is its ordinary clean shutdown, and half a minute later, should it still be there, ends at once.
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const graceMs = 30_000
const fd = process.env.CROSSFILE_PARENT_PIPE
delete process.env.CROSSFILE_PARENT_PIPE

if (fd !== undefined && isMainThread) {
  const pipe = new Socket({ fd: Number(fd), readable: true, writable: false })
  const end = () => {
    // Windows has no signals to send: there the handlers are called, as a console's closing would.
    if (process.platform === 'win32' && process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM')
    else process.kill(process.pid, 'SIGTERM')
    setTimeout(() => process.exit(143), graceMs).unref()
  }
  pipe.once('end', end).once('error', end)
  pipe.resume()
  // The pipe alone must not keep a program running that has nothing left to do.
  pipe.unref()
}
