// Devices and web push: registrations of browsers and apps. The API does not connect to push services; workers do, and check the address
// again.

import type { z } from 'zod'
import { BadRequest, NotFound, Upstream } from '#schemas/errors.ts'
import type { DeviceRegistration, DeviceRemoval, PushSubscribeRequest, PushUnsubscribeRequest } from '#schemas/push.ts'
import { enqueuePush, ringPush } from '#warehouse/people/push/send.ts'
import {
  type DeviceRow,
  findDevices,
  findSubscriptions,
  removeDevice,
  removeSubscription,
  type SubscriptionRow,
  saveDevice,
  saveSubscription,
} from '#warehouse/people/push/subscriptions.ts'
import { findPushKey } from '#warehouse/people/push/vapid.ts'
import { asService, asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import { pushAddress, pushRules } from '#warehouse/rulesets/push/rules.ts'
import type { Handlers } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

type Mine =
  | 'list_devices'
  | 'register_device'
  | 'remove_device'
  | 'get_push_key'
  | 'list_push_subscriptions'
  | 'subscribe_push'
  | 'unsubscribe_push'
  | 'test_push'
type Tools = Pick<UserTools, 'db' | 'queue' | 'config'>

/** The number of notices that a user tried within the last hour. */
async function testsWithinHour(trx: Trx, userId: string, now: Date): Promise<number> {
  const { tests } = await asService(trx, () =>
    trx
      .selectFrom('push_outbox')
      .select(each => each.fn.count<number>('dedupe_key').distinct().as('tests'))
      .where('user_id', '=', userId)
      .where('dedupe_key', 'like', 'test %')
      .where('created_at', '>', new Date(now.getTime() - 3_600_000).toISOString())
      .executeTakeFirstOrThrow(),
  )
  return Number(tests)
}

export function pushHandlers(tools: Tools): Pick<Handlers, Mine> {
  const { db, queue, config } = tools
  return {
    list_devices: async (_question, context) => {
      const { user_id } = userOf(context)
      const devices = await asUser(db, user_id, trx => findDevices(trx, user_id))
      return jsonAnswer({ count: devices.length, devices: devices.map(deviceOut) })
    },
    register_device: (_question, context) =>
      written(tools, context, async trx => {
        const row = await saveDevice(trx, userOf(context).user_id, context.body as z.output<typeof DeviceRegistration>, context.now())
        return { status: 201, body: deviceOut(row) }
      }),
    remove_device: async (_question, context) => {
      const { user_id } = userOf(context)
      const { token } = context.body as z.output<typeof DeviceRemoval>
      if (!(await asUser(db, user_id, trx => removeDevice(trx, user_id, token))))
        throw new NotFound('no device of this account has this token', {
          hint: 'send the token as it was registered; GET /api/v1/devices lists them',
        })
      return noContent()
    },
    get_push_key: async () => {
      const public_key = await findPushKey(db)
      if (public_key === null)
        throw new Upstream('the key of pushes is not made yet', { retryAfterSeconds: 5, hint: 'a worker makes it when it first starts' })
      return jsonAnswer({ public_key, algorithm: 'ES256' })
    },
    list_push_subscriptions: async (_question, context) => {
      const { user_id } = userOf(context)
      const found = await asUser(db, user_id, trx => findSubscriptions(trx, user_id))
      return jsonAnswer({ count: found.length, subscriptions: found.map(subscriptionOut) })
    },
    subscribe_push: (_question, context) => {
      const given = context.body as z.output<typeof PushSubscribeRequest>
      const address = pushAddress(given.endpoint, config.pushHosts)
      if (typeof address === 'string') throw refusedEndpoint(address)
      return written(tools, context, async trx => {
        const row = await saveSubscription(trx, userOf(context).user_id, given, context.now())
        return { status: 201, body: subscriptionOut(row) }
      })
    },
    unsubscribe_push: (_question, context) =>
      written(tools, context, async trx => {
        const { endpoint } = context.body as z.output<typeof PushUnsubscribeRequest>
        if (!(await removeSubscription(trx, userOf(context).user_id, endpoint)))
          throw new NotFound('this account has no subscription of this endpoint', { hint: 'GET /api/v1/push/subscriptions lists them' })
        return { status: 204, body: null }
      }),
    test_push: async (_question, context) => {
      const { user_id } = userOf(context)
      const answer = await written(tools, context, async trx => {
        const now = context.now()
        // A later request waits here until this one ends, so that the limit holds.
        await trx.selectFrom('app_user').select('user_id').where('user_id', '=', user_id).forUpdate().execute()
        const tests = await testsWithinHour(trx, user_id, now)
        if (tests >= pushRules.tests_per_hour)
          throw new BadRequest(`${pushRules.tests_per_hour} notices were tried within the hour`, {
            status: 429,
            code: 'rate_limited',
            hint: 'try again in an hour',
          })
        const subscriptions = await enqueuePush(trx, {
          user_id,
          dedupe_key: `test ${context.request_id} ${now.getTime()} ${tests}`,
          title: 'Crossfile',
          body: 'Notices reach this browser.',
          topic: 'crossfile-test',
        })
        if (subscriptions === 0)
          throw new NotFound('this account has no browser that takes notices', { hint: 'POST /api/v1/push/subscribe adds one' })
        return { status: 202, body: { status: 'queued', subscriptions } }
      })
      await ringPush(queue)
      return answer
    },
  }
}

function refusedEndpoint(fact: string): BadRequest {
  const hosts = pushRules.hosts.map(each => each.host).join(', ')
  return new BadRequest(fact, {
    status: 422,
    code: 'validation_error',
    hint: `subscribe with PushManager.subscribe(); push services here: ${hosts}, and those of CROSSFILE_PUSH_HOSTS`,
    items: [{ loc: ['body', 'endpoint'], msg: fact, type: 'push_host' }],
  })
}

const deviceOut = ({ device_id, platform, token, created_at, seen_at }: DeviceRow) => ({
  id: device_id,
  platform,
  token_end: token.slice(-4),
  created_at,
  last_registered_at: seen_at,
})
const subscriptionOut = ({ subscription_id, endpoint, tickers, created_at, seen_at }: SubscriptionRow) => ({
  id: subscription_id,
  host: new URL(endpoint).host,
  tickers,
  created_at,
  last_subscribed_at: seen_at,
})
