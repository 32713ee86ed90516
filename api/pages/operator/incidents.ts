// `/operator/incidents`: announce incidents and planned work, add to them, publish drafts, resolve.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { oneOf } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { areaField, choiceField, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { instant } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { linkTabs, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { emptyState } from '../components/table.ts'
import { type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { done, opened, operatorHead } from './frame.ts'

type Incident = AnswerOf<'list_admin_incidents'>['incidents'][number]
const states = ['open', 'draft', 'resolved', 'all'] as const
const impacts = [
  ['minor', 'minor'],
  ['major', 'major'],
  ['critical', 'critical'],
  ['maintenance', 'planned work'],
] as const
const field = z.string().max(8000).default('')

export const operatorIncidentsPage = page('/operator/incidents', 'Incidents', {
  summary: 'Incidents and planned work: announce, add to, publish, resolve.',
  access: 'admin',
  question: question({ state: oneOf('which incidents', states, 'open').default('open'), done }),
  operations: ['list_admin_incidents', 'open_incident', 'change_incident', 'get_status'],
  async render({ ask, question: { state, done }, token, returned }) {
    const [found, status] = await Promise.all([ask('list_admin_incidents', { state, limit: 100 }), ask('get_status')])
    const parts = status.ok ? status.value.components.map(({ name }) => name) : []
    return {
      main: html`${operatorHead('Incidents', '/operator/incidents', { lead: html`What the <a href="/status">status page</a> announces. Checks open and resolve incidents automatically.`, done })}
${linkTabs(
  'Which incidents',
  states.map(each => ({ label: each === 'draft' ? 'drafts' : each, href: `/operator/incidents?state=${each}`, current: each === state })),
)}
${section({
  id: 'incidents',
  title: 'Incidents',
  body: opened(found, 'Incidents', ({ incidents }) =>
    incidents.length === 0
      ? emptyState('There are no such incidents.')
      : html`<ul class="entries">${incidents.map(each => incidentItem(each, token, returned))}</ul>`,
  ),
})}
${announce(parts, token, returned)}`,
    }
  },
  forms: {
    open: pageForm(
      z.object({ title: field, impact: field, component: field, body: field, once: z.string().max(64).default('') }),
      async (fields, { ask }) => {
        const { title, impact, component, body, once } = fields
        const request = { title: title.trim(), impact, body: body.trim() === '' ? null : body.trim(), component: component === '' ? null : component }
        const made = await ask('open_incident', {}, { body: request, ...onceOf(once) })
        return made.ok ? { redirect: '/operator/incidents?done=opened' } : { faults: refusalFaults(made, ['title', 'impact', 'body', 'component']) }
      },
    ),
    change: pageForm(
      z.object({ id: z.string().max(64).default(''), note: field, impact: field, action: field }),
      async ({ id, note, impact, action }, { ask }) => {
        const request = {
          ...(note.trim() === '' ? {} : { note: note.trim() }),
          ...(impact === '' ? {} : { impact }),
          ...(action === 'resolve' ? { resolved: true } : action === 'publish' ? { published: true } : {}),
        }
        const changed = await ask('change_incident', { id }, { body: request })
        return changed.ok ? { redirect: '/operator/incidents?state=all&done=changed' } : { faults: refusalFaults(changed, ['note', 'impact']) }
      },
    ),
  },
})

function incidentItem({ id, title, impact, body, started_at, resolved_at, draft }: Incident, token: string | null, returned: Returned | null): Html {
  const mine = returned?.form === 'change' && returned.typed['id'] === id
  const faults = mine ? faultsIn(returned, 'change') : {}
  return html`<li><div class="panel-head"><h3>${title}</h3><span>${badge(impact)} ${draft ? badge('draft', 'warn') : resolved_at === null ? badge('ongoing', 'warn') : badge('resolved', 'good')}</span></div>
<p>${instant(started_at)}${resolved_at !== null && html` to ${instant(resolved_at)}`}</p>
${body !== null && html`<blockquote>${body}</blockquote>`}
${
  (draft || resolved_at === null) &&
  html`<details${mine && html` open`}><summary aria-label="Change ${title}">Change</summary><form method="post" action="/operator/incidents/change" novalidate>${formToken(token)}<input type="hidden" name="id" value="${id}">${faultList(id, faults)}
${areaField({ form: id, name: 'note', label: 'Add a line', faults, attributes: html` maxlength="4000"` }, mine ? typedIn(returned, 'change', 'note') : '')}
${choiceField({ form: id, name: 'impact', label: 'Impact', faults }, impacts, impact)}
<p class="actions"><button type="submit" class="quiet" name="action" value="change">Save</button> ${draft ? html`<button type="submit" name="action" value="publish">Publish</button>` : html`<button type="submit" name="action" value="resolve">Resolve now</button>`}</p></form></details>`
}</li>`
}

function announce(parts: readonly string[], token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'open')
  const form = { form: 'open', faults, focus: Object.keys(faults).length === 0 ? null : focusOf(faults, 'title') }
  const typed = (name: string, otherwise = ''): string => typedIn(returned, 'open', name, otherwise)
  return section({
    id: 'announce',
    title: 'Announce',
    lead: 'It appears on the status page immediately and stays open until it is resolved.',
    body: html`<form method="post" action="/operator/incidents/open" novalidate>${formToken(token)}${onceField()}${faultList('open', faults)}
${inputField({ ...form, name: 'title', label: 'Title', help: 'One line, such as: Quotes are late', attributes: html` maxlength="200" required` }, typed('title'))}
<div class="pair">${choiceField({ ...form, name: 'impact', label: 'Impact' }, impacts, typed('impact', 'minor'))}
${choiceField({ ...form, name: 'component', label: 'Part' }, [['', 'none in particular'], ...parts.map(name => [name, name] as const)], typed('component'))}</div>
${areaField({ ...form, name: 'body', label: 'What happens (optional)', attributes: html` maxlength="4000"` }, typed('body'), 3)}
<p><button type="submit">Announce</button></p></form>`,
  })
}
