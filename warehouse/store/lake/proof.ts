// A read of verified files is valid only if the files did not change until its end.
import { Upstream } from '#schemas/errors.ts'
import type { Verified, Verifier } from './verifier.ts'

export type Proof = {
  /** True if the data that was read is the verified data. Call it after the read. */
  confirm(): Promise<boolean>
  /** Hashes the files again that were not hashed within the last seconds; throws `Damaged` for one that differs. */
  recheck(): Promise<void>
}

/** After a failed read, files that were hashed within this time are not hashed again, so that a faulty statement does not hash a whole market. */
const recentMs = 10_000
const attempts = 3

/** The proof over files that `verifier` opened. */
export const proofOf = (verifier: Verifier, files: readonly Verified[]): Proof => ({
  confirm: () => verifier.confirm(files),
  recheck: async () => void (await Promise.all(files.map(file => verifier.recheck(file, recentMs)))),
})

/** The proof over everything that a statement reads; relations in memory need none. */
export function proofOfAll(relations: readonly { readonly proof?: Proof }[]): Proof {
  const proofs = relations.flatMap(({ proof }) => (proof ? [proof] : []))
  return {
    async confirm() {
      for (const proof of proofs) if (!(await proof.confirm())) return false
      return true
    },
    recheck: async () => void (await Promise.all(proofs.map(proof => proof.recheck()))),
  }
}

/**
 * Prepares and runs a read, and returns its result only if the proof holds afterwards. If files changed in the meantime, both are repeated,
 * at most `most` times; preparing opens the files, which throws `Damaged` if they differ from their SHA-256. An error of the read is thrown
 * unchanged, unless the files explain it.
 */
export async function proven<P extends { readonly proof?: Proof }, T>(
  prepare: () => Promise<P>,
  read: (prepared: P) => Promise<T>,
  most = attempts,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepare()
    const { proof } = prepared
    try {
      const result = await read(prepared)
      if (!proof || (await proof.confirm())) return result
    } catch (error) {
      if (!proof || error instanceof Upstream) throw error
      await proof.recheck()
      if (await proof.confirm()) throw error
    }
    if (attempt === most) {
      await proof.recheck()
      throw new Upstream('files of the lake changed while they were read', { retryAfterSeconds: 1, hint: 'repeat the request' })
    }
  }
}
