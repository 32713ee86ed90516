// The pages of the guides: the Markdown files of docs/ as HTML, and as they are under the same address with `.md`.
import { NotFound } from '#schemas/errors.ts'
import { question } from '#schemas/operations/operation.ts'
import { shaped } from '#schemas/operations/parameters.ts'
import { html } from '../html.ts'
import { type PageBody, page } from '../page.ts'
import { docsFrame, docsHome } from './frame.ts'
import { findGuide, guidePath, leadOf, markdownOf, resolveFrom } from './guides.ts'
import { renderMarkdown } from './markdown.ts'

const name = (example: string) => shaped('guide', /^[a-z0-9-]{1,60}(?:\.md)?$/, 'the name of a guide', example)

export const guidePage = page('/docs/{guide}', 'Guide', {
  summary: 'One guide of the documentation, with links to the others and to the operations.',
  question: question({ guide: name('quickstart') }),
  operations: [],
  sample: '/docs/quickstart',
  render: async ({ question: { guide } }) => show(guide),
})

export const nestedGuidePage = page('/docs/{folder}/{guide}', 'Guide', {
  summary: 'One how-to or reference page of the documentation, or the page of a client library.',
  question: question({
    folder: shaped('folder', /^(?:how-to|reference|clients)$/, 'how-to, reference or clients', 'how-to'),
    guide: name('backfill'),
  }),
  operations: [],
  sample: '/docs/how-to/spreadsheets-and-notebooks',
  render: async ({ question: { folder, guide } }) => show(`${folder}/${guide}`),
})

function show(requested: string): PageBody {
  const guide = findGuide(requested.replace(/\.md$/, ''))
  if (guide === null) throw new NotFound(`there is no guide ${requested}`, { hint: `${docsHome} lists all guides` })
  if (requested.endsWith('.md')) return { data: markdownOf(guide), media_type: 'text/markdown; charset=utf-8' }
  const second = guide.sections.filter(each => each.heading.level === 2).map(each => each.heading)
  return {
    title: guide.title,
    description: leadOf(guide),
    modules: ['docs'],
    main: docsFrame({
      path: guidePath(guide.name),
      headings: second.length > 40 ? [] : second,
      main: html`<p class="crumbs"><a href="${docsHome}">Documentation</a></p>
<h1>${guide.title}</h1>
${renderMarkdown(guide.source, resolveFrom(guide))}
<footer class="doc-end"><p><a href="${`${guidePath(guide.name)}.md`}">This page as Markdown</a></p></footer>`,
    }),
  }
}
