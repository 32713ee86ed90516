// Alerts on prices: create, read, re-arm, delete; why they fired, and when they would have fired in the past.
import {
  AlertCreate,
  AlertDryRun,
  AlertFirings,
  AlertList,
  AlertOut,
  AlertPatch,
  DryRunAnswer,
  IpoAlertCreate,
  IpoAlertList,
  IpoAlertOut,
  IpoAlertPatch,
  maxAlerts,
  maxFirings,
  maxIpoAlerts,
  maxWatchlistAlerts,
} from '../alerts.ts'
import { operation, question } from './operation.ts'
import { integer, oneOf, shaped } from './parameters.ts'

const of = { tag: 'Alerts', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const word = /^[A-Za-z0-9_-]{1,64}$/
const id = shaped('id of the alert', word, 'an id as the list gives it', 'a_0123456789ab')
const cursor = shaped('next_cursor of the previous page', /^[A-Za-z0-9_-]{1,2048}$/, 'a next_cursor', 'eyJ2Ijox').optional()
const status = oneOf('only alerts of this status', ['active', 'triggered', 'dismissed']).optional()
const lifecycle =
  'An alert is active until it fires; then it is triggered and stays so until it is set to active again. It fires when its conditions become true after they were last known to be false.'

/** A list of at most `most` alerts. */
const list = (most: number) =>
  ({
    ...of,
    description: 'Newest first, then by id.',
    question: question({ status, limit: integer('alerts of a page', 1, most, { clamp: true, fallback: 100 }).default(100), cursor }),
    cursor_key: ['instant', 'text'],
  }) as const

export const alertOperations = [
  operation('list_alerts', 'GET /api/v1/alerts', {
    ...list(maxAlerts),
    summary: 'Your price alerts',
    answer: AlertList,
  }),
  operation('create_alert', 'POST /api/v1/alerts', {
    ...of,
    summary: 'Make a price alert',
    description: `Evaluated on each release of quotes and bars, on closes adjusted for splits. ${lifecycle} Prices of an alert are rescaled by splits; the original values are kept. At most ${maxAlerts} at a time, ${maxWatchlistAlerts} of them on the watchlist.`,
    body: AlertCreate,
    exact_numbers: true,
    success: 201,
    answer: AlertOut,
    idempotency_key: true,
    can_be_missing: true,
    example: { body: { ticker: 'GLPR.TO', condition: 'above', threshold: '112.50', note: 'back above the old range' } },
  }),
  operation('dry_run_alert', 'POST /api/v1/alerts/dry-run', {
    ...of,
    summary: 'When a price alert would have fired',
    description: 'Evaluates the alert on each daily close of up to two years, with its inputs at every firing. Nothing is saved.',
    body: AlertDryRun,
    answer: DryRunAnswer,
    limit_class: 'queries',
    can_be_missing: true,
    example: { body: { ticker: 'GLPR.TO', condition: 'rsi_below', threshold: 35, days: 180 } },
  }),
  operation('get_alert', 'GET /api/v1/alerts/{id}', {
    ...of,
    summary: 'One price alert',
    description: lifecycle,
    question: question({ id }),
    answer: AlertOut,
    example: '/api/v1/alerts/a_n7aOO8v3XySo',
  }),
  operation('update_alert', 'PATCH /api/v1/alerts/{id}', {
    ...of,
    summary: 'Arm or dismiss a price alert, change its conditions or its note',
    description: `${lifecycle} Setting an alert to active evaluates it again: if its conditions are true at that moment, it fires only after they have been false once. New conditions replace the old ones as a whole, and the alert is active with them; its firings keep the rule that they fired by.`,
    question: question({ id }),
    body: AlertPatch,
    exact_numbers: true,
    answer: AlertOut,
    idempotency_key: true,
    example: { request: '/api/v1/alerts/a_n7aOO8v3XySo', body: { condition: 'below', threshold: '98.40', note: 'the lower end of the range' } },
  }),
  operation('delete_alert', 'DELETE /api/v1/alerts/{id}', {
    ...of,
    summary: 'Delete a price alert and its firings',
    description: 'A second deletion finds nothing: 404.',
    question: question({ id }),
    success: 204,
    example: '/api/v1/alerts/a_n7aOO8v3XySo',
  }),
  operation('list_alert_firings', 'GET /api/v1/alerts/{id}/firings', {
    ...of,
    summary: 'Why a price alert fired',
    description:
      'Each firing with the rule in words, its inputs, the closes read, the release that made it true, and the channels that delivered it.',
    question: question({ id, limit: integer('firings of a page', 1, maxFirings, { clamp: true, fallback: 20 }).default(20), cursor }),
    answer: AlertFirings,
    cursor_key: ['instant', 'text'],
    example: '/api/v1/alerts/a_n7aOO8v3XySo/firings',
  }),
  operation('list_ipo_alerts', 'GET /api/v1/ipo-alerts', {
    ...list(maxIpoAlerts),
    summary: 'Your alerts on offerings',
    answer: IpoAlertList,
  }),
  operation('create_ipo_alert', 'POST /api/v1/ipo-alerts', {
    ...of,
    summary: 'Make an alert on an offering',
    description: `Fires once for each event of a deal of the IPO calendar. Events before the creation of the alert do not fire it, but a lock-up that ends within lead_days does. At most ${maxIpoAlerts} at a time.`,
    body: IpoAlertCreate,
    success: 201,
    answer: IpoAlertOut,
    idempotency_key: true,
    example: { body: { ticker: 'SLTK', event: 'lockup_soon', lead_days: 10 } },
  }),
  operation('get_ipo_alert', 'GET /api/v1/ipo-alerts/{id}', {
    ...of,
    summary: 'One alert on an offering',
    description: 'With the newest firing.',
    question: question({ id }),
    answer: IpoAlertOut,
    example: '/api/v1/ipo-alerts/i_UmeGxnWM2V5_',
  }),
  operation('update_ipo_alert', 'PATCH /api/v1/ipo-alerts/{id}', {
    ...of,
    summary: 'Arm or dismiss an alert on an offering',
    description: 'A re-armed alert waits for an event that has not happened yet.',
    question: question({ id }),
    body: IpoAlertPatch,
    answer: IpoAlertOut,
    idempotency_key: true,
    example: { request: '/api/v1/ipo-alerts/i_UmeGxnWM2V5_', body: { status: 'dismissed' } },
  }),
  operation('delete_ipo_alert', 'DELETE /api/v1/ipo-alerts/{id}', {
    ...of,
    summary: 'Delete an alert on an offering and its firings',
    description: 'A second deletion finds nothing: 404.',
    question: question({ id }),
    success: 204,
    example: '/api/v1/ipo-alerts/i_UmeGxnWM2V5_',
  }),
] as const
