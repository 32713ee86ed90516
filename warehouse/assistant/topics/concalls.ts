// Searches transcripts of calls by the words of the question.
import { date, given, must, name, quoted, read, rounded } from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { findCompanies, labelOf, subjectOf } from '../subjects.ts'
import { countedOf, t, words } from '../writer.ts'
import { itemsOf, type TopicAnswer, valueAt } from './topic.ts'

/** Words of a question about a call that are not search terms. */
const frame =
  /\b(?:what|did|does|do|has|have|was|were|is|are|the|a|an|of|on|in|at|its|their|his|her|it|they|about|say|says|said|saying|mention|mentions|mentioned|talk|talked|management|ceo|cfo|executives?|call|calls|earnings|conference|quarterly|last|latest|recent|most|transcripts?|during|anything|something|how|and|or|for|to|from|by|with|guide|company)\b/gi

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
