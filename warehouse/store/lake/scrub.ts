// Hashes the lake again in the background, to find damage that changes no timestamp: decayed disk sectors, faulty memory or cables.
import type { Catalogue } from './catalogue.ts'
import type { Verifier } from './verifier.ts'

/** The pause after a file is this many times as long as its hash took: 1 % of one core, about 10 MB/s. */
const pauseFactor = 99
/** Time between the starts of two passes over a small lake. */
const passMs = 600_000

/**
 * Reads every live file again and again until `signal` aborts. Damage is reported through the verifier's `onDamage`; a file that
 * cannot be read now is read in the next pass, and so is the lake if `catalogue` has none now. Costs 1 % of a core; a pass over 36 GB takes an hour.
 */
export async function scrub(catalogue: () => Promise<Catalogue | null>, verifier: Verifier, signal: AbortSignal, pause = passMs): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now()
    const files = await catalogue()
    if (files) await scrubOnce(files, verifier, signal)
    await wait(Math.max(0, pause - (performance.now() - begun)), signal)
  }
}

/** One pass over a catalogue's files. */
export async function scrubOnce(catalogue: Catalogue, verifier: Verifier, signal: AbortSignal, factor = pauseFactor): Promise<void> {
  for (const file of [...catalogue.files.values()].flat()) {
    if (signal.aborted) return
    const begun = performance.now()
    // The verifier reports what it finds; one damaged file must not end the pass.
    await verifier.recheck(verifier.expected(file)).catch(() => undefined)
    await wait((performance.now() - begun) * factor, signal)
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    timer.unref()
    signal.addEventListener('abort', done)
  })
}
