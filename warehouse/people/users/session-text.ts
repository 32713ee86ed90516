// The text of a session: `cf_sess_` and 32 random bytes. The cookie holds it, and a sign-in returns the same text as its token.
import { hash, randomBytes } from 'node:crypto'

const sessionPrefix = 'cf_sess_'
const shape = /^cf_sess_[A-Za-z0-9_-]{43}$/

export const mintSessionText = (): string => sessionPrefix + randomBytes(32).toString('base64url')
export const isSessionText = (text: string): boolean => text.length === 51 && shape.test(text)
/** The digest that is stored and looked up; a fast hash is sufficient for 256 random bits. */
export const sessionDigest = (text: string): Buffer => hash('sha256', text, 'buffer')
