// Devices and web push: what a user's browsers and apps hand over so that notices reach them.
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
    summary: 'Devices that are registered',
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
      "Keeps the token of an app on a device. The same token again renews it; a token that another account registered moves to this one, since a device is in one person's hands. Of more than sixteen devices the one that was renewed longest ago goes. This service itself delivers by web push (POST /api/v1/push/subscribe): a device is kept for the export and for an app of the operator.",
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
    description: 'The token stands in the body, as it was registered: an address would end up in logs. 404 where this account has no such device.',
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
    summary: 'The key to subscribe with',
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
    summary: 'Browsers that are sent notices',
    description: 'The oldest first; at most sixteen. A browser goes when its push service says that the subscription is over.',
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
      "Takes what PushManager.subscribe() gives, with its keys nested or flat. The same endpoint again takes the new keys and symbols; where another account subscribed with the same browser, that ends. Endpoints are https at the push services of the browsers' makers; the operator may allow more. Of more than sixteen browsers the one that subscribed longest ago goes.",
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
    summary: 'Send no more notices to this browser',
    description: 'What waits for it is dropped. 404 where this account has no subscription of this endpoint.',
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
    summary: 'Send a notice to try it',
    description: 'One to each browser of this account, within seconds. 404 where there is none; 429 after twenty an hour.',
    question: question({}),
    success: 202,
    answer: PushTestOut,
    example: examples.test_push,
  }),
] as const
