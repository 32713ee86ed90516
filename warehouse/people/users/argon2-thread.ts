// A worker thread that hashes passwords, one per message. It runs at lower priority than the serving threads, because Linux sets priority per thread.
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

const politeness = 4

try {
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  if (Number.isInteger(thread)) setPriority(thread, politeness)
} catch {
  // On other systems, or without permission, the priority cannot be changed: hashing then competes equally.
}

parentPort?.on('message', (parameters: Argon2Parameters) => {
  parentPort?.postMessage(argon2Sync('argon2id', parameters))
})
