// A proof that an entry is in the log, as one text (C2SP tlog-proof): index, inclusion proof and checkpoint.
import { BadRequest } from '#schemas/errors.ts'
import { strictBase64 } from '../strict-base64.ts'
import { type Checkpoint, openCheckpoint } from './checkpoint.ts'
import { HASH_BYTES, leafHash, rootOfInclusion } from './merkle.ts'
import type { NoteKey } from './note.ts'

const FIRST_LINE = 'c2sp.org/tlog-proof@v1'

type LogProof = { readonly index: number; readonly hashes: readonly Buffer[]; readonly checkpoint: string }

/** The text of a proof; `checkpoint` is the signed note, verbatim. */
export const printProof = ({ index, hashes, checkpoint }: LogProof): string =>
  `${[FIRST_LINE, `index ${index}`, ...hashes.map(hash => hash.toString('base64'))].join('\n')}\n\n${checkpoint}`

/** The parts of a proof, not yet verified; `BadRequest` for anything else. A line `extra` is refused: nothing would authenticate it. */
export function parseProof(text: string): LogProof {
  const end = text.indexOf('\n\n')
  const [first, indexLine = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n')
  const index = /^index (0|[1-9]\d{0,15})$/.exec(indexLine)?.[1]
  const hashes = lines.map(strictBase64)
  const isProof = first === FIRST_LINE && index !== undefined && Number.isSafeInteger(Number(index)) && lines.length <= 64
  if (!isProof || !hashes.every(hash => hash?.byteLength === HASH_BYTES))
    throw new BadRequest(`log proof: expected ${FIRST_LINE}, index, hashes in base64, an empty line and a checkpoint`)
  return { index: Number(index), hashes: hashes.filter(hash => hash !== null), checkpoint: text.slice(end + 2) }
}

type VerifiedProof = { readonly index: number; readonly checkpoint: Checkpoint & { readonly by: readonly NoteKey[] } }

/** The index and checkpoint of a proof of `entry`; `BadRequest` names what does not hold. */
export function verifyProof(text: string, entry: Uint8Array, keys: readonly NoteKey[]): VerifiedProof {
  const { index, hashes, checkpoint: note } = parseProof(text)
  const checkpoint = openCheckpoint(note, keys)
  const root = rootOfInclusion(leafHash(entry), index, checkpoint.size, hashes)
  if (root === null || !root.equals(checkpoint.root))
    throw new BadRequest(`log proof: the entry is not at index ${index} of the tree of the checkpoint`)
  return { index, checkpoint }
}
