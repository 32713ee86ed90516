// Sends the outbox of pushes: encrypted for the browser (RFC 8291), signed with our key (RFC 8292), only to the push services
// of the allow-list whose names resolve to public addresses. A worker that dies between sending and marking sends again.
// Topic and tag are the same then, so that the browser shows one notice.
import { Agent, request } from 'undici'
import { claimPushes, type DuePush, type Settled, settlePush } from '#warehouse/people/push/outbox.ts'
import type { Vapid } from '#warehouse/people/push/vapid.ts'
import { type MorePushHosts, namedOrigins, pushAddress, pushRules } from '#warehouse/rulesets/push/rules.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { guardedConnector, RefusedAddress, type Resolve, resolveByDns } from '../../fetch/http/guard.ts'
import { again, classifyReply, payloadOf } from './classify-reply.ts'

export type PushSender = {
  readonly db: Db
  readonly vapid: Vapid
  /** The contact for push services: `mailto:…` or `https://…`. */
  readonly subject: string
  readonly hosts: MorePushHosts
  readonly now: () => Date
  readonly random: () => number
  readonly resolve?: Resolve
  /** Points at which a test ends the run; nothing otherwise. */
  readonly crashPoint?: (name: string) => void
}
export type Sent = Record<Settled['kind'], number>

const batch = 50
const parallel = 10
const connectMs = 5_000
const wholeMs = 30_000
const answerBytes = 16_384

/** Sends until nothing is due; returns the counts. */
export async function deliverPushes(sender: PushSender, signal: AbortSignal): Promise<Sent> {
  const { db, hosts, resolve = resolveByDns, now } = sender
  const dispatcher = new Agent({ connect: guardedConnector(resolve, namedOrigins(hosts), connectMs), pipelining: 1 })
  const sent: Sent = { sent: 0, gone: 0, retry: 0, give_up: 0 }
  /** Services that requested a pause: their remaining pushes wait too. */
  const pausing = new Map<string, Date>()
  try {
    while (!signal.aborted) {
      const due = await claimPushes(db, batch, now())
      sender.crashPoint?.('claimed')
      if (due.length === 0) break
      const browsers = Map.groupBy(due, each => each.subscription_id)
      const waiting = [...browsers.values()]
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          // The pushes of one browser are sent one after the other, so that the newest of a topic arrives last.
          for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await deliverTo(one)
        }),
      )
    }
    return sent
  } finally {
    await dispatcher.close()
  }

  async function deliverTo(pushes: readonly DuePush[]): Promise<void> {
    for (const push of pushes) {
      const settled = await tryOne(push)
      sender.crashPoint?.('sent')
      await settlePush(db, push, settled, now())
      sent[settled.kind] += 1
      if (settled.kind === 'gone') return
    }
  }

  async function tryOne(push: DuePush): Promise<Settled> {
    const address = pushAddress(push.endpoint, hosts)
    if (typeof address === 'string') return { kind: 'give_up', error: address }
    const left = pushRules.ttl_seconds - Math.floor((now().getTime() - Date.parse(push.created_at)) / 1000)
    if (left <= 0) return { kind: 'give_up', error: 'it is older than a push service would keep it' }
    const until = pausing.get(address.host)
    if (until !== undefined && until > now()) return { kind: 'retry', at: until, error: 'the push service requested a pause', uncounted: true }
    const { default: webPush } = await import('web-push')
    try {
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint: push.endpoint, keys: { p256dh: push.p256dh, auth: push.auth } },
        payloadOf(push, pushRules.plain_bytes),
        { TTL: left, urgency: pushRules.urgency, topic: push.topic, vapidDetails: { subject: sender.subject, ...sender.vapid } },
      )
      const reply = await request(address, {
        dispatcher,
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
        body,
        headersTimeout: 15_000,
        bodyTimeout: 15_000,
        signal: AbortSignal.any([signal, AbortSignal.timeout(wholeMs)]),
      })
      // The response body may name the subscription: it is neither stored nor logged.
      await reply.body.dump({ limit: answerBytes, signal: AbortSignal.timeout(wholeMs) }).catch(() => undefined)
      const after = reply.headers['retry-after']
      const settled = classifyReply(
        { status: reply.statusCode, retryAfter: Array.isArray(after) ? after[0] : after },
        push.attempts,
        now(),
        sender.random,
        pushRules,
      )
      if (reply.statusCode === 429 && settled.kind === 'retry') pausing.set(address.host, settled.at)
      return settled
    } catch (error) {
      if (error instanceof RefusedAddress) return { kind: 'give_up', error: 'the endpoint leads to an address that is not public' }
      // A stop does not count as a failure.
      if (signal.aborted) return { kind: 'retry', at: now(), error: 'the worker was stopped', uncounted: true }
      return again('the push service did not answer', push.attempts, null, now(), sender.random, pushRules)
    }
  }
}

/** The contact for push services: the public address, else the operator's. */
export function pushSubject(config: { readonly publicUrl: string | null; readonly contact: string | null; readonly mailFrom: string }): string {
  if (config.publicUrl?.startsWith('https://')) return config.publicUrl
  const found = /[^\s<>@]+@[^\s<>@]+/.exec(config.contact ?? '') ?? /[^\s<>@]+@[^\s<>@]+/.exec(config.mailFrom)
  return `mailto:${found?.[0] ?? 'no-reply@localhost'}`
}
