// The bytes that an Ed25519 key signs: the pre-authentication encoding of DSSE, so that a signature is not valid for data of another type
// (secure-systems-lab/dsse, protocol.md).
import { PAYLOAD_TYPE } from '#schemas/receipts.ts'

/** `DSSEv1 <len type> <type> <len body> <body>`, lengths in bytes, decimal. */
export function preAuthEncoding(type: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.byteLength} `, 'utf8'), body])
}

/** The bytes signed for a statement. */
export function signedBytes(statement: Uint8Array): Buffer {
  return preAuthEncoding(PAYLOAD_TYPE, statement)
}
