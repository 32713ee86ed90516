// A question with a body has an address of its own: the address that is posted to, and the body behind `#post:`. So it is kept,
// looked up and repeated like any other document, and one string says what was asked.
import { BadRequest } from '#schemas/errors.ts'

const mark = '#post:'
/** The raw store indexes addresses, and an index has no room for longer ones. */
const longest = 2000

/** The address of `body` (JSON without credentials) posted to `url`; throws `BadRequest` where it is too long to be kept as one. */
export function postAddress(url: string, body: unknown): string {
  const address = `${url}${mark}${encodeURIComponent(JSON.stringify(body))}`
  if (address.length > longest)
    throw new BadRequest(`the question to ${url} is ${address.length} characters long, limit ${longest}`, { hint: 'ask for fewer things at once' })
  return address
}

/** What is asked at an address: a plain one, or one of `postAddress`. */
export function questionAt(address: string): { readonly url: string; readonly body: string | null } {
  const at = address.indexOf(mark)
  if (at < 0) return { url: address, body: null }
  return { url: address.slice(0, at), body: decodeURIComponent(address.slice(at + mark.length)) }
}

/** The address behind which a document is kept that came as answer to `body` at `url`, whose credentials are gone already. */
export const addressOfAnswer = (url: string, body: string | null | undefined): string =>
  body === null || body === undefined ? url : `${url}${mark}${encodeURIComponent(body)}`
