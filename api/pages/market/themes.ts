// `/themes`: curated themes, and the members of one with the rule that each fits.
import { question } from '#schemas/operations/operation.ts'
import { cursor, text } from '#schemas/operations/parameters.ts'
import { closeLines } from '../components/closes.ts'
import { number } from '../components/format.ts'
import { missing, statusOf } from '../components/notice.ts'
import { answerLinks, companyLink, pageHead, pager, section } from '../components/parts.ts'
import { emptyState, table, tight } from '../components/table.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'
import { sentence } from '../words.ts'

const themePath = (theme: string): string => `/themes?theme=${encodeURIComponent(theme)}`

export const themesPage = page('/themes', 'Themes', {
  summary: 'Curated themes such as Canadian banks or royalty companies, with the rule that makes each listing a member.',
  question: question({ theme: text('one theme', 64, 'canadian-banks').optional(), cursor }),
  operations: ['list_themes', 'list_closes'],
  sample: '/themes?theme=canadian-banks',
  async render({ question: { theme, cursor: after }, ask }) {
    const found = await ask(
      'list_themes',
      theme === undefined ? { limit: 5 } : { theme, limit: 100, ...(after === undefined ? {} : { cursor: after }) },
    )
    if (!found.ok) return { main: html`${pageHead('Themes')}${missing(found, 'Themes')}`, status: statusOf(found) }
    const [one] = found.value.themes
    const lines = await closeLines(
      ask,
      found.value.themes.flatMap(each => each.members.map(member => member.symbol)),
    )
    if (theme !== undefined && one !== undefined)
      return {
        title: one.title,
        main: html`${pageHead(one.title, one.description)}<p><a href="/themes">All themes</a></p>
${section({
  id: 'members',
  title: html`${number(one.total)} members`,
  tools: answerLinks(found, 'members'),
  body: [
    table({
      caption: 'Members by symbol, with the first rule that each fits',
      captionHidden: true,
      columns: [tight('Symbol'), 'Name', 'Closes, 45 days', 'Because', 'Found'],
      rows: one.members.map(each => [companyLink(each.symbol), each.name, lines.of(each.symbol), sentence(each.because), each.found]),
      empty: one.coverage ?? 'No listing is a member.',
    }),
    lines.note,
    pager({
      first: after === undefined ? null : themePath(theme),
      next: found.value.next_cursor === null ? null : `${themePath(theme)}&cursor=${encodeURIComponent(found.value.next_cursor)}`,
    }),
  ],
})}`,
      }
    return {
      main: html`${pageHead('Themes', 'Membership follows from rules over industry codes, names, venues and dividends. It is not a recommendation.')}
<div class="panels">${found.value.themes.map(each =>
        section({
          id: each.theme,
          title: html`<a href="${themePath(each.theme)}">${each.title}</a>`,
          lead: each.description,
          body:
            each.members.length === 0
              ? emptyState(each.coverage ?? 'No listing is a member.')
              : html`<ul class="plain">${each.members.map(member => html`<li>${companyLink(member.symbol)} ${member.name} ${lines.of(member.symbol)}</li>`)}</ul>${each.total > each.members.length && html`<p><a href="${themePath(each.theme)}">All ${number(each.total)}</a></p>`}`,
        }),
      )}</div>`,
    }
  },
})
