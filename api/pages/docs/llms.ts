// `/llms.txt`: the documentation as a list of Markdown addresses, for language models.
import { page } from '../page.ts'
import { isForBrowsers, operationGroups, operationPath } from './frame.ts'
import { guideGroups, guidePath, leadOf } from './guides.ts'

export const llmsPage = page('/llms.txt', 'Documentation for language models', {
  summary: 'The addresses of the Markdown twins of all pages of the documentation.',
  operations: [],
  async render({ base_url }) {
    const guides = guideGroups().map(
      ({ title, guides: listed }) =>
        `## ${title}\n\n${listed.map(each => `- [${each.title}](${base_url}${guidePath(each.name)}.md): ${leadOf(each)}`).join('\n')}`,
    )
    const operations = operationGroups()
      .filter(({ operations: listed }) => !listed.some(isForBrowsers))
      .map(
        ({ tag, operations: listed }) =>
          `## Operations: ${tag}\n\n${listed.map(each => `- [${each.summary}](${base_url}${operationPath(each.id)}.md): ${each.method} ${each.path}`).join('\n')}`,
      )
    const head = `# Crossfile

> Research data for North American equities, Canada and cross-border names first: SEC filings, prices, corporate actions, fundamentals, macro series and calculators. Every answer names its sources and its release, and can be signed and repeated.

Programs call ${base_url}/api/v1/… with the header \`Authorization: Bearer KEY\`; operations of access "public" need no key. The whole description is ${base_url}/openapi.json. Agents connect to ${base_url}/mcp (Model Context Protocol). All output is research data, not investment advice.`
    return { data: `${[head, ...guides, ...operations].join('\n\n')}\n`, media_type: 'text/plain; charset=utf-8' }
  },
})
