// Errors as pages, for people in browsers. Programs get JSON: see prefersPage.
import type { Operation } from '#schemas/operations.ts'
import { type Content, type Html, html } from './html.ts'
import { type NavigationLink, type Person, renderLayout } from './layout.ts'
import { sentence } from './words.ts'

/** An error as its JSON form has it, with the facts of its response. */
export type Failure = {
  readonly status: number
  readonly detail: string
  readonly hint: string | null
  readonly request_id: string
  /** Seconds until a repeated request may succeed. */
  readonly retry_after: number | null
  /** The page is for administrators. */
  readonly for_operator?: boolean
  /** The documentation of the operation, for a path of the API. */
  readonly docs: string | null
}

const titles: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  401: 'Sign in to continue',
  403: 'This is not allowed',
  404: 'There is nothing here',
  405: 'This address takes no such request',
  408: 'The request took too long',
  409: 'This has changed in the meantime',
  413: 'This is too large',
  414: 'This address is too long',
  415: 'This kind of file is not read here',
  422: 'Some fields need to be corrected',
  429: 'Too many requests',
  500: 'The service failed',
  503: 'Not available at the moment',
}

/**
 * Whether an error is sent as a page: the client asks for HTML by name and does not prefer JSON. On the address of a page it is enough that
 * the client does not ask for JSON.
 */
export function prefersPage(accept: string | undefined, operation: Pick<Operation, 'tag'> | null): boolean {
  const weights = new Map(
    (accept ?? '').split(',', 32).map(part => {
      const [type = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const q = parameters.find(each => each.startsWith('q='))
      return [type, q === undefined ? 1 : Number(q.slice(2)) || 0] as const
    }),
  )
  const page = weights.get('text/html') ?? (operation?.tag === 'Pages' ? 0.01 : 0)
  return page > Math.max(weights.get('application/json') ?? 0, weights.get('application/problem+json') ?? 0)
}

/** The page of an error: what happened, what to do, and the id under which the service logged it. */
export function renderFailure(failure: Failure, navigation: readonly NavigationLink[], person: Person | null): Html {
  const { status, detail, request_id, docs } = failure
  const title = titles[status] ?? `Error ${status}`
  return renderLayout({
    title,
    navigation,
    person,
    indexed: false,
    main: html`<section class="failure">
<p class="code">${status}</p>
<h1>${title}</h1>
<p class="lead">${sentence(detail)}</p>
${advice(failure)}
<dl class="facts"><div><dt>Request id</dt><dd><code>${request_id}</code></dd></div></dl>
${docs !== null && html`<p class="small">This is an address of the API. <a href="${docs}">Its documentation</a> lists parameters and examples.</p>`}
</section>`,
  })
}

function advice({ status, hint, retry_after, docs, for_operator = false }: Failure): Content {
  // Outside the API, hints about its paths lead people nowhere.
  const shownHint = hint !== null && (docs !== null || !/\/api\/|\bGET \//.test(hint)) && html`<p>${sentence(hint)}</p>`
  switch (status) {
    case 401:
      if (for_operator)
        return html`<p>This page belongs to the operator of this service.</p><p><a class="button" href="/operator/sign-in">Sign in as administrator</a></p>`
      return html`<p>This page belongs to people with an account. An account is free.</p><p><a class="button" href="/developer">Sign in or make an account</a></p>`
    case 404:
      return html`${shownHint}<p>Search for a symbol, a company, a manager or an accession number in the field above, or go to the <a href="/">start page</a>.</p>`
    case 429:
      return html`<p>${retry_after === null ? 'Wait a moment' : `Wait ${retry_after} ${retry_after === 1 ? 'second' : 'seconds'}`}, then load the page again. People who are signed in have higher limits.</p>`
    case 500:
      return html`<p>Load the page again. If it fails again, report the request id to the operator of this service: the log has the reason under it.</p>`
    case 503:
      return html`<p>${retry_after === null ? 'Load the page again in a moment.' : `Load the page again in ${retry_after} ${retry_after === 1 ? 'second' : 'seconds'}.`} The <a href="/">start page</a> shows the state of the service.</p>`
    default:
      return shownHint
  }
}
