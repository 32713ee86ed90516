// Incidents as an Atom feed (RFC 4287), for the API and for the copy that the worker writes.
import type { IncidentOut } from '#schemas/status.ts'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The feed; an entry is updated when its incident is resolved. `now` is the time of a feed without entries. */
export function renderIncidentFeed(incidents: readonly IncidentOut[], now: Date): string {
  const changedAt = (each: IncidentOut): string => each.resolved_at ?? each.started_at
  const updated = incidents.map(changedAt).reduce((a, b) => (a > b ? a : b), '') || now.toISOString()
  const entries = incidents.map(
    each => `  <entry>
    <id>urn:crossfile:incident:${each.id}</id>
    <title>${escaped(`${each.resolved_at === null ? '' : 'Resolved: '}${each.title}`)}</title>
    <published>${each.started_at}</published>
    <updated>${changedAt(each)}</updated>
    <category term="${each.impact}"/>
    <content type="text">${escaped(each.body ?? each.title)}</content>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:crossfile:incidents</id>
  <title>Crossfile: incidents</title>
  <author><name>Crossfile</name></author>
  <updated>${updated}</updated>
${entries.join('\n')}
</feed>
`
}
