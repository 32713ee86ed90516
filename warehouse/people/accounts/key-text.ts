// The text of an API key: `cf_live_`, 32 random base62 characters (190 bits), and 6 base62 characters of CRC-32 over the rest. The
// checksum lets the service reject a mistyped or invented key without a database query.
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const keyPrefix = 'cf_live_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = /^cf_live_[0-9A-Za-z]{38}$/

/** A new key. `pick` returns a uniform integer below its argument; tests pass a deterministic one. */
export function mintKeyText(pick: (below: number) => number = below => randomInt(below)): string {
  const secret = Array.from({ length: 32 }, () => alphabet[pick(alphabet.length)]).join('')
  return withCheck(keyPrefix + secret)
}

/** False for any text that no installation of this service can have issued. */
export function isKeyText(text: string): boolean {
  return text.length === 46 && shape.test(text) && withCheck(text.slice(0, 40)) === text
}

/** The digest that is stored and looked up. A fast hash is sufficient for 190 random bits (ASVS 6.5.2). */
export function keyDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

function withCheck(start: string): string {
  let rest = crc32(start)
  let check = ''
  for (let place = 0; place < 6; place++) {
    check = alphabet[rest % 62] + check
    rest = Math.floor(rest / 62)
  }
  return start + check
}
