// Polygon's list of exchanges, reporting facilities and tapes (`/v3/reference/exchanges`).
import { Unreadable } from '#schemas/errors.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import type { Fact, Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'

function parse(document: RawDocument): Parsed {
  const subject = `polygon ${document.url}`
  const value = jsonOf(document)
  if (!isObject(value)) throw new Unreadable('not_a_list', `${subject}: an object with results was expected`)
  const venues = new Map<string, Fact<'venues'>>()
  const refused: Refused[] = []
  for (const [at, row] of objectsOf(value['results'], subject).entries()) {
    const [name, kind] = [textIn(row, 'name'), textIn(row, 'type')]
    if (name === null || kind === null || venues.has(name)) {
      const why = name !== null && venues.has(name) ? `"${name}" appears twice` : 'no name or no type'
      refused.push({
        dataset: 'venues',
        reason: 'bad_venue',
        detail: `${subject} row ${at + 1}: ${why}`,
        subject: name ?? `row ${at + 1}`,
        record: row,
      })
      continue
    }
    const cell = (member: string): string | null => textIn(row, member)
    venues.set(name, {
      source_name: 'polygon',
      name,
      mic: cell('mic'),
      operating_mic: cell('operating_mic'),
      kind,
      asset_class: cell('asset_class'),
      locale: cell('locale'),
      acronym: cell('acronym'),
      participant_id: cell('participant_id'),
      url: cell('url'),
    })
  }
  return { facts: venues.size === 0 ? {} : { venues: [...venues.values()] }, refused, skipped: {}, follow: [] }
}

export const venueReaders: readonly Reader[] = [
  reader('polygon.exchanges', 'venues', {
    reads: url => /^https:\/\/api\.polygon\.io\/v3\/reference\/exchanges(?:\?|$)/.test(url),
    matches: head => /^\s*\{/.test(head) && /"results"/.test(head.slice(0, 500)) && head.slice(0, 3000).includes('"operating_mic"'),
    parse,
  }),
]
