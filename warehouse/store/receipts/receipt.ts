// Issues a receipt, and adds its id to the body: the payload is signed, and the served body is the payload with `,"receipt_id":"r1_…"`
// before its last brace.

import { ReceiptId } from '#schemas/answer.ts'
import { BadRequest, Broken } from '#schemas/errors.ts'
import type { Statement } from '#schemas/receipts.ts'
import { statementBytes } from './canonical.ts'
import { signedBytes } from './dsse.ts'
import type { Signer } from './signer.ts'
import { checkStatement, receiptId } from './statement.ts'

export type Receipt = {
  readonly receipt_id: string
  readonly statement_bytes: Buffer
  readonly signature: Buffer
  readonly kid: string
}

/** 256 sources with long addresses need less; a larger statement is not from this service. */
export const MAX_STATEMENT_BYTES = 512 * 1024

/** The receipt of a statement: a pure function of the two, the same bytes each time. */
export function issueReceipt(statement: Statement, signer: Signer): Receipt {
  const bytes = statementBytes(checkStatement(statement))
  if (bytes.byteLength > MAX_STATEMENT_BYTES) throw new Broken(`receipt statement: ${bytes.byteLength} bytes, at most ${MAX_STATEMENT_BYTES}`)
  return { receipt_id: receiptId(bytes), statement_bytes: bytes, signature: signer.sign(signedBytes(bytes)), kid: signer.kid }
}

const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d
// `,"receipt_id":"r1_` + 52 + `"}`; the bare brace before it occurs for an otherwise empty object.
const TAIL = /[,{]"receipt_id":"(r1_[a-z2-7]{51}[aq])"\}$/
const TAIL_BYTES = 72

/** The served body: `payload` (a JSON object without white space around it) with the id as its last member. */
export function spliceReceiptId(payload: Buffer, id: string): Buffer {
  if (!ReceiptId.safeParse(id).success) throw new Broken(`receipt id "${id.slice(0, 64)}": expected r1_ and 52 letters or digits`)
  if (payload.at(0) !== BRACE_OPEN || payload.at(-1) !== BRACE_CLOSE || payload.byteLength < 2)
    throw new Broken('receipt: the payload is not a JSON object')
  if (payloadOf(payload).receipt_id !== null) throw new Broken('receipt: the payload already ends with a receipt_id')
  const comma = payload.byteLength === 2 ? '' : ','
  return Buffer.concat([payload.subarray(0, -1), Buffer.from(`${comma}"receipt_id":"${id}"}`, 'latin1')])
}

/** The signed payload of a served body and its receipt id; null and the body itself without one. */
export function payloadOf(body: Buffer): { readonly payload: Buffer; readonly receipt_id: string | null } {
  if (body.at(0) !== BRACE_OPEN || body.at(-1) !== BRACE_CLOSE) {
    throw new BadRequest('answer body: not a JSON object from its first to its last byte', { hint: 'pass the bytes as served, without a line end' })
  }
  const match = TAIL.exec(body.subarray(-TAIL_BYTES).toString('latin1'))
  const id = match?.[1]
  if (!match || id === undefined) return { payload: body, receipt_id: null }
  // The comma is removed, an opening brace stays.
  const removed = match[0].startsWith(',') ? match[0].length : match[0].length - 1
  return { payload: Buffer.concat([body.subarray(0, body.byteLength - removed), Buffer.from('}')]), receipt_id: id }
}
