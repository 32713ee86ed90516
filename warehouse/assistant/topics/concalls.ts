// Searches transcripts of calls by the words of the question.

import type { Calls, Result } from '../calls.ts'
import { date, given, must, name, quoted, read, rounded } from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { type Company, findCompanies, labelOf, subjectOf } from '../subjects.ts'
import { countedOf, t, type Writer, words } from '../writer.ts'
import { type Continuation, itemsOf, type TopicAnswer, valueAt } from './topic.ts'

/** Words of a question about a call that are not search terms. */
const frame =
  /\b(?:what|did|does|do|has|have|was|were|is|are|the|a|an|of|on|in|at|its|their|his|her|it|they|about|say|says|said|saying|mention|mentions|mentioned|talk|talked|management|ceo|cfo|executives?|call|calls|earnings|conference|quarterly|last|latest|recent|most|transcripts?|during|anything|something|how|and|or|for|to|from|by|with|guide|company|summary|summarise|summarize|highlights?|key|points?|takeaways?|main|overview|give|me|please|recap)\b/gi

const isSummary = (question: string): boolean => /\b(?:summar|highlight|takeaway|recap|key points|main points|overview)/i.test(question)
/** Words under which a summary of a call quotes it. */
const subjects = ['revenue', 'margin', 'guidance', 'dividend', 'debt']

/** Quotes the newest call by the words that people look for in a summary: no text is written about what speakers mean. */
async function quotesOfNewest(company: Company, reading: Calls, writer: Writer): Promise<Continuation> {
  const found = await Promise.all(
    subjects.map(async q => ({ q, result: await reading.get('search_concalls', { q, ticker: company.line.symbol, limit: 20 }) })),
  )
  const dayOf = (result: Result, hit: string): string => valueAt(result, `${hit}/upload_date`) ?? ''
  const hits = found.flatMap(({ q, result }) => itemsOf(result, '/hits', 20).map(hit => ({ q, result, hit, day: dayOf(result, hit) })))
  const newest = hits.reduce((last, each) => (each.day > last ? each.day : last), '')
  const of = hits.filter(each => each.day === newest)
  // One passage may have the words of several subjects: it is quoted once.
  const first: ((typeof of)[number] & { readonly subjects: string[] })[] = []
  for (const q of subjects) {
    const hit = of.find(each => each.q === q)
    const quotedBefore = first.find(each => hit !== undefined && valueAt(each.result, `${each.hit}/text`) === valueAt(hit.result, `${hit.hit}/text`))
    if (quotedBefore !== undefined) quotedBefore.subjects.push(q)
    else if (hit !== undefined) first.push({ ...hit, subjects: [q] })
  }
  const [one] = first
  if (one === undefined) {
    writer.say(
      t`No passage about ${words(`${subjects.slice(0, -1).join(', ')} or ${subjects.at(-1)}`)} of a call of ${labelOf(company.line)} is held.`,
    )
    return { subject: subjectOf(company) }
  }
  const day = read(one.result, `${one.hit}/upload_date`, date)
  writer.say(
    t`Summaries are not written here. The newest call of ${labelOf(company.line)}${day === null ? t`` : t` (${day})`} in its own words, by subject:`,
    writer.cite(one.result),
  )
  writer.list(
    first.map(({ subjects: named, result, hit }) => {
      const speaker = read(result, `${hit}/speaker`, name)
      return t`${words(named.join(', '))}${speaker === null ? t`` : t`, ${speaker}`}: “${must(result, `${hit}/text`, quoted)}”`
    }),
  )
  writer.say(words('Quoted from transcripts: what a speaker said is not checked here.'))
  return { subject: subjectOf(company) }
}

export const calls: TopicAnswer = async ({ calls: reading, understood, conversation, writer }) => {
  const [company] = await findCompanies(reading, understood, conversation, 'issuer')
  const own = company === undefined ? [] : [...company.line.name.split(/\s+/), ...understood.symbols]
  const spelled = /"([^"]{2,80})"/.exec(understood.question)?.[0]
  const rest = understood.question
    .replace(/'s\b/g, '')
    .replace(/[^\p{L}\p{N} -]/gu, ' ')
    .replace(frame, ' ')
    .split(/\s+/)
    .filter(each => each !== '' && !own.some(one => one.replace(/[.,&]/g, '').toLowerCase() === each.toLowerCase()))
  const query = spelled ?? rest.slice(0, 6).join(' ')
  if (query === '' && company !== undefined && isSummary(understood.question)) return await quotesOfNewest(company, reading, writer)
  if (query === '')
    throw new Refusal('incomplete', 'the question names no words to look for in calls', {
      parts: words('Please name the words to look for in the transcripts of calls, such as pricing or free cash flow.').parts,
    })
  const result = await reading.get('search_concalls', { q: query, limit: 3, ...(company === undefined ? {} : { ticker: company.line.symbol }) })
  const hits = itemsOf(result, '/hits', 3)
  const of = company === undefined ? t`` : t` of ${labelOf(company.line)}`
  if (hits.length === 0) writer.say(t`No passage of a call${of} that is held has the words “${given(query, name)}”.`, writer.cite(result))
  else {
    writer.say(
      t`${countedOf(must(result, '/total'), 'passage')} of calls${of} ${words(valueAt(result, '/total') === '1' ? 'has' : 'have')} the words “${given(query, name)}”:`,
      writer.cite(result),
    )
    writer.list(
      hits.map(hit => {
        const [speaker, day] = [read(result, `${hit}/speaker`, name), read(result, `${hit}/upload_date`, date)]
        return t`${must(result, `${hit}/ticker`, name)}${day === null ? t`` : t`, ${day}`}${speaker === null ? t`` : t`, ${speaker}`}: “${must(result, `${hit}/text`, quoted)}” (score ${must(result, `${hit}/score`, rounded(2))})`
      }),
    )
    writer.say(words('Quoted from transcripts: what a speaker said is not checked here.'))
  }
  return { subject: company === undefined ? null : subjectOf(company) }
}
