// The frame of the documentation: contents at the left, the text, and the addresses of all its pages.
import { areas, type Operation, operations, type Tag, tags } from '#schemas/operations.ts'
import { type Content, type Html, html } from '../html.ts'
import { guideGroups, guidePath } from './guides.ts'

export const docsHome = '/api/v1/public/docs'
export const operationPath = (id: string): string => `/docs/operations/${id}`

/** Answers that people read in a browser: forms and files of pages. Listed last, because programs do not call them. */
export const isForBrowsers = ({ media_type }: Operation): boolean =>
  ['text/html', 'text/css', 'text/javascript'].some(type => media_type.startsWith(type))

/** Operations by tag in the order of the description; those for browsers are a group of their own at the end. */
export function operationGroups(): readonly { readonly tag: Tag; readonly operations: readonly Operation[] }[] {
  const groups = [...tags, ...areas].map(tag => ({ tag, operations: operations.filter(each => each.tag === tag && !isForBrowsers(each)) }))
  const pages = { tag: 'Pages' as const, operations: operations.filter(isForBrowsers) }
  return [...groups.filter(each => each.operations.length > 0), pages]
}

const searchForm = (q = ''): Html =>
  html`<form class="docs-find" role="search" aria-label="Documentation" action="/docs" method="get">
<label class="hidden" for="docs-find">Search the documentation</label>
<input id="docs-find" name="q" type="search" value="${q}" maxlength="100" placeholder="Search" autocomplete="off">
<button type="submit">Search</button></form>`

type Place = {
  /** Address of the page, to mark its link. */
  readonly path: string
  readonly main: Content
  /** The headings of the page, for the list at the right of wide screens. */
  readonly headings?: readonly { readonly id: string; readonly text: string }[]
  readonly search?: string
}

/** The text of a page of the documentation with the contents next to it. On narrow screens, the contents are folded. */
export function docsFrame({ path, main, headings = [], search }: Place): Html {
  return html`<div class="docs">
<nav class="docs-nav" aria-label="Documentation">
${searchForm(search)}
<details class="docs-contents"><summary>Contents</summary>${contents(path)}</details>
</nav>
<div class="docs-text">
${headings.length > 2 && html`<nav class="on-page" aria-label="On this page"><h2>On this page</h2><ul>${headings.map(each => html`<li><a href="#${each.id}">${each.text}</a></li>`)}</ul></nav>`}
<article class="prose">
${main}
</article>
</div>
</div>`
}

function contents(path: string): Html {
  const entry = (href: string, label: Content): Html => html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${label}</a></li>`
  const group = (title: string, links: readonly (readonly [href: string, label: string])[]): Html =>
    html`<details${links.some(([href]) => href === path) && html` open`}><summary>${title}</summary><ul>${links.map(([href, label]) => entry(href, label))}</ul></details>`
  return html`<ul>${entry(docsHome, 'Overview')}${entry(guidePath('changes'), 'Changes')}</ul>
<h2>Guides</h2>
${guideGroups().map(each =>
  group(
    each.title,
    each.guides.map(guide => [guidePath(guide.name), guide.title]),
  ),
)}
<h2>Operations</h2>
${operationGroups().map(each =>
  group(
    each.tag,
    each.operations.map(operation => [operationPath(operation.id), operation.summary]),
  ),
)}`
}
