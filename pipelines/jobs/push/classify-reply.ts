// The payload of a push, and the meaning of a push service's response.
import type { DuePush, Settled } from '#warehouse/people/push/outbox.ts'
import type { PushRules } from '#warehouse/rulesets/push/rules.ts'
import { retryAfterSeconds } from '../../fetch/http/retry.ts'

const longestUrl = 1000

/**
 * The encrypted payload. `tag` is the same for a push and its replacements, so that a browser that receives both shows one
 * notice. Body, then title, are cut at whole characters to the size limit of a push.
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

/** The longest beginning that fits, in whole characters, with an ellipsis if something was cut. */
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

/** The meaning of a response (RFC 8030; 8292, 4.2). `random` from 0 to 1. */
export function classifyReply({ status, retryAfter }: Replied, attempts: number, now: Date, random: () => number, rules: PushRules): Settled {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  const answered = `the push service answered ${status}`
  if (status === 413) return { kind: 'give_up', error: `${answered}: the notice is too large for it` }
  if (status === 401 || status === 403) return { kind: 'give_up', error: `${answered}: it does not take the key that this was signed with` }
  if (status >= 300 && status < 400) return { kind: 'give_up', error: `${answered}: redirects are not followed` }
  if (status === 429 || status >= 500 || status === 408) {
    const wait = retryAfterSeconds(retryAfter, now.getTime())
    return again(answered, attempts, wait, now, random, rules)
  }
  return { kind: 'give_up', error: answered }
}

/** Another attempt, after the requested wait or a growing one; the last attempt gives up. */
export function again(answered: string, attempts: number, wait: number | null, now: Date, random: () => number, rules: PushRules): Settled {
  if (attempts >= rules.attempts) return { kind: 'give_up', error: `${answered}; given up after ${attempts} attempts` }
  const bound = Math.min(rules.longest_retry_seconds, rules.first_retry_seconds * 2 ** Math.max(0, attempts - 1))
  // Between half of the bound and all of it, so that pushes that failed together are not retried together.
  const seconds = wait ?? bound * (0.5 + random() / 2)
  return { kind: 'retry', at: new Date(now.getTime() + seconds * 1000), error: answered }
}
