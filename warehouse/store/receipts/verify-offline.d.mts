import type { Quorum, Verification } from './verify.ts'

/** Thrown where there is nothing to pass a verdict on. */
export class NoVerdict extends Error {}
export function verifyBundle(bytes: Uint8Array, given?: { readonly keys?: unknown; readonly body?: Buffer; readonly witnesses?: Quorum }): Verification
