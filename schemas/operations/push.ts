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
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'

const own = { tag: 'Push', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const

export const pushOperations = [
  operation({
    ...own,
    id: 'list_devices',
    path: '/api/v1/devices',
    summary: 'Registered devices',
    description: 'The oldest first; at most sixteen.',
    question: question({}),
    answer: z.object({ count: Count, devices: z.array(DeviceOut) }),
    rows: 'devices',
    example: examples.list_devices,
  }),
  operation({
    ...own,
    id: 'register_device',
    method: 'POST',
    path: '/api/v1/devices',
    summary: 'Register a device',
    description:
      'Keeps the token of an app on a device. Registering the same token again renews it. A token that another account registered moves to this one, because one person uses a device. With more than sixteen devices, the one renewed longest ago is removed. This service delivers only by web push (POST /api/v1/push/subscribe). Devices are stored for the export and for an app of the operator.',
    question: question({}),
    body: DeviceRegistration,
    success: 201,
    answer: DeviceOut,
    example: examples.register_device,
  }),
  operation({
    ...own,
    id: 'remove_device',
    method: 'DELETE',
    path: '/api/v1/devices',
    summary: 'Remove a device',
    description: 'The token is in the body, as registered, because URLs end up in logs. 404 if this account has no such device.',
    question: question({}),
    body: DeviceRemoval,
    success: 204,
    example: examples.remove_device,
  }),
  operation({
    ...own,
    id: 'get_push_key',
    access: 'public',
    path: '/api/v1/push/key',
    summary: 'The public key for push subscriptions',
    description:
      'The VAPID key of this installation (RFC 8292), for applicationServerKey of PushManager.subscribe(). It does not change. 503 until the first worker has run.',
    question: question({}),
    answer: z.object({
      public_key: Text.meta({ description: 'uncompressed P-256 point, base64url' }),
      algorithm: z.literal('ES256'),
    }),
    example: examples.get_push_key,
  }),
  operation({
    ...own,
    id: 'list_push_subscriptions',
    path: '/api/v1/push/subscriptions',
    summary: 'Browsers that receive notices',
    description: 'Oldest first; at most sixteen. A browser is removed when its push service reports that the subscription has ended.',
    question: question({}),
    answer: z.object({ count: Count, subscriptions: z.array(PushSubscriptionOut) }),
    rows: 'subscriptions',
    example: examples.list_push_subscriptions,
  }),
  operation({
    ...own,
    id: 'subscribe_push',
    method: 'POST',
    path: '/api/v1/push/subscribe',
    summary: 'Send notices to this browser',
    description:
      "Accepts the result of PushManager.subscribe(), with its keys nested or flat. The same endpoint again replaces keys and symbols, and ends a subscription of another account with this browser. Endpoints are https URLs of the browser vendors' push services; the operator may allow more. With more than sixteen browsers, the one that subscribed longest ago is removed.",
    question: question({}),
    body: PushSubscribeRequest,
    success: 201,
    answer: PushSubscriptionOut,
    example: examples.subscribe_push,
  }),
  operation({
    ...own,
    id: 'unsubscribe_push',
    method: 'POST',
    path: '/api/v1/push/unsubscribe',
    summary: 'Stop notices to this browser',
    description: 'Its waiting notices are dropped. 404 if this account has no subscription with this endpoint.',
    question: question({}),
    body: PushUnsubscribeRequest,
    success: 204,
    example: examples.unsubscribe_push,
  }),
  operation({
    ...own,
    id: 'test_push',
    method: 'POST',
    path: '/api/v1/push/test',
    summary: 'Send a test notice',
    description: 'One to each browser of this account, within seconds. 404 if there is none; 429 after twenty an hour.',
    question: question({}),
    success: 202,
    answer: PushTestOut,
    example: examples.test_push,
  }),
] as const
