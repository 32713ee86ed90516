// Devices and web push: registrations of a user's browsers and apps for notices.
import { z } from 'zod'
import {
  DeviceOut,
  DeviceRegistration,
  DeviceRemoval,
  PushSubscribeRequest,
  PushSubscriptionOut,
  PushTestOut,
  PushUnsubscribeRequest,
} from '../push.ts'
import { Count, Text } from '../values.ts'
import { operation } from './operation.ts'

const own = { tag: 'Push', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const

export const pushOperations = [
  operation('list_devices', 'GET /api/v1/devices', {
    ...own,
    summary: 'Registered devices',
    description: 'The oldest first; at most sixteen.',
    answer: z.object({ count: Count, devices: z.array(DeviceOut) }),
    rows: 'devices',
  }),
  operation('register_device', 'POST /api/v1/devices', {
    ...own,
    summary: 'Register a device',
    description:
      'Keeps the token of an app on a device. Registering the same token again renews it. A token that another account registered moves to this one, because one person uses a device. With more than sixteen devices, the one renewed longest ago is removed. This service delivers only by web push (POST /api/v1/push/subscribe). Devices are stored for the export and for an app of the operator.',
    body: DeviceRegistration,
    success: 201,
    answer: DeviceOut,
    idempotency_key: true,
    example: { body: { platform: 'ios', token: 'b6c1d0e4a87245f39c02ab5e7d189f31' } },
  }),
  operation('remove_device', 'DELETE /api/v1/devices', {
    ...own,
    summary: 'Remove a device',
    description: 'The token is in the body, as registered, because URLs end up in logs. 404 if this account has no such device.',
    body: DeviceRemoval,
    success: 204,
    can_be_missing: true,
    example: { body: { token: 'b6c1d0e4a87245f39c02ab5e7d189f31' } },
  }),
  operation('get_push_key', 'GET /api/v1/push/key', {
    ...own,
    access: 'public',
    summary: 'The public key for push subscriptions',
    description:
      'The VAPID key of this installation (RFC 8292), for applicationServerKey of PushManager.subscribe(). It does not change. 503 until the first worker has run.',
    answer: z.object({
      public_key: Text.describe('uncompressed P-256 point, base64url'),
      algorithm: z.literal('ES256'),
    }),
  }),
  operation('list_push_subscriptions', 'GET /api/v1/push/subscriptions', {
    ...own,
    summary: 'Browsers that receive notices',
    description: 'Oldest first; at most sixteen. A browser is removed when its push service reports that the subscription has ended.',
    answer: z.object({ count: Count, subscriptions: z.array(PushSubscriptionOut) }),
    rows: 'subscriptions',
  }),
  operation('subscribe_push', 'POST /api/v1/push/subscribe', {
    ...own,
    summary: 'Send notices to this browser',
    description:
      "Accepts the result of PushManager.subscribe(), with its keys nested or flat. The same endpoint again replaces keys and symbols, and ends a subscription of another account with this browser. Endpoints are https URLs of the browser vendors' push services; the operator may allow more. With more than sixteen browsers, the one that subscribed longest ago is removed.",
    body: PushSubscribeRequest,
    success: 201,
    answer: PushSubscriptionOut,
    idempotency_key: true,
    example: {
      body: {
        endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABexample',
        keys: { p256dh: 'BD-Zjon565b3ASIcfVdwp0NTx1sMQaRnENq-oXwwJryBsEUjgkeDW_b4Q8MWk_sOQwHz7O-sLHZjpd_ymeb6lcI', auth: 'q8oYdY3Rkz1nA0Yl2V5rJw' },
        tickers: ['AAPL', 'SHOP.TO'],
      },
    },
  }),
  operation('unsubscribe_push', 'POST /api/v1/push/unsubscribe', {
    ...own,
    summary: 'Stop notices to this browser',
    description: 'Its waiting notices are dropped. 404 if this account has no subscription with this endpoint.',
    body: PushUnsubscribeRequest,
    success: 204,
    idempotency_key: true,
    can_be_missing: true,
    example: { body: { endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABexample' } },
  }),
  operation('test_push', 'POST /api/v1/push/test', {
    ...own,
    summary: 'Send a test notice',
    description: 'One to each browser of this account, within seconds. 404 if there is none; 429 after twenty an hour.',
    success: 202,
    answer: PushTestOut,
    idempotency_key: true,
    can_be_missing: true,
  }),
] as const
