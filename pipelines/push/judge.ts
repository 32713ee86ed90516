// What a push is made of, and what a push service's answer means for it.
import type { DuePush, Settled } from '#warehouse/push/outbox.ts'
import type { PushRules } from '#warehouse/rulesets/push/rules.ts'
import { retryAfterSeconds } from '../http/retry.ts'

const longestUrl = 1000

/**
 * What is encrypted. `tag` is the same for the same push and for those that replace it, so that a browser that is told twice shows one
 * notice. Body, then title, are cut by whole characters to what a push carries.
 */
export function payloadOf(push: Pick<DuePush, 'push_id' | 'title' | 'body' | 'url' | 'topic'>, mostBytes: number): string {
  const url = push.url !== null && push.url.length <= longestUrl ? push.url : null
  const made = (title: string, body: string): string => JSON.stringify({ id: String(push.push_id), title, body, url, tag: push.topic })
  const body = longest(push.body, text => Buffer.byteLength(made('', text)) <= mostBytes / 2)
  const title = longest(push.title, text => Buffer.byteLength(made(text, body)) <= mostBytes)
  return made(
    title,
    longest(push.body, text => Buffer.byteLength(made(title, text)) <= mostBytes),
  )
}

/** The longest beginning that fits, by whole characters, with an ellipsis where something was cut. */
function longest(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  const letters = [...text]
  let [least, most] = [0, letters.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(`${letters.slice(0, middle).join('')}…`)) least = middle
    else most = middle - 1
  }
  return least === 0 ? '' : `${letters.slice(0, least).join('')}…`
}

export type Replied = { readonly status: number; readonly retryAfter: string | undefined }

/** What an answer means (RFC 8030; 8292, 4.2). `random` from 0 to 1. */
export function judgeReply({ status, retryAfter }: Replied, attempts: number, now: Date, random: () => number, rules: PushRules): Settled {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  const said = `the push service answered ${status}`
  if (status === 413) return { kind: 'give_up', error: `${said}: the notice is too large for it` }
  if (status === 401 || status === 403) return { kind: 'give_up', error: `${said}: it does not take the key that this was signed with` }
  if (status >= 300 && status < 400) return { kind: 'give_up', error: `${said}: redirects are not followed` }
  if (status === 429 || status >= 500 || status === 408) {
    const wait = retryAfterSeconds(retryAfter, now.getTime())
    return again(said, attempts, wait, now, random, rules)
  }
  return { kind: 'give_up', error: said }
}

/** Another attempt, after the wait that was asked for or a growing one; the last gives up. */
export function again(said: string, attempts: number, wait: number | null, now: Date, random: () => number, rules: PushRules): Settled {
  if (attempts >= rules.attempts) return { kind: 'give_up', error: `${said}; given up after ${attempts} attempts` }
  const bound = Math.min(rules.longest_retry_seconds, rules.first_retry_seconds * 2 ** Math.max(0, attempts - 1))
  // Between half of the bound and all of it: many that failed together do not come back together.
  const seconds = wait ?? bound * (0.5 + random() / 2)
  return { kind: 'retry', at: new Date(now.getTime() + seconds * 1000), error: said }
}
