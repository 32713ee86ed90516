// Sources that require a session: a cookie that one address sets, and a token that goes with it. Both are kept only in this process,
// never stored with a document, and discarded when the source rejects them.
import type { SessionPlace } from '../sources/upstream.ts'

/** Sent with a request, and never shown in a log or document. */
export type Session = { readonly cookie: string; readonly token: string }
/** Why there is no session; `seconds`: for how long no process requests one. */
export type NoSession = { readonly reason: string; readonly fact: string; readonly seconds: number }

/** One exchange as a session needs it: status, the cookies that were set, the first kilobytes of the body. */
type SessionRequest = (
  url: URL,
  cookie: string | null,
) => Promise<{ readonly status: number; readonly setCookie: readonly string[]; readonly head: string }>

/** `name=value` of each cookie, without its attributes; one that is deleted is left out. */
export function cookiesOf(setCookie: readonly string[]): string {
  const kept = setCookie.flatMap(line => {
    const pair = (line.split(';', 1)[0] ?? '').trim()
    return /^[\w!#$%&'*+.^`|~-]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(pair) ? [pair] : []
  })
  return kept.join('; ')
}

/** A token is one short word; a sentence, a page or an object in its place is an error. */
const isToken = (text: string): boolean => /^[A-Za-z0-9./+=_\\-]{6,64}$/.test(text)

export type Sessions = {
  readonly of: (name: string, place: SessionPlace, request: SessionRequest) => Promise<Session | NoSession>
  readonly forget: (name: string) => void
}

/** One session per source; concurrent callers wait for the same one. A failure is not remembered. */
export function createSessions(): Sessions {
  const held = new Map<string, Promise<Session | NoSession>>()
  return {
    of(name, place, request) {
      const known = held.get(name)
      if (known) return known
      const made = open(place, request)
      held.set(name, made)
      const drop = (): void => void (held.get(name) === made && held.delete(name))
      made.then(session => {
        if ('reason' in session) drop()
      }, drop)
      return made
    },
    forget: name => void held.delete(name),
  }
}

async function open(place: SessionPlace, request: SessionRequest): Promise<Session | NoSession> {
  const first = await request(new URL(place.cookieUrl), null)
  const cookie = cookiesOf(first.setCookie)
  if (cookie === '') return { reason: 'no_session', fact: `status ${first.status} and no cookie where one is set`, seconds: 300 }
  const answer = await request(new URL(place.tokenUrl), cookie)
  const token = answer.head.trim()
  if (answer.status === 200 && isToken(token)) return { cookie, token }
  const throttled = answer.status === 429 || /too many requests/i.test(token)
  return {
    reason: throttled ? 'throttled' : 'no_session',
    fact: `status ${answer.status} and "${token.slice(0, 60)}" in place of a token`,
    seconds: 300,
  }
}
