// The request of C2SP tlog-witness, `POST add-checkpoint`: its text, and what a witness decides about it. No network and no clock.
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { strictBase64 } from '../strict-base64.ts'
import { type Checkpoint, readCheckpointHead } from './checkpoint.ts'
import { EMPTY_ROOT, HASH_BYTES, isConsistent } from './merkle.ts'
import { type NoteKey, openNote } from './note.ts'

/** A request has at most this many lines of proof, by the specification. */
const MAX_PROOF_LINES = 63

type AddCheckpoint = {
  /** Size of the tree that the witness cosigned last, according to the client. */
  readonly old: number
  readonly proof: readonly Buffer[]
  /** The signed checkpoint, verbatim. */
  readonly note: string
}

/** The body of a request. */
export const printAddCheckpoint = ({ old, proof, note }: AddCheckpoint): string =>
  `${[`old ${old}`, ...proof.map(hash => hash.toString('base64'))].join('\n')}\n\n${note}`

/** The parts of a request, not yet verified; `BadRequest` for anything else. */
function parseAddCheckpoint(body: string): AddCheckpoint {
  const end = body.indexOf('\n\n')
  const [first = '', ...lines] = body.slice(0, Math.max(end, 0)).split('\n')
  const old = /^old (0|[1-9]\d{0,15})$/.exec(first)?.[1]
  if (old === undefined || !Number.isSafeInteger(Number(old)))
    throw new BadRequest('add-checkpoint: expected "old" and the size of the previous checkpoint on the first line, then the proof and an empty line')
  const proof = lines.map(strictBase64)
  if (lines.length > MAX_PROOF_LINES || !proof.every(hash => hash?.byteLength === HASH_BYTES))
    throw new BadRequest(`add-checkpoint: expected at most ${MAX_PROOF_LINES} lines of proof, each a hash of ${HASH_BYTES} bytes in base64`)
  return { old: Number(old), proof: proof.filter(hash => hash !== null), note: body.slice(end + 2) }
}

/** The tree of a log that the witness cosigned last; size 0 and the empty root before the first. */
export type Seen = { readonly size: number; readonly root: Buffer }
export const NOTHING_SEEN: Seen = { size: 0, root: EMPTY_ROOT }

/** What the answer of the witness is. `fork`: two signed checkpoints that cannot be of one log, which the operator keeps as evidence. */
export type WitnessVerdict =
  | { readonly status: 200; readonly checkpoint: Checkpoint; readonly text: string }
  | { readonly status: 409; readonly size: number; readonly reason: string; readonly fork: boolean }
  | { readonly status: 400 | 403 | 404; readonly reason: string }
  | { readonly status: 422; readonly reason: string; readonly size: number }

/**
 * Whether a witness may cosign. `keysOf`: the trusted keys of an origin, null for an unknown log; `seenOf`: the tree that was cosigned last.
 * The order of the checks is that of the specification.
 */
export function checkAddCheckpoint(
  body: string,
  keysOf: (origin: string) => readonly NoteKey[] | null,
  seenOf: (origin: string) => Seen,
): WitnessVerdict {
  let request: AddCheckpoint
  let checkpoint: Checkpoint
  let text: string
  try {
    request = parseAddCheckpoint(body)
    ;({ checkpoint, text } = readCheckpointHead(request.note))
  } catch (error) {
    return { status: 400, reason: messageOf(error) }
  }
  const { origin, size, root } = checkpoint
  const keys = keysOf(origin)
  if (keys === null) return { status: 404, reason: `the log ${origin.slice(0, 255)} is not one that this witness follows` }
  try {
    openNote(request.note, keys)
  } catch (error) {
    return { status: 403, reason: messageOf(error) }
  }
  const { old, proof } = request
  if (old > size) return { status: 400, reason: `the old size ${old} is larger than the size ${size} of the checkpoint` }
  const seen = seenOf(origin)
  const fork = seen.size === size && !seen.root.equals(root)
  if (fork) return { status: 409, size: seen.size, reason: `another root was cosigned for size ${size}: the log was forked`, fork }
  if (old !== seen.size) return { status: 409, size: seen.size, reason: `the size that was cosigned last is ${seen.size}`, fork }
  if (!isConsistent(old, seen.root, size, root, proof))
    return { status: 422, size: seen.size, reason: `the proof does not lead from size ${old} to size ${size}` }
  return { status: 200, checkpoint, text }
}

function messageOf(error: unknown): string {
  if (error instanceof CrossfileError) return error.message
  throw error
}
