// What is held of people: every table with a reference to a user, why it is held, for how long, and what export and erasure do with
// it. The policy, the export and the erasure are made from it; a table that is missing here fails a test.

export type Held = {
  readonly table: string
  /** The column that names the user, and the order in which the export lists the rows. */
  readonly user: string
  readonly order: readonly string[]
  readonly about: string
  readonly category: 'account' | 'security' | 'preferences' | 'portfolio' | 'communication' | 'consent' | 'billing' | 'operations'
  readonly basis: 'contract' | 'legitimate_interest' | 'consent' | 'legal_obligation'
  readonly retention: string
  /** Columns that the export leaves out, because they are secrets or hashes of them; null: the table is no data of the person, with the reason in `about`. */
  readonly withheld: readonly string[] | null
  /** `delete`: with the account. `keep_pseudonym`: a chain, whose pseudonym names nobody once the account's key is destroyed. */
  readonly erase: 'delete' | 'keep_pseudonym'
}

export const inventory: readonly Held[] = [
  {
    table: 'app_user',
    user: 'user_id',
    order: ['user_id'],
    about: 'the account: address, names, tier, when it was made and last used',
    category: 'account',
    basis: 'contract',
    retention: 'life of the account and 30 days',
    withheld: ['password_hash', 'subject_key', 'email_key'],
    erase: 'delete',
  },
  {
    table: 'user_session',
    user: 'user_id',
    order: ['created_at', 'session_id'],
    about: 'where the account is signed in: shortened address, family of the browser, times',
    category: 'security',
    basis: 'legitimate_interest',
    retention: 'until it ends, at most 14 days',
    withheld: ['sha256'],
    erase: 'delete',
  },
  {
    table: 'one_time_token',
    user: 'user_id',
    order: ['created_at'],
    about: 'links that were mailed to verify the address or to set a new password',
    category: 'security',
    basis: 'contract',
    retention: '24 hours',
    withheld: ['sha256'],
    erase: 'delete',
  },
  {
    table: 'mail_outbox',
    user: 'user_id',
    order: ['mail_id'],
    about: 'mail that was written to the account',
    category: 'communication',
    basis: 'contract',
    retention: '30 days after it was sent',
    withheld: ['body', 'dedupe_key'],
    erase: 'delete',
  },
  {
    table: 'idempotency_key',
    user: 'user_id',
    order: ['created_at', 'key'],
    about: 'answers to requests that may be repeated',
    category: 'operations',
    basis: 'contract',
    retention: '24 hours',
    withheld: ['body_sha256'],
    erase: 'delete',
  },
  {
    table: 'api_key',
    user: 'owner',
    order: ['created_at', 'key_id'],
    about: 'API keys: names, scopes and last use, never the keys',
    category: 'security',
    basis: 'contract',
    retention: 'life of the account',
    withheld: ['sha256'],
    erase: 'delete',
  },
  {
    table: 'daily_use',
    user: 'user_id',
    order: ['day', 'class'],
    about: 'how often the assistant was asked, by day',
    category: 'operations',
    basis: 'contract',
    retention: '400 days',
    withheld: [],
    erase: 'delete',
  },
  {
    table: 'account_request',
    user: 'user_id',
    order: ['request_id'],
    about: 'changes of the tier and cancellations that were asked for',
    category: 'billing',
    basis: 'contract',
    retention: 'life of the account',
    withheld: ['fulfilled_by'],
    erase: 'delete',
  },
  {
    table: 'billing_customer',
    user: 'user_id',
    order: ['user_id'],
    about: 'the number of the account at Stripe, who takes the payments',
    category: 'billing',
    basis: 'contract',
    retention: 'life of the account',
    withheld: [],
    erase: 'delete',
  },
  {
    table: 'billing_subscription',
    user: 'user_id',
    order: ['subscription_id'],
    about: 'subscriptions: tier, interval, state, end of the period that is paid',
    category: 'billing',
    basis: 'contract',
    retention: 'life of the account',
    withheld: ['event_at', 'event_rank'],
    erase: 'delete',
  },
  {
    table: 'billing_event',
    user: 'user_id',
    order: ['created_at', 'event_id'],
    about: 'that Stripe told of a change to a subscription, and when; not what it told',
    category: 'billing',
    basis: 'contract',
    retention: 'life of the account',
    withheld: [],
    erase: 'delete',
  },
  {
    table: 'admin_totp',
    user: 'user_id',
    order: ['user_id'],
    about: "that a second factor guards an administrator's account, and since when",
    category: 'security',
    basis: 'legitimate_interest',
    retention: 'life of the account',
    withheld: ['secret', 'pending', 'last_step', 'tries', 'tries_since'],
    erase: 'delete',
  },
  {
    table: 'admin_recovery_code',
    user: 'user_id',
    order: ['used_at', 'hmac'],
    about: 'how many recovery codes there are, and when one was used',
    category: 'security',
    basis: 'legitimate_interest',
    retention: 'until the next enrolment',
    withheld: ['hmac'],
    erase: 'delete',
  },
]
