// Sends each new checkpoint of the receipt log to the witnesses of the configuration, and keeps their cosignatures (C2SP tlog-witness). Each
// witness has its own attempt at its own time: receipts, answers and the sequencer never wait for one. A change of its state is logged once.
import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Config } from '#schemas/config.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { LogFolder } from '#warehouse/store/receipts/log/folder.ts'
import {
  type Attempt,
  buildSubmission,
  claimWitnesses,
  keepCosignature,
  readCosignature,
  registerWitnesses,
  settleWitness,
  type WitnessRow,
} from '#warehouse/store/receipts/log/witnesses.ts'
import type { Runtime } from '../../ingest/runtime.ts'

const lookMs = 1_000
const connectMs = 5_000
const wholeMs = 10_000
/** An answer is one line per key of the witness. */
const answerBytes = 16_384

/** The answer of a witness; `type` is its media type. */
type WitnessReply = { readonly status: number; readonly type: string; readonly body: string }
/** Sends the body of a request; rejects if there is no whole answer in time. */
export type SendToWitness = (url: string, body: string, signal: AbortSignal) => Promise<WitnessReply>

/**
 * POST to an address of the operator's configuration: `limitMs` for all, 16 KiB of answer, no redirects, and one connection per witness that is
 * kept. The HTTP client for upstreams is not used, because a witness is not a source of data.
 */
export function witnessClient(limitMs = wholeMs): { readonly send: SendToWitness; readonly close: () => Promise<void> } {
  const dispatcher = new Agent({ connect: { timeout: connectMs }, connections: 1, pipelining: 1 })
  const send: SendToWitness = async (url, body, signal) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    const reply = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'crossfile' },
      body,
      headersTimeout: limitMs,
      bodyTimeout: limitMs,
      signal: limit,
    })
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of reply.body as AsyncIterable<Buffer>) {
      bytes += part.byteLength
      if (bytes > answerBytes) throw new Error(`the answer has more than ${answerBytes} bytes`)
      parts.push(part)
    }
    const type = reply.headers['content-type']
    return { status: reply.statusCode, type: (Array.isArray(type) ? type[0] : type) ?? '', body: Buffer.concat(parts).toString('utf8') }
  }
  return { send, close: () => dispatcher.destroy() }
}

type WitnessSender = {
  readonly db: Db
  readonly folder: LogFolder
  readonly send: SendToWitness
  readonly now: () => Date
}

/** Requests of one attempt: the first, and after the size that the witness answered with another. */
const requestsAtOnce = 3

/** Sends the newest checkpoint to a witness and keeps its cosignature. Errors of the database reject; everything else is a result. */
export async function submitCheckpoint({ db, folder, send, now }: WitnessSender, witness: WitnessRow, signal: AbortSignal): Promise<Attempt> {
  const failed = (state: Attempt['state'], detail: string, size = witness.size): Attempt => ({ state, detail, size })
  let old = witness.size
  for (let tries = 0; tries < requestsAtOnce; tries += 1) {
    const submission = await buildSubmission(db, folder, old)
    if (submission === null)
      return failed('refused', `it has cosigned a tree of ${old} entries, which is larger than the log: the log was restored or forked`, old)
    let reply: WitnessReply
    try {
      reply = await send(`${witness.url}/add-checkpoint`, submission.body, signal)
    } catch (error) {
      return failed('unreachable', `it did not answer: ${reasonOf(error)}`)
    }
    if (reply.status === 200) {
      try {
        await keepCosignature(db, submission.size, witness.vkey, readCosignature(reply.body, submission.note, witness.vkey, now().getTime()))
        return { state: 'ok', detail: null, size: submission.size }
      } catch (error) {
        if (!(error instanceof CrossfileError)) throw error
        return failed('wrong', error.message)
      }
    }
    const known = reply.status === 409 && reply.type === 'text/x.tlog.size' ? sizeOf(reply.body) : null
    if (known === null) return failed(refusals.has(reply.status) ? 'refused' : 'unreachable', wordsOf(reply.status))
    if (known === submission.size && known === old) return failed('refused', `it has cosigned another root for ${known} entries: the log was forked`)
    if (known === old) return failed('wrong', `it answers 409 with the size ${known} that was sent`)
    old = known
  }
  return failed('unreachable', 'its size changes faster than checkpoints are sent: another worker may send them')
}

const sizeOf = (body: string): number | null => {
  const text = /^(0|[1-9]\d{0,15})\n$/.exec(body)?.[1]
  return text !== undefined && Number.isSafeInteger(Number(text)) ? Number(text) : null
}
const refusals: ReadonlyMap<number, string> = new Map([
  [403, 'it does not know the key of the log: its operator must add the verifier key'],
  [404, 'it does not follow this log: its operator must add it'],
  [409, 'it has cosigned another tree, and does not state its size'],
  [422, 'the log does not extend the tree that it cosigned: the log was restored or forked'],
])
const wordsOf = (status: number): string =>
  `status ${status}: ${refusals.get(status) ?? (status >= 300 && status < 400 ? 'redirects are not followed, set its new address' : 'an answer that the protocol does not have')}`

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `not within ${wholeMs / 1000} s`
  return ('code' in error && typeof error.code === 'string' ? error.code : error.message).slice(0, 200)
}

/** Sends checkpoints until `stop`. Without witnesses, only empties the list of the database. */
export async function sendCheckpoints(
  { postgres, config, log, folder }: Pick<Runtime, 'postgres' | 'log'> & { readonly config: Pick<Config, 'witnesses'>; readonly folder: LogFolder },
  stop: AbortSignal,
  now: () => Date = () => new Date(),
  client = witnessClient(),
): Promise<void> {
  const { db } = postgres
  const sender: WitnessSender = { db, folder, send: client.send, now }
  const running = new Set<Promise<void>>()
  let registered = false
  let fault: string | null = null
  const noteFault = (message: string | null): void => {
    if (message !== null && message !== fault) log('warn', `checkpoints are not sent to the witnesses: ${message}`)
    fault = message
  }
  const attempt = async (witness: WitnessRow): Promise<void> => {
    try {
      const result = await submitCheckpoint(sender, witness, stop)
      // A stop is not a fault of the witness. Its lease ends by itself.
      if (stop.aborted && result.state !== 'ok') return
      if (!(await settleWitness(db, witness, result))) return
      if (result.state === 'ok') log('info', `the witness ${witness.name} cosigns the receipt log`)
      else log('warn', `the witness ${witness.name} does not cosign the receipt log: ${result.detail}`)
      await requestRound(db)
    } catch (error) {
      noteFault(error instanceof Error ? error.message : String(error))
    }
  }
  while (!stop.aborted) {
    try {
      if (!registered) await registerWitnesses(db, config.witnesses)
      registered = true
      if (config.witnesses.length === 0) break
      for (const witness of await claimWitnesses(db)) {
        const one = attempt(witness).finally(() => running.delete(one))
        running.add(one)
      }
      noteFault(null)
    } catch (error) {
      // The database may be down: what was not sent remains in it.
      if (!stop.aborted) noteFault(error instanceof Error ? error.message : String(error))
    }
    await setTimeout(lookMs, undefined, { signal: stop }).catch(() => undefined)
  }
  await Promise.allSettled(running)
  await client.close()
}
