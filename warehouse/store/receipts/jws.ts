// A receipt as JWS (RFC 7515), for verifiers that know no DSSE: the statement as the payload, signed again as its JWS signing input. The
// algorithm is named Ed25519 (RFC 9864), never EdDSA, which names a family. The header states its own type (RFC 8725 section 3.11), and the
// input contains no space, so that it cannot be a DSSE encoding or a checkpoint.
import { sha256Hex } from './statement.ts'

const JWS_TYPE = 'crossfile-receipt+jws'

/** The protected header; `kid` is the JWK thumbprint of the key. `cty` is the media type of the payload without `application/` (RFC 7515 section 4.1.10). */
const headerOf = (kid: string): string => JSON.stringify({ alg: 'Ed25519', cty: 'vnd.in-toto+json', kid, typ: JWS_TYPE })
const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes as Uint8Array).toString('base64url')

/** Header and payload, each in base64url (RFC 7515 section 5.1): the ASCII bytes that are signed. */
function jwsInput(statement: Uint8Array, kid: string): Buffer {
  return Buffer.from(`${base64url(headerOf(kid))}.${base64url(statement)}`, 'ascii')
}

/** The compact serialization. `sign`: Ed25519 of the key `kid`; the same bytes each time. */
export function compactJws(statement: Uint8Array, key: { readonly kid: string; readonly sign: (bytes: Uint8Array) => Buffer }): string {
  const input = jwsInput(statement, key.kid)
  return `${input.toString('ascii')}.${base64url(key.sign(input))}`
}

/** The same signature without the payload (RFC 7515 appendix F): the verifier supplies the statement. */
export function detachedJws(compact: string): string {
  const [header = '', , signature = ''] = compact.split('.')
  return `${header}..${signature}`
}

/** `jws` in compact form; null with a `refused` reason of `verify`, or because no key can sign (`unsigned`). */
export type SignedJws = { readonly jws: string | null; readonly refused: string | null; readonly unsigned: boolean }

/** A tag for a cache: equal text has an equal one. */
export const jwsTag = (text: string): string => sha256Hex(Buffer.from(text, 'ascii')).slice(0, 27)
