// What a witness answers to a request: it checks, cosigns and keeps the tree in one exclusive step.
import type { Log } from '#warehouse/store/log.ts'
import { checkAddCheckpoint, NOTHING_SEEN, type WitnessVerdict } from '#warehouse/store/transparency/add-checkpoint.ts'
import { cosign } from '#warehouse/store/transparency/cosignature.ts'
import type { WitnessedLogs } from './logs-file.ts'
import type { Cosigned, WitnessStore } from './store.ts'

export type WitnessAnswer = { readonly status: number; readonly type: string; readonly body: string }

/** A clock that was set back by less than this is corrected by the time of the newest cosignature. */
const CLOCK_TOLERANCE_SECONDS = 60
/** A cosignature of the same tree that is younger than this is sent again, without another write. */
const REPEAT_SECONDS = 60

export type WitnessTools = {
  readonly store: WitnessStore
  readonly logs: () => WitnessedLogs
  readonly log: Log
  /** The operator states that the clock was wrong before, and is right now. */
  readonly clockCorrected?: boolean
}

const plain = (status: number, body: string): WitnessAnswer => ({ status, type: 'text/plain; charset=utf-8', body: `${body}\n` })

/**
 * The answer to the body of `POST add-checkpoint` (C2SP tlog-witness) at `seconds` (POSIX time). 503 if the clock is before the newest
 * cosignature: a cosignature states that no larger tree was seen at its time, which would be false.
 */
export function answerAddCheckpoint({ store, logs, log, clockCorrected = false }: WitnessTools, body: string, seconds: number): WitnessAnswer {
  const known = logs()
  const { answer, refused } = store.exclusively((): { readonly answer: WitnessAnswer; readonly refused: Refused | null } => {
    let before: Cosigned | null = null
    const verdict = checkAddCheckpoint(
      body,
      origin => known.get(origin) ?? null,
      origin => {
        before = store.find(origin)
        return before ?? NOTHING_SEEN
      },
    )
    if (verdict.status === 200) return { answer: cosigned({ store, log, clockCorrected }, verdict, before, body, seconds), refused: null }
    const answer =
      verdict.status === 409 ? { status: 409, type: 'text/x.tlog.size', body: `${verdict.size}\n` } : plain(verdict.status, verdict.reason)
    return { answer, refused: before === null ? null : { verdict, before } }
  })
  if (refused !== null) keepEvidence(store, log, refused, body)
  return answer
}

type Refused = { readonly verdict: Exclude<WitnessVerdict, { readonly status: 200 }>; readonly before: Cosigned }

function cosigned(
  { store, log, clockCorrected }: Pick<WitnessTools, 'store' | 'log'> & { readonly clockCorrected: boolean },
  { checkpoint, text }: WitnessVerdict & { readonly status: 200 },
  before: Cosigned | null,
  body: string,
  now: number,
): WitnessAnswer {
  const { origin, size, root } = checkpoint
  const newest = store.newestSeconds()
  if (!clockCorrected && now < newest - CLOCK_TOLERANCE_SECONDS) {
    log(
      'error',
      `nothing is cosigned: the clock is ${newest - now} s before the newest cosignature; set it, or start with --clock-corrected if it was wrong before`,
    )
    return plain(503, 'the clock of this witness is before its newest cosignature')
  }
  const isSame = before !== null && before.size === size && sameText(before.note, text)
  if (isSame && now >= before.seconds && now - before.seconds < REPEAT_SECONDS) return plainLine(before.line)
  const at = clockCorrected ? now : Math.max(now, newest)
  const line = cosign(text, at, { name: store.name, x: store.signer.x, sign: store.signer.sign })
  store.put({ origin, size, root, note: body.slice(body.indexOf('\n\n') + 2), line, seconds: at })
  return plainLine(line)
}

const plainLine = (line: string): WitnessAnswer => ({ status: 200, type: 'text/plain; charset=utf-8', body: line })
/** Extension lines may differ between two checkpoints of one tree. */
const sameText = (note: string, text: string): boolean => note.startsWith(`${text}\n`)

/** Keeps two checkpoints that cannot be of one log. A wrong proof alone proves nothing, but a fork at a larger size looks like this. */
function keepEvidence(store: WitnessStore, log: Log, { verdict, before }: Refused, body: string): void {
  const isFork = verdict.status === 409 && verdict.fork
  if (!isFork && verdict.status !== 422) return
  const text = `${verdict.reason}\n\n== cosigned before by this witness\n\n${before.note}${before.line}\n== submitted\n\n${body}`
  const kept = store.keepEvidence(isFork ? 'fork' : 'inconsistent', before.origin, before.size, text)
  const where = kept ? 'it is kept in the folder evidence' : 'it was not kept, because the folder evidence is full'
  log(isFork ? 'error' : 'warn', `refused a checkpoint of ${before.origin}: ${verdict.reason}; ${where}`)
}
