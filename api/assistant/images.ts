// Images of questions. Their type is read from their first bytes, not from the request.
import { BadRequest } from '#schemas/errors.ts'

const kinds: readonly (readonly [type: string, begins: readonly number[], at: number])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 0],
  ['image/jpeg', [0xff, 0xd8, 0xff], 0],
  ['image/gif', [0x47, 0x49, 0x46, 0x38], 0],
  ['image/webp', [0x57, 0x45, 0x42, 0x50], 8],
]
const expected = 'expected the base64 of a PNG, JPEG, GIF or WebP image'

/** The bytes of an image. Throws 422 for invalid base64, and for bytes that are not an image of these types. */
export function readImage(text: string): Buffer {
  const plain = text.replace(/^data:image\/[a-z+]+;base64,/, '')
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(plain)) throw refused(`${expected}, found other characters`)
  const bytes = Buffer.from(plain, 'base64')
  if (!kinds.some(([, begins, at]) => begins.every((byte, place) => bytes[at + place] === byte))) throw refused(`${expected}, found other bytes`)
  return bytes
}

/** Throws 422 for a question with an image if no model accepts images. */
export function refuseImages(takesImages: boolean): void {
  if (takesImages) return
  throw refused('this installation has no model that takes images')
}

function refused(msg: string): BadRequest {
  return new BadRequest('1 field of the body is not as described', {
    status: 422,
    code: 'validation_error',
    items: [{ loc: ['body', 'image_base64'], msg, type: 'not_valid' }],
    hint: `${msg}; send the question without image_base64, it was not counted`,
  })
}
