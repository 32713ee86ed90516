// Hashes the lake again in the background, to find damage that changes no timestamp: decayed disk sectors, faulty memory or cables.
import type { Catalogue } from './catalogue.ts'
import type { Expected, Verifier } from './verifier.ts'

/** The pause after a file is this many times as long as its hash took: 1 % of one core, about 10 MB/s. */
const pauseFactor = 99
/** Time between the starts of two passes over a small lake. */
const passMs = 600_000

/**
 * Repeats passes until `signal` aborts: each slowly reads everything that is stored. `onFailure` gets the error of a failed pass, for
 * example if the database cannot be reached; the next pass follows in any case.
 */
export async function scrub(pass: () => Promise<void>, signal: AbortSignal, onFailure: (error: unknown) => void, pause = passMs): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now()
    await pass().catch(onFailure)
    await wait(Math.max(0, pause - (performance.now() - begun)), signal)
  }
}

/** One pass over files that are named by their SHA-256. Costs 1 % of a core; a pass over 36 GB takes an hour. */
export async function scrubOnce(files: readonly Expected[], verifier: Verifier, signal: AbortSignal, factor = pauseFactor): Promise<void> {
  for (const file of files) {
    if (signal.aborted) return
    const begun = performance.now()
    // The verifier reports damage; one damaged file must not end the pass.
    await verifier.lookAhead(file, true).catch(() => undefined)
    await idleAfter(begun, signal, factor)
  }
}

/** All lake files of a catalogue. */
export const lakeFilesOf = (catalogue: Catalogue, verifier: Verifier): Expected[] =>
  [...catalogue.files.values()].flat().map(file => verifier.expected(file))

/** Idles `factor` times as long as the work since `begun`. */
export async function idleAfter(begun: number, signal: AbortSignal, factor = pauseFactor): Promise<void> {
  await wait((performance.now() - begun) * factor, signal)
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
