// The newest updates as an Atom feed (RFC 4287).
import type { DailyUpdateFull } from '#schemas/updates.ts'
import { endOfDay } from './day.ts'

const escaped = (text: string): string =>
  text
    .replaceAll(/\p{Cc}/gu, each => (each === '\n' ? each : ''))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** `baseUrl` without a slash at the end. An entry is dated by the end of its day, so the feed changes only when an update does. */
export function renderUpdateFeed(updates: readonly DailyUpdateFull[], baseUrl: string): string {
  const newest = updates.map(each => endOfDay(each.date)).reduce((a, b) => (a > b ? a : b), '1970-01-01T00:00:00Z')
  const entries = updates.map(
    each => `  <entry>
    <id>urn:crossfile:update:${each.slug}</id>
    <title>${escaped(each.title)}</title>
    <published>${endOfDay(each.date)}</published>
    <updated>${endOfDay(each.date)}</updated>
    <link rel="alternate" type="application/json" href="${escaped(`${baseUrl}/api/v1/updates/${each.slug}`)}"/>
    <link rel="alternate" type="text/markdown" href="${escaped(`${baseUrl}/api/v1/updates/${each.slug}/markdown`)}"/>
    <summary type="text">${escaped(each.summary)}</summary>
    <content type="text">${escaped(each.body)}</content>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${escaped(`${baseUrl}/`)}">
  <id>urn:crossfile:updates</id>
  <title>Crossfile: daily updates</title>
  <author><name>Crossfile</name></author>
  <link rel="self" type="application/atom+xml" href="${escaped(`${baseUrl}/api/v1/updates.atom`)}"/>
  <updated>${newest}</updated>
${entries.join('\n')}
</feed>
`
}
