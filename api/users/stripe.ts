// Stripe: the only outgoing requests of the API, because a user waits for the payment page. Off until a key is configured. Only the type of
// a Stripe error is returned or logged, because its text may contain keys and addresses.
import type Stripe from 'stripe'
import type { BillingInterval, PaidTier } from '#schemas/billing.ts'
import { intervals, paidTiers } from '#schemas/billing.ts'
import type { Config } from '#schemas/config.ts'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import { type Prices, readStripeEvent, type StripeEvent } from '#warehouse/people/billing/stripe-event.ts'

const timeoutMs = 8_000
/** Seconds for which a signature is valid. */
const toleranceSeconds = 300

type Checkout = { readonly checkout_id: string; readonly url: string; readonly expires_at: string }
type CheckoutQuery = {
  readonly user_id: string
  readonly email: string
  readonly customer: string | null
  readonly tier: PaidTier
  readonly interval: BillingInterval
  readonly idempotency_key: string | null
}
type Settings = Pick<Config, 'stripeKey' | 'stripeWebhookSecret' | 'stripePrices' | 'stripeApi'>
export type StripeClient = {
  readonly takesPayments: boolean
  /** Tier and interval of each price. */
  readonly prices: Prices
  checkout(callStripe: CheckoutQuery, baseUrl: string): Promise<Checkout>
  /** Sets a subscription to end with the paid period. */
  endAtPeriodEnd(subscription: string): Promise<void>
  /** The event of a body that Stripe signed. Throws 400 if the signature is wrong or too old. */
  readEvent(body: string, signature: string | null, now: Date): Promise<StripeEvent>
}

/** Loaded when first used: few installations take payments, and its modules take as much memory as a quarter of this service's. */
const loadStripe = async (): Promise<typeof Stripe> => (await import('stripe')).default

export function stripeClient({ stripeKey, stripeWebhookSecret, stripePrices, stripeApi }: Settings): StripeClient {
  let opened: Stripe | null = null
  async function stripe(): Promise<Stripe> {
    if (stripeKey === null) throw noPayments('STRIPE_API_KEY')
    const { hostname, port, protocol } = new URL(stripeApi ?? 'https://api.stripe.com')
    const Client = await loadStripe()
    opened ??= new Client(stripeKey.reveal(), {
      timeout: timeoutMs,
      maxNetworkRetries: 1,
      telemetry: false,
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      protocol: protocol === 'https:' ? 'https' : 'http',
    })
    return opened
  }
  const prices: Prices = new Map(
    paidTiers.flatMap(tier =>
      intervals.flatMap(interval => {
        const price = stripePrices[`${tier}.${interval}`]
        return price === undefined ? [] : [[price, { tier, interval }] as const]
      }),
    ),
  )

  return {
    takesPayments: stripeKey !== null && prices.size > 0,
    prices,
    async checkout({ user_id, email, customer, tier, interval, idempotency_key }, baseUrl) {
      const price = stripePrices[`${tier}.${interval}`]
      const { checkout } = await stripe()
      if (price === undefined) throw noPayments(`CROSSFILE_STRIPE_PRICES for ${tier}.${interval}`)
      const metadata = { user_id }
      const session = await callStripe(() =>
        checkout.sessions.create(
          {
            mode: 'subscription',
            line_items: [{ price, quantity: 1 }],
            client_reference_id: user_id,
            ...(customer === null ? { customer_email: email } : { customer }),
            metadata,
            subscription_data: { metadata },
            success_url: `${baseUrl}/developer?checkout=done`,
            cancel_url: `${baseUrl}/developer?checkout=left`,
          },
          idempotency_key === null ? {} : { idempotencyKey: `checkout ${user_id} ${idempotency_key}` },
        ),
      )
      if (!session.url) throw new Upstream('Stripe gave no page for this payment', { hint: 'repeat the request in a minute' })
      return { checkout_id: session.id, url: session.url, expires_at: new Date(session.expires_at * 1000).toISOString() }
    },
    async endAtPeriodEnd(subscription) {
      const { subscriptions } = await stripe()
      await callStripe(() => subscriptions.update(subscription, { cancel_at_period_end: true }))
    },
    async readEvent(body, signature, now) {
      if (stripeWebhookSecret === null) throw noPayments('STRIPE_WEBHOOK_SECRET')
      const { webhooks } = await loadStripe()
      let json: unknown
      try {
        json = webhooks.constructEvent(body, signature ?? '', stripeWebhookSecret.reveal(), toleranceSeconds, undefined, now.getTime())
      } catch {
        throw new BadRequest('the signature of this event does not hold', {
          hint: `Stripe signs the body in Stripe-Signature; it is good for ${toleranceSeconds / 60} minutes`,
        })
      }
      const event = readStripeEvent(json)
      if (event === null) throw new BadRequest('this is no event of Stripe', { hint: 'send an event as Stripe makes it' })
      return event
    },
  }
}

const noPayments = (missing: string): Upstream =>
  new Upstream('this installation takes no payments', {
    hint: `the operator configures ${missing}; until then POST /api/v1/billing/change-tier asks an administrator`,
  })

/** The response of Stripe, or the error for the client. */
async function callStripe<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const { errors } = await loadStripe()
    const kind = error instanceof errors.StripeError ? `${error.type} ${error.statusCode ?? 'without an answer'}` : 'no answer'
    if (error instanceof errors.StripeIdempotencyError)
      throw new BadRequest('this Idempotency-Key stood for another checkout', {
        status: 409,
        code: 'conflict',
        hint: 'a new request needs a new key',
      })
    throw new Upstream('Stripe could not be reached', {
      cause: new Error(`stripe: ${kind}`),
      retryAfterSeconds: 30,
      hint: 'repeat the request in a minute',
    })
  }
}
