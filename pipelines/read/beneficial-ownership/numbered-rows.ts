// Cover pages without labels: "Item 1: Reporting Person - X", "Item 5: 1,234,567" and so on, a number for each row of a Schedule 13G,
// as one of the largest filers printed them for twenty years.
import { amountIn, percentIn, typesIn, type Value } from './amounts.ts'
import { boxesIn, tickedOf } from './boxes.ts'
import { type CoverText, type Evidence, evidenceOf, type PersonFacts } from './cover-persons.ts'
import { nameIn } from './names.ts'

type Row = { readonly number: number; readonly start: number; text: string }

const row = /^[ \t]{0,8}item[ \t]{0,3}(\d{1,2})[ \t]{0,3}[:.][ \t]{0,12}(.*)$/i
const person = /^reporting persons?[ \t]{0,4}[-–—:][ \t]{0,4}/i
/** Nothing but the label confirms a row's meaning. */
const confidence = 0.85

/** The persons whose rows are numbered and not named; none if the first row does not state that it is a person's. */
export function personsInNumberedRows(cover: CoverText): { readonly persons: PersonFacts[]; readonly end: number } {
  const pages: Row[][] = []
  let page: Row[] | null = null
  for (let at = 0; at < cover.text.length && pages.length <= 500; ) {
    const feed = cover.text.indexOf('\n', at)
    const end = feed < 0 ? cover.text.length : feed
    const line = cover.text.slice(at, Math.min(end, at + 400))
    const match = row.exec(line)
    const text = match?.[2] ?? ''
    const number = match === null ? null : Number(match[1])
    const last: Row | undefined = page?.at(-1)
    if (number === 1 && person.test(text)) {
      page = [{ number, start: at + line.length - text.length, text }]
      pages.push(page)
    } else if (page && last && number !== null && number > last.number && number <= 12) {
      page.push({ number, start: at + line.length - text.length, text })
    } else if (last && number === null && last.number < 12 && last.text.length < 300) last.text += `\n${line}`
    else if (number !== null) page = null
    at = end + 1
  }
  const whole = pages.filter(rows => rows.some(each => each.number === 9))
  return { persons: whole.map(rows => personOf(rows, cover)), end: whole.at(-1)?.at(-1)?.start ?? 0 }
}

function personOf(rows: readonly Row[], cover: CoverText): PersonFacts {
  const evidence: Evidence[] = []
  const take = <T>(field: string, number: number, read: (text: string) => Value<T> | null): T | null => {
    const found = rows.find(each => each.number === number)
    const value = found === undefined ? null : read(found.text)
    if (found === undefined || value === null) return null
    evidence.push(evidenceOf(field, cover, found.start + value.start, found.start + value.end, Math.min(value.confidence, confidence)))
    return value.value
  }
  const amount = (field: string, number: number): string | null => take(field, number, amountIn)
  const name = take('name', 1, text => {
    const lead = person.exec(text)?.[0].length ?? 0
    const found = nameIn(text.slice(lead), false)
    return found && { value: found.value, start: lead + found.start, end: lead + found.end, confidence, flag: null }
  })
  const citizenship = take('citizenship', 4, text => {
    const value = (text.split('\n', 1)[0] ?? '').trim()
    return value === '' ? null : { value, start: text.indexOf(value), end: text.indexOf(value) + value.length, confidence, flag: null }
  })
  let printed: string | null = null
  const percent = take('percent', 11, text => {
    const value = percentIn(text)
    printed = value?.printed ?? null
    return value
  })
  const group = rows.find(each => each.number === 2)?.text ?? ''
  const boxes = (['a', 'b'] as const).flatMap(letter => {
    const at = group.indexOf(`(${letter})`)
    return at < 0 ? [] : [{ name: letter, start: at, end: at + 3 }]
  })
  const ticked = tickedOf(group, boxes)
  return {
    name,
    cik: null,
    no_cik: null,
    sole_voting: amount('sole_voting', 5),
    shared_voting: amount('shared_voting', 6),
    sole_dispositive: amount('sole_dispositive', 7),
    shared_dispositive: amount('shared_dispositive', 8),
    aggregate: amount('aggregate', 9),
    excludes_shares: boxesIn(rows.find(each => each.number === 10)?.text ?? '')[0]?.ticked ?? null,
    percent,
    percent_printed: printed,
    types: [...(take('types', 12, typesIn) ?? [])],
    citizenship,
    group_box: ticked.length === 1 ? (ticked[0]?.name ?? null) : null,
    fund_sources: [],
    legal_proceedings: null,
    comment: null,
    confidence: Math.min(1, ...evidence.map(each => each.confidence)),
    evidence,
    flags: ['rows_by_number'],
  }
}
