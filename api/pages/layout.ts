// The frame of every page: header with search, navigation and account, content, footer.
import { type BrowserModule, iconAddress, moduleAddress, styleAddress } from './assets.ts'
import { type Content, type Html, html } from './html.ts'

/** A link of the navigation, and the page that it belongs to. */
export type NavigationLink = { readonly path: string; readonly label: string }
/** The signed-in person. `token`: of the session's forms; null if it could not be read, then there is no form to sign out. */
export type Person = { readonly email: string; readonly token: string | null; readonly kind?: 'user' | 'admin' }

export type Frame = {
  /** The name of the page; the title of the window adds the name of the service. */
  readonly title: string
  /** One sentence for search engines and previews. */
  readonly description?: string
  readonly main: Content
  readonly navigation: readonly NavigationLink[]
  /** Path of the page, to mark its link. */
  readonly path?: string
  readonly person?: Person | null
  /** Text in the search field. */
  readonly search?: string
  /** Browser modules in addition to `search`. Null: the page runs no script at all. */
  readonly modules?: readonly BrowserModule[] | null
  /** The release that the page was built from, and its instant. */
  readonly release?: { readonly release: number | null; readonly as_of: string | null }
  /** `text`: a column to read; `wide`: charts and tables. */
  readonly width?: 'text' | 'wide'
  readonly indexed?: boolean
}

const brand = html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M4 17.5 9.2 11l3.6 3.4L20 5.5" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/><path d="M4 21h16" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" opacity=".45"/></svg>`

/** A whole page. The referrer stays within this service: without it, browsers omit the origin of form posts, which distinguishes them from posts of other sites. */
export function renderLayout(frame: Frame): Html {
  const { title, description, main, modules = [], width = 'text', indexed = true } = frame
  const scripts = modules === null ? [] : (['search', ...modules] as const).map(moduleAddress)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="color-scheme" content="light dark">
${description && html`<meta name="description" content="${description}">\n`}${!indexed && html`<meta name="robots" content="noindex">\n`}<title>${title === 'Crossfile' ? title : `${title} · Crossfile`}</title>
<link rel="icon" type="image/svg+xml" href="${iconAddress()}">
<link rel="stylesheet" href="${styleAddress()}">
${scripts.map(address => html`<script type="module" src="${address}"></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(frame)}
<main id="main" class="${width}" tabindex="-1">
${main}
</main>
${footer(frame)}
</body>
</html>
`
}

function header({ navigation, path, person = null, search = '' }: Frame): Html {
  return html`<header class="top">
<div class="bar">
<a class="brand" href="/">${brand}<span>Crossfile</span></a>
<form class="find" role="search" action="/search" method="get">
<label class="hidden" for="find">Symbol, company, manager or accession number</label>
<input id="find" name="q" type="search" value="${search}" placeholder="Symbol, company, manager, accession number" maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Search</button>
</form>
${corner(person)}
</div>
<nav class="tabs" aria-label="Pages"><ul>
${navigation.map(link => html`<li><a href="${link.path}"${link.path === path && html` aria-current="page"`}>${link.label}</a></li>\n`)}</ul></nav>
</header>`
}

/** Who is signed in, with the way to the account and the way out; otherwise the way in. */
function corner(person: Person | null): Html {
  if (person === null) return html`<div class="corner"><a href="/developer">Sign in</a></div>`
  const admin = person.kind === 'admin'
  return html`<div class="corner"><a class="who" href="${admin ? '/operator' : '/account'}" aria-label="${admin ? 'Operation' : 'Your account'}, ${person.email}">${person.email}</a>${
    person.token !== null &&
    html`<form method="post" action="${admin ? '/operator/sign-out' : '/developer/sign-out'}"><input type="hidden" name="token" value="${person.token}"><button type="submit" class="quiet small">Sign out</button></form>`
  }</div>`
}

function footer({ release }: Frame): Html {
  const state =
    release &&
    release.release !== null &&
    html`<p class="state">Release <b>${release.release}</b>${release.as_of !== null && html`, data as of ${instant(release.as_of)}`}</p>`
  return html`<footer class="bottom">
<div>
${state}
<p>All output is research data. It is not investment advice, is not tailored to an individual, and contains no recommendation. Cite the accession number where you republish figures of a filing.</p>
<ul>
<li><a href="/api/v1/public/docs">API documentation</a></li>
<li><a href="/developer">API keys</a></li>
<li><a href="/openapi.json">OpenAPI</a></li>
<li><a href="/status">Status</a></li>
<li><a href="/api/v1/gdpr/policy">Privacy</a></li>
<li><a href="https://www.tradingview.com/" rel="noreferrer">Charts: TradingView Lightweight Charts™</a></li>
</ul>
</div>
</footer>`
}

/** An instant for people, to the minute, with the exact one behind it. */
export const instant = (at: string): Html => html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`
