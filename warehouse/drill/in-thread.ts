// Long texts are interpreted in a thread of their own: 256 KiB take half a second, and the loop that serves requests does not wait
// for them. One thread per process, started when first needed.
import { Worker } from 'node:worker_threads'
import type { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest, type BodyFault, type ErrorCode, Upstream } from '#schemas/errors.ts'
import type { DrillRules } from '../rulesets/drill/rules.ts'
import { type Interpretation, interpretDrill } from './interpret.ts'

/** Shorter texts are read in a few milliseconds, less than handing them over is worth. */
const longText = 8 * 1024
const manyIntervals = 50
/** Far above what the longest text takes: what runs longer is ended. */
const limitMs = 20_000
const heapMegabytes = 512

type Message =
  | { readonly read: Interpretation }
  | { readonly refused: { message: string; status: number; code: ErrorCode; hint?: string; items?: readonly BodyFault[] } }
let thread: Worker | null = null
let last: Promise<unknown> = Promise.resolve()

/** As `interpretDrill`; throws `Upstream` where it takes longer than 20 seconds. */
export async function interpretAside(request: DrillInterpretRequest, rules: DrillRules): Promise<Interpretation> {
  if (request.text.length <= longText && request.intervals.length <= manyIntervals) return interpretDrill(request, rules)
  const ask = (): Promise<Message> => send({ request, ruleset: rules.ruleset })
  const mine = last.then(ask, ask)
  last = mine.catch(() => undefined)
  const message = await mine
  if ('read' in message) return message.read
  const { message: text, ...details } = message.refused
  throw new BadRequest(text, details)
}

function send(asked: { readonly request: DrillInterpretRequest; readonly ruleset: string }): Promise<Message> {
  const worker = thread ?? startThread()
  worker.ref()
  return new Promise<Message>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      worker.off('message', answered).off('error', failed).off('exit', exited)
      worker.unref()
    }
    const stop = (error: unknown): void => {
      end()
      thread = null
      void worker.terminate()
      reject(error)
    }
    const answered = (message: Message): void => {
      end()
      resolve(message)
    }
    const failed = (error: unknown): void => stop(error)
    const exited = (): void => stop(new Upstream('the interpretation ended before it was done', { hint: 'ask again' }))
    const timer = setTimeout(
      () => stop(new Upstream(`the interpretation took longer than ${limitMs / 1000} s`, { hint: 'send a shorter text' })),
      limitMs,
    )
    worker.on('message', answered).on('error', failed).on('exit', exited)
    worker.postMessage(asked)
  })
}

function startThread(): Worker {
  const started = new Worker(new URL('./drill-thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
  started.on('exit', () => {
    if (thread === started) thread = null
  })
  thread = started
  return started
}
