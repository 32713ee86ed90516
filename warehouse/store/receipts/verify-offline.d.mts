import type { Quorum, Verification } from './verify.ts'

/** Thrown where there is nothing to pass a verdict on. */
export class NoVerdict extends Error {}
/** Whether the key `x` (32 bytes in base64url) signed exactly these bytes. */
export function ed25519Holds(signed: Uint8Array, signature: Uint8Array, x: string): boolean
export function verifyBundle(bytes: Uint8Array, given?: { readonly keys?: unknown; readonly body?: Buffer; readonly witnesses?: Quorum }): Verification
