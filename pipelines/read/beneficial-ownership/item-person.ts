// A Schedule 13G without cover pages for its person: some filers answer the same questions only in items 2 and 4. Read only if
// each question appears once, so that its answer is unambiguous; with low confidence, since nothing else confirms it.
import { amountIn, percentIn, type Value } from './amounts.ts'
import { type CoverText, type Evidence, evidenceOf, type PersonFacts } from './cover-persons.ts'
import { behindTails, nameIn } from './names.ts'

const questions = {
  name: /names?ofpersons?filing/g,
  aggregate: /amount(?:of)?beneficiallyowned/g,
  percent: /percent(?:age)?ofclass/g,
  sole_voting: /solepowertovote(?:orto)?(?:direct)?(?:the)?(?:vote|votingof)?/g,
  shared_voting: /sharedpowertovote(?:orto)?(?:direct)?(?:the)?(?:vote|votingof)?/g,
  sole_dispositive: /solepowertodispose(?:or)?(?:of)?(?:orto)?(?:to)?(?:direct)?(?:the)?(?:dispositionof|disposition)?/g,
  shared_dispositive: /sharedpowertodispose(?:or)?(?:of)?(?:orto)?(?:to)?(?:direct)?(?:the)?(?:dispositionof|disposition)?/g,
} as const
type Question = keyof typeof questions
type Place = { readonly question: Question; readonly start: number; readonly end: number; readonly squeezedEnd: number }

const mostConfident = 0.6

/** The one person that items 2 and 4 describe, or null. */
export function personInItems(cover: CoverText): PersonFacts[] {
  const places = (Object.keys(questions) as Question[]).flatMap(question => placesOf(cover, question))
  const once = (question: Question): boolean => places.filter(place => place.question === question).length === 1
  if (!once('name') || !once('aggregate') || !once('percent')) return []
  places.sort((a, b) => a.start - b.start)
  const evidence: Evidence[] = []
  const answer = <T>(question: Question, read: (text: string) => Value<T> | null): T | null => {
    const at = places.findIndex(place => place.question === question)
    const place = places[at]
    if (place === undefined || !once(question)) return null
    const start = question === 'name' ? behindTails(cover.text, cover.squeezed, place.squeezedEnd, place.end) : place.end
    // An answer is on the line of its question or the next ones, before the next question or item.
    const until = Math.min(places[at + 1]?.start ?? cover.text.length, start + 300)
    const text = cover.text.slice(start, until).split(/\n\s*(?:item\b|\([a-k]\)|\([ivx]{1,4}\))/i, 1)[0] ?? ''
    const value = read(text)
    if (value === null) return null
    evidence.push(evidenceOf(question, cover, start + value.start, start + value.end, Math.min(value.confidence, mostConfident)))
    return value.value
  }
  const name = answer('name', text => {
    const found = nameIn(text, !cover.html)
    return found && { ...found, flag: null }
  })
  const aggregate = answer('aggregate', amountIn)
  let printed: string | null = null
  const percent = answer('percent', text => {
    const found = percentIn(text)
    printed = found?.printed ?? null
    return found
  })
  if (name === null || aggregate === null) return []
  return [
    {
      name,
      cik: null,
      no_cik: null,
      sole_voting: answer('sole_voting', amountIn),
      shared_voting: answer('shared_voting', amountIn),
      sole_dispositive: answer('sole_dispositive', amountIn),
      shared_dispositive: answer('shared_dispositive', amountIn),
      aggregate,
      excludes_shares: null,
      percent,
      percent_printed: printed,
      types: [],
      citizenship: null,
      group_box: null,
      fund_sources: [],
      legal_proceedings: null,
      comment: null,
      confidence: Math.min(mostConfident, ...evidence.map(each => each.confidence)),
      evidence,
      flags: ['read_from_items'],
    },
  ]
}

function placesOf({ text, squeezed }: CoverText, question: Question): Place[] {
  return [...squeezed.letters.matchAll(questions[question])].flatMap(match => {
    const start = squeezed.places[match.index] as number
    const squeezedEnd = match.index + match[0].length
    const end = (squeezed.places[squeezedEnd - 1] as number) + 1
    // A question begins its line, or follows the letter of its part.
    const before = text.slice(Math.max(0, start - 40), start)
    return /(?:^|\n|\t)[^\n\t]{0,24}[\s(.:)]*$/.test(before) && !/[a-z]{2}\s$/.test(before) ? [{ question, start, end, squeezedEnd }] : []
  })
}
