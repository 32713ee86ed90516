// The mark of a form that takes effect once.
import { randomBytes } from 'node:crypto'
import { type Html, html } from '../html.ts'

/** A hidden field that makes each rendered form take effect once, however often it is submitted. */
export const onceField = (): Html => html`<input type="hidden" name="once" value="${randomBytes(16).toString('base64url')}">`
/** The option of a call for the field. */
export const onceOf = (once: string): { readonly idempotency_key?: string } => (once === '' ? {} : { idempotency_key: `page-${once}` })
