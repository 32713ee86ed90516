// Sections, link tabs, pages of a list, and the links from a value to its source, its receipt and its data.
import { type Content, type Html, html } from '../html.ts'
import type { Outcome } from '../page.ts'

export type Section = {
  readonly id: string
  readonly title: Content
  /** One line under the title. */
  readonly lead?: Content
  /** Links at the right of the title. */
  readonly tools?: Content
  readonly body: Content
  /** Takes the whole width in a grid of sections. */
  readonly wide?: boolean
}
export const section = ({
  id,
  title,
  lead,
  tools,
  body,
  wide = false,
}: Section): Html => html`<section class="panel${wide && ' wide'}" id="${id}" aria-labelledby="${id}-title">
<div class="panel-head"><h2 id="${id}-title">${title}</h2>${tools && html`<div class="tools">${tools}</div>`}</div>
${lead && html`<p class="panel-lead">${lead}</p>`}
${body}
</section>`

/** Sections in two columns, which become one on narrow screens: first all of the left, then all of the right. */
export const columns = (left: Content, right: Content): Html =>
  html`<div class="columns"><div class="column">${left}</div><div class="column">${right}</div></div>`

/** The head of a page: what it is about, and a line under it. */
export const pageHead = (title: Content, lead?: Content, aside?: Content): Html =>
  html`<div class="page-head"><div><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>${aside}</div>`

export type Tab = { readonly label: Content; readonly href: string; readonly current: boolean }
/** Choices as links: they work without script, and each has an address. */
export const linkTabs = (label: string, tabs: readonly Tab[]): Html =>
  html`<nav class="choices" aria-label="${label}"><ul>${tabs.map(tab => html`<li><a href="${tab.href}"${tab.current && html` aria-current="true"`}>${tab.label}</a></li>`)}</ul></nav>`

/** The way to further rows of a list. */
export const pager = ({ first, next }: { readonly first: string | null; readonly next: string | null }): Html | null =>
  first === null && next === null
    ? null
    : html`<nav class="pager" aria-label="Further rows">${first !== null && html`<a href="${first}" rel="first">First rows</a>`}${next !== null && html`<a href="${next}" rel="next">Next rows</a>`}</nav>`

export const companyPath = (symbol: string): string => `/c/${encodeURIComponent(symbol)}`
export const filingPath = (accession: string): string => `/f/${encodeURIComponent(accession)}`
export const managerPath = (cik: string): string => `/m/${encodeURIComponent(cik)}`
export const receiptPath = (id: string): string => `/r/${encodeURIComponent(id)}`

export const companyLink = (symbol: string): Html => html`<a class="symbol" href="${companyPath(symbol)}">${symbol}</a>`

/** A link to a filing; only the label if the filing has no accession number. */
export const filingLink = (accession: string | null, label: Content): Html =>
  accession === null ? html`${label}` : html`<a href="${filingPath(accession)}">${label}</a>`

/** A value with the filing that it comes from next to it. */
export const sourced = (value: Content, source: { readonly accession: string | null; readonly form?: string | null } | null): Html =>
  source === null || source.accession === null
    ? html`${value}`
    : html`${value} <a class="source" href="${filingPath(source.accession)}" title="${source.accession}">${source.form ?? 'source'}</a>`

/** From a section to its data, for answers that are never signed. */
export function dataLinks(outcome: Outcome<unknown>, what: string): Content {
  if (!outcome.ok) return null
  const of = `of=${encodeURIComponent(outcome.url)}`
  return html`<a href="/answer?as=csv&amp;${of}" aria-label="${what} as CSV">CSV</a><a href="/answer?as=json&amp;${of}" aria-label="${what} as JSON">JSON</a>`
}

/**
 * From a section to its data: rows as CSV, the JSON answer, and the receipt. Operations that need a key are fetched by the page in the
 * visitor's name (`/answer`), because a browser has no key.
 */
export function answerLinks(outcome: Outcome<unknown>, what: string): Content {
  if (!outcome.ok) return null
  const of = `of=${encodeURIComponent(outcome.url)}`
  return html`<a href="/answer?as=csv&amp;${of}" aria-label="${what} as CSV">CSV</a><a href="/answer?as=json&amp;${of}" aria-label="${what} as JSON">JSON</a>${
    outcome.receipt_id === null
      ? html`<a href="/answer?as=receipt&amp;${of}" aria-label="Sign ${what} and show the receipt">Receipt</a>`
      : html`<a href="${receiptPath(outcome.receipt_id)}" aria-label="Receipt of ${what}">Receipt</a>`
  }`
}
