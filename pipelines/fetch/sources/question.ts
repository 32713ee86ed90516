// A request with a body has its own address: the address that is posted to, and the body after `#post:`. So it is stored,
// looked up and repeated like any other document, and one string identifies the request.
import { BadRequest } from '#schemas/errors.ts'

const mark = '#post:'
/** The raw store indexes addresses, and the index limits their length. */
const longest = 2000

/** The address of `body` (JSON without credentials) posted to `url`; throws `BadRequest` if it is too long to be stored. */
export function postAddress(url: string, body: unknown): string {
  const address = `${url}${mark}${encodeURIComponent(JSON.stringify(body))}`
  if (address.length > longest)
    throw new BadRequest(`the request to ${url} is ${address.length} characters long, limit ${longest}`, { hint: 'request fewer items at a time' })
  return address
}

/** The request behind an address: a plain one, or one of `postAddress`. */
export function questionAt(address: string): { readonly url: string; readonly body: string | null } {
  const at = address.indexOf(mark)
  if (at < 0) return { url: address, body: null }
  return { url: address.slice(0, at), body: decodeURIComponent(address.slice(at + mark.length)) }
}

/** The address under which a response to `body` at `url` is stored; the credentials are already removed. */
export const addressOfAnswer = (url: string, body: string | null | undefined): string =>
  body === null || body === undefined ? url : `${url}${mark}${encodeURIComponent(body)}`
