// An update may replace the files of a process that runs: the thread that it starts then has another version than itself.
import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { readers } from '../read/register.ts'
import { openHeldReader } from './held-reader.ts'

vi.mock('node:worker_threads', () => ({
  /** Replies without the name that the process expects, and without a reading. */
  Worker: class extends EventEmitter {
    postMessage(): void {
      this.emit('message', messages.shift())
    }
    terminate(): Promise<number> {
      return Promise.resolve(0)
    }
  },
}))
const messages: object[] = []

test.each([[{ reading: { parsed: null } }], [{ reply: { checked: new Map() } }], [{ heapLimit: 4096 }]])(
  'a reply of a thread of another version fails the document: %j',
  async message => {
    messages.push(message)
    const reader = openHeldReader(readers, Number.POSITIVE_INFINITY)
    const document = {
      sha256: '',
      source: 'edgar',
      url: 'recorded:x.txt',
      retrieved_at: '2026-11-20T12:00:00Z',
      status: 200,
      headers: {},
      body: Buffer.from('x'),
    }
    await expect(reader.read(async () => ({ raw_id: 1, document }))).rejects.toThrow(/another version than this process/)
    await reader.close()
  },
)
