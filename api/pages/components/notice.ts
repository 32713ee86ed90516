// Notices, badges, and what a section shows in place of an answer that is missing.
import { type Content, type Html, html } from '../html.ts'
import type { Outcome } from '../page.ts'
import { sentence } from '../words.ts'

export type Tone = 'info' | 'good' | 'warn' | 'bad'

/** `live`: read out when it appears after an action. */
export const notice = (tone: Tone, content: Content, { live = false }: { readonly live?: boolean } = {}): Html =>
  html`<div class="notice ${tone}"${live && (tone === 'bad' ? html` role="alert"` : html` role="status"`)}>${typeof content === 'string' ? html`<p>${content}</p>` : content}</div>`

export const badge = (text: Content, tone: Tone | 'plain' = 'plain'): Html => html`<span class="badge ${tone}">${text}</span>`

/** Why a section is empty, and what its reader can do. `what`: the subject, as in "Filings". */
export function missing({ status, error }: Extract<Outcome<unknown>, { ok: false }>, what: string): Html {
  const hint = error.hint === undefined || error.hint === '' ? null : sentence(error.hint)
  switch (status) {
    case 401:
      return html`<div class="notice info locked"><p><strong>${what}: for people with an account.</strong> An account is free. <a href="/developer">Sign in or make one</a> to see this section.</p></div>`
    case 403:
      return html`<div class="notice info"><p><strong>${what}: not open to this account.</strong> ${sentence(error.detail)} ${hint}</p></div>`
    case 404:
      return html`<p class="empty">${sentence(error.detail)}</p>`
    case 400:
    case 422:
      return html`<div class="notice warn"><p><strong>${what}: the request cannot be answered.</strong> ${sentence(error.detail)} ${hint}</p></div>`
    case 429:
      return html`<div class="notice warn"><p><strong>${what}: too many requests.</strong> ${hint ?? 'Wait a moment and load the page again.'}</p></div>`
    default:
      return html`<div class="notice bad"><p><strong>${what}: not available at the moment.</strong> ${sentence(error.detail)} ${hint ?? 'Load the page again in a moment.'}</p></div>`
  }
}

/** One notice for several sections that need an account, instead of one in each. */
export const lockedSections = (names: readonly string[]): Html | null =>
  names.length === 0
    ? null
    : html`<section class="locked-sections" aria-labelledby="locked"><h2 id="locked">With an account</h2><ul>${names.map(name => html`<li>${name}</li>`)}</ul><p><a class="button" href="/developer">Sign in or make an account</a> <span class="small">It is free, and opens the same data to programs.</span></p></section>`

/** The answer as HTML, or why it is missing. */
export const shown = <A>(outcome: Outcome<A>, what: string, show: (value: A, answer: Extract<Outcome<A>, { ok: true }>) => Content): Content =>
  outcome.ok ? show(outcome.value, outcome) : missing(outcome, what)

/** The value in a line of facts, where a notice is too large. */
export const shownBriefly = <A>(outcome: Outcome<A>, show: (value: A) => Content): Content =>
  outcome.ok ? show(outcome.value) : html`<span class="small">not available at the moment</span>`

/** The status of a page whose one answer is missing: 404 if it does not exist. Otherwise the page itself works, and gives the reason. */
export const statusOf = ({ status }: Extract<Outcome<unknown>, { ok: false }>): number => (status === 404 ? 404 : 200)
