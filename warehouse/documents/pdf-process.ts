// The program that reads one PDF in a separate process: stdin has the bytes, stdout lines of JSON and the result. Its main thread only
// monitors: another thread reads the document, so that memory and time are measured while a hostile file keeps it busy.
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { DrawLimits } from './draw-pdf.ts'

/** `ms`: processor time; `wallMs`: time after which the process ends on its own. */
type Options = DrawLimits & { readonly megabytes: number; readonly ms: number; readonly wallMs: number }
type Message =
  | { readonly progress: { readonly done: number; readonly of: number } }
  | { readonly refused: object }
  | { readonly read: { readonly symbols: object; readonly issuers: object; readonly body: Uint8Array } }

/** Interval of the memory measurement. The library doubles its buffers: between two measurements it can grow by some hundred megabytes at most. */
const watchMs = 20
const options = JSON.parse(process.argv[2] ?? '{}') as Options

const write = (bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}
const line = (value: object): void => write(Buffer.from(`${JSON.stringify(value)}\n`))
function end(value: object, body?: Uint8Array): void {
  line(value)
  if (body) write(body)
  process.exit(0)
}

const parts: Buffer[] = []
for await (const part of process.stdin) parts.push(part as Buffer)
const data = new Uint8Array(Buffer.concat(parts))
parts.length = 0

const thread = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
  workerData: { data, limits: { pages: options.pages, characters: options.characters } satisfies DrawLimits },
  transferList: [data.buffer as ArrayBuffer],
  resourceLimits: { maxOldGenerationSizeMb: options.megabytes, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
})
const parent = process.ppid
setInterval(() => {
  // The program that started this one was killed, or hangs: its client no longer waits.
  if (process.ppid !== parent || performance.now() > options.wallMs) process.exit(1)
  const { user, system } = process.cpuUsage()
  if ((user + system) / 1000 > options.ms) end({ refused: { reason: 'too_slow', found: '' } })
  const { rss } = process.memoryUsage()
  if (rss > options.megabytes * 1e6) end({ refused: { reason: 'too_much_memory', found: `${Math.round(rss / 1e6)} MB` } })
}, watchMs)
thread.on('message', (message: Message) => {
  if ('progress' in message) line(message)
  else if ('refused' in message) end(message)
  else end({ read: { symbols: message.read.symbols, issuers: message.read.issuers, bytes: message.read.body.length } }, message.read.body)
})
thread.on('error', (error: Error) => {
  const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
  end({
    refused: isMemory ? { reason: 'too_much_memory', found: 'heap' } : { reason: 'damaged', found: `${error.name}: ${error.message}`.slice(0, 300) },
  })
})
thread.on('exit', () => end({ refused: { reason: 'damaged', found: 'the reader ended' } }))
