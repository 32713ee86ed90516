/** Process ids from this process up to npm; null if npm does not run it. */
export function findNpm(): number[] | null
export function isSeenByOthers(chain: readonly number[]): boolean
export function whenNpmEnds(chain: readonly number[], everyMs: number, ended: () => void): () => void
/** `request` ends a program by `send`, once, and half a minute after a signal of which `noteSignal` was called. */
export function createEnding(send: () => void): { readonly noteSignal: () => void; readonly request: () => void }
