// A thread that hashes passwords: one per message. It yields to the threads that serve: on Linux a thread has a priority of its own.
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

const politeness = 4

try {
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  if (Number.isInteger(thread)) setPriority(thread, politeness)
} catch {
  // Another system, or one that lets nobody change it: hashing then competes on equal terms.
}

parentPort?.on('message', (parameters: Argon2Parameters) => {
  parentPort?.postMessage(argon2Sync('argon2id', parameters))
})
