// The sentences about the sellers of an offering: `X and Y are acting as representatives`, `an underwriting agreement with X`, `X (the
// “Placement Agent”)`.
import type { Sentence } from './amounts.ts'
import { firmsIn, isFirm, type Mention, stem } from './firms.ts'
import type { Parties } from './parties.ts'
import { leads, otherAgents, type Role, roleOf, rolePhrase } from './roles.ts'

export type Part = { readonly name: string; readonly role: Role; readonly lead: boolean; readonly start: number }
/** Firms that a sentence names next to each other, with the text after the last of them. */
export type Group = { readonly mentions: readonly Mention[]; readonly start: number; readonly end: number }

/** Definitions and insertions between a name and its verb. */
const workerPools =
  /^(?:\s*\([^()]{0,200}\)|,? (?:or|which we refer to (?:herein |in this [\w ]{1,30})?as|(?:also )?referred to (?:herein )?as|herein referred to as) (?:the |our )?[“"]?[\w.&’' -]{2,40}?[”"]?(?=,|\.$|\s\(|\s(?:to|as|is|are|will|has|have)\b)|,? (?:[Aa]n?|our|the|each an?|one of our|both) (?:[\w-]+ ){0,5}(?:affiliates?|subsidiar(?:y|ies)|members?|broker-dealers?|[Cc]ompany|firm)\b[^,;]{0,120}(?=,)|,? members? (?:of )?(?:the )?(?:FINRA|SIPC|NYSE|Financial Industry)\b[^,;]{0,80}(?=,))/

function withoutWorkerPools(text: string): { rest: string; inside: string } {
  let rest = text
  let inside = ''
  for (let turns = 0; turns < 5; turns += 1) {
    const match = workerPools.exec(rest)
    if (match === null || match[0] === '') break
    inside += `${match[0]} `
    rest = rest.slice(match[0].length)
  }
  return { rest, inside }
}

/** The firms of a text in groups, with short names resolved and parties left out. `from` is added to the positions. */
export function mentionsIn(text: string, from: number, parties: Parties): Group[] {
  // A name in quotes is a term that the text defines for the preceding firm: `X Financial Inc. (“X Financial”)`.
  const mentions: Mention[] = firmsIn(text).filter(each => each.name.length > 1 && !/[“"]$/.test(text.slice(0, each.start)))
  for (const [short, name] of parties.short) {
    if (short.length < 2 || short.length > 40) continue
    const pattern = new RegExp(`(?<![\\w“"])${short.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w”"])`, 'gi')
    for (const match of text.matchAll(pattern))
      if (/^[A-Z]/.test(match[0]) && !mentions.some(other => match.index < other.end && other.start < match.index + match[0].length))
        mentions.push({ name, start: match.index, end: match.index + match[0].length })
  }
  const groups: { mentions: Mention[]; start: number; end: number }[] = []
  for (const mention of mentions.sort((a, b) => a.start - b.start)) {
    const printed = text.slice(mention.start, mention.end)
    const full = parties.short.get(mention.name.toLowerCase()) ?? mention.name
    if (parties.isParty(printed) || parties.isParty(full) || !isFirm(full)) continue
    const last = groups.at(-1)
    const between = last === undefined ? '' : withoutWorkerPools(text.slice(last.end - from, mention.start)).rest
    const one = { name: full, start: from + mention.start, end: from + mention.end }
    if (last !== undefined && /^[\s,;]*(?:(?:and|&|or|and\/or|as well as|together with)(?: (?:each of|also|with|the))?\s*)?$/i.test(between)) {
      last.mentions.push(one)
      last.end = one.end
    } else groups.push({ mentions: [one], start: one.start, end: one.end })
  }
  return groups
}

/** Sentences about another sale, or about a possible one: they name no seller of this offering. */
const elsewhere =
  /\bservice of process\b|\bservice of any process\b|\bagents? (?:for|to receive|to accept) (?:the )?(?:service|process)\b|\bprocess may be served\b|\bregistered agent\b|\bseparate (?:prospectus|registration|offering)|\bexisting (?:[\w-]+ ){0,4}agreements?\b(?![^.]*\b(?:this prospectus supplement|offered (?:hereby|by this))\b)|\bright of first refusal\b|\bpreviously\b(?! entered into (?:the|an?|our) [\w\s-]{0,40}agreement)|\bprior (?:offering|public offering|underwrit|private|registered|placement)|\bin (?:connection with )?(?:our|the|a) (?:prior|previous|earlier|\d{4}|(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{4}) |\bprivate placement (?:that|which|completed|consummated)|\bin (?:19|20)\d\d,? (?:we|the company) (?:sold|issued|completed)\b|\b(?:has been|have been|was|were) terminated\b|\bcredit (?:facility|agreement)\b|\bterm loan\b|\bcommercial paper\b|\bshare repurchase\b|\btender offer\b.{0,40}\bdealer manager\b.{0,40}\bprevious/i
const verbs = String.raw`(?:who|which|each of which|each of whom|and|also|is|are|will|shall|has|have|be|been|being|each|agreed|to|act|acts|acting|serve|serves|serving|participate|participates|participating|engaged|appointed|selected|retained|designated|named|severally|jointly|individually|collectively|together|exclusively|solely|on a (?:reasonable )?best efforts basis|on our behalf|for us|in this offering|for this offering|in connection with this offering|,|\s)`
const behindAs = new RegExp(`^${verbs}*\\bas (?:both )?${rolePhrase}`, 'i')
const behindVerb = new RegExp(
  `\\b(?:(?:is|are|will|has agreed to|have agreed to|be)\\s+(?:also\\s+)?(?:be\\s+)?(?:act|acting|participate|participating|serve|serving)|acts|serves|participates)\\s+as\\s+${rolePhrase}`,
  'i',
)
const behindIs = new RegExp(`^,? (?:is|are|will be) (?:also )?${rolePhrase}`, 'i')
const beforeIs = new RegExp(
  `(?<!\\b${otherAgents}\\s*)${rolePhrase}(?: (?:for|in|of|under) [^.;]{0,60}?)?(?: is| are| will be|, being|, namely,?)(?: the following)?:? *$`,
  'i',
)
const beforeName = new RegExp(
  `\\b(?:the|our|its|as|as our|by|through) ?${rolePhrase}(?: (?:for|in|of) (?:this|the|our) (?:\\w+ )?offering)?,? $`,
  'i',
)
const beforeCase = new RegExp(`${rolePhrase} in the case of $`, 'i')
/** `X, the managing dealer, …` */
const apposed = new RegExp(`^, (?:the|our) (${rolePhrase})(?: (?:for|in|of) (?:this|the|our) (?:[\\w-]+ )?offering)?(?=[,.;)])`, 'i')
/** `We have engaged X to assist us in selling the shares`: a best-efforts agent. */
const assists =
  /^(?:,? (?:will|has agreed to|shall|to)(?: (?:consult with and |advise|consult)[^.]{0,90}? (?:and )?to)? assist (?:us|the company|[A-Z][\w.&’' ]{2,50})?,?(?: on an? ['"“]?(?:reasonable )?best[- ]efforts['"”]? basis,?)? ?(?:with|in) (?:the |our )?(?:selling|sale|marketing|offer|distribution))/
/** `as the manager of the Fund`, `as forward purchasers`: a party to the agreement that is not a seller. */
const otherPart =
  /^,? (?:each |both )?(?:acting |solely )?(?:as|in (?:its|their) (?:respective )?capacit(?:y|ies) as) (?:an? |the |our |its |their |your )?(?:forward|investment|portfolio|fund|managers? (?:and |of )|asset|trustee|indenture|guarantors?|issuers?|co-issuer|advis[eo]r|financial advis|capital markets? advis|depositary|depository|escrow|calculation|exchange agent|paying|transfer|warrant agent|subscription|information|administrat|sponsor|selling (?:stock|share|unit|security)?\s?holders?|purchasers?|lenders?|independent financial|broker-dealer of record|administrative|collateral|rating|auditor|servicer)/i
const isManager = (words: string | undefined): boolean => words !== undefined && /^(?:the |our )?managers?$/i.test(words.trim())
/** `Through X, or our dealer manager, we are offering …` */
const workerPool = new RegExp(`,? or (?:the|our) (${rolePhrase})`, 'i')
/** `… the agents named therein, we are offering the notes through X and Y` */
const soldThrough = new RegExp(`\\bthe (${rolePhrase})\\b[^;]{0,60}\\b(?:are|is) offer(?:ing|ed)\\b[^.;]{0,120}\\b(?:through|by) $`, 'i')
/** The dealer of a bank buys all of its notes: `X has agreed to purchase the aggregate face amount`. */
const boughtWhole =
  /^,? (?:has|have) (?:severally )?agreed to (?:purchase|buy)\b[^;]{0,160}\b(?:face amount|principal amount|issue price|underwriting discount|all of the (?:notes|securities))\b/i
const contracts: readonly (readonly [RegExp, Role])[] = [
  [/\bplacement agen\w+ agreement|\bplacement agreement/i, 'placement_agent'],
  [/\bdealer[- ]manager(?:s)? agreement/i, 'dealer_manager'],
  [/\bunderwriting agreement/i, 'underwriter'],
  [
    /\b(?:sales|equity distribution|distribution|open market sale\W*|selling agen\w+|agency|ATM|at[- ]the[- ]market(?: \w+){0,2}|controlled equity offering\W*(?:\s*sales)?) agreement/i,
    'agent',
  ],
]
/** An earlier agreement counts for this offering if the sentence continues like this. */
const ofThisOffering =
  /\b(?:relating to|under which we (?:may|can|will)|pursuant to which we (?:may|can|will)|in connection with this offering|offered by this prospectus|with respect to (?:this offering|the (?:shares|securities|notes) (?:being )?offered))\b/i
const withWhom =
  /\b(?:with|among|between)\b(?: (?:us|the company|ourselves|our company|[A-Z][\w.&’' ]{2,50}))?(?:,? (?:and|,) ?(?:each of )?)?(?:the (?:placement agent|underwriter|sales agent|agent|representative)s?,?)?\s*$/i

/** The roles of firms in the sale, from one sentence. */
export function rolesIn(sentence: Sentence, parties: Parties): Part[] {
  const { text, start } = sentence
  if (
    !/\b(?:underwrit|agent|dealer|ATM|manager|representative|bookrunn|book-runn|agreement|agreed to sell to|\bassist\b)/i.test(text) ||
    elsewhere.test(text)
  )
    return []
  const parts: Part[] = []
  const groups = mentionsIn(text, 0, parties)
  groups.forEach((group, at) => {
    const before = text.slice(0, group.start)
    const behind = text.slice(group.end, groups[at + 1]?.start ?? text.length)
    if (
      /\b(?:affiliates?|subsidiar(?:y|ies)|parent(?: company)?|member|successor) (?:of|to) (?:each of )?$|\bpredecessors? (?:of|to) $|\bcounsel (?:to|for) $|\b(?:including|such as) $/i.test(
        before,
      )
    )
      return
    const { rest, inside } = withoutWorkerPools(behind)
    const role = roleFrom(before, rest, inside, at === 0, groups.length)
    if (role === null) return
    for (const mention of sellersAmong(group, before, parties))
      parts.push({ name: mention.name, role: role.role, lead: leads(role.words), start: start + mention.start })
  })
  return parts
}

const amongParties = /\bagreements?\b[^.]{0,160}\b(?:among|between)\b[^;]{0,400}$/i
const managesOrOwns = /\b(?:Management|Administrat(?:ion|or|ors)|Advis[eo]rs?|Advisory|Operating|Properties|Realty|Holdings?|Sponsor)\b/i

/** `An agreement by and among X, its adviser and its administrator, and A, B and C, as representatives`: the parties of the issuer come first. */
function sellersAmong({ mentions }: Group, before: string, parties: Parties): readonly Mention[] {
  if (mentions.length < 2 || !amongParties.test(before)) return mentions
  const own = new Set(parties.issuer.map(name => stem(name).split(' ')[0]).filter(word => word !== undefined && word.length > 2))
  const side = mentions.findIndex(({ name }) => isKnownTrade(name) || !(managesOrOwns.test(name) || own.has(stem(name).split(' ')[0])))
  return side > 0 ? mentions.slice(side) : mentions
}
const isKnownTrade = (name: string): boolean => /\b(?:Securities|Markets|Brokers|Financial Services|and Company)\b|& Co/.test(name)

function roleFrom(before: string, rest: string, inside: string, isFirst: boolean, groups: number): { role: Role; words: string } | null {
  const given = (words: string | undefined): { role: Role; words: string } | null => {
    const role = words === undefined ? null : roleOf(words)
    return role === null || words === undefined ? null : { role, words }
  }
  if (otherPart.test(rest)) return null
  if (/\b(?:acted|served)\b/i.test(rest.slice(0, 60)) || /\b(?:acted|served) as\b[^,;]*$/i.test(before)) return null
  const defined =
    /[(“"]\s*(?:collectively,? |together,? |together with [^“”"()]{2,60}, |each,? (?:an? )?|individually,? |an? )*(?:the |an? |our )?[“"](?:the )?([\w -]{4,40})[”"]/i.exec(
      inside,
    )?.[1]
  const plainRole = defined !== undefined && new RegExp(`^${rolePhrase}$`, 'i').test(defined) ? defined : undefined
  const as = behindAs.exec(rest)?.[0]
  const verb = behindVerb.exec(rest.slice(0, 320))?.[0]
  const own =
    given(as) ??
    given(isFirst || groups === 1 ? verb : undefined) ??
    given(behindIs.exec(rest)?.[0]) ??
    given(beforeIs.exec(before)?.[0]) ??
    given(beforeCase.exec(before)?.[0]) ??
    // A sales agent may be called the manager of the program.
    given(isManager(plainRole) ? undefined : plainRole) ??
    given(isManager(workerPool.exec(inside)?.[1]) ? undefined : workerPool.exec(inside)?.[1]) ??
    given(apposed.exec(rest)?.[1]) ??
    (assists.test(rest) ? { role: 'agent' as const, words: '' } : null) ??
    given(beforeName.exec(before)?.[0]) ??
    given(soldThrough.exec(before)?.[1])
  if (own !== null) return own
  if (/\bagreed to sell to\b/i.test(before + rest) && boughtWhole.test(rest)) return { role: 'underwriter', words: '' }
  for (const [pattern, role] of contracts) {
    const contract = pattern.exec(before)
    const gap = contract === null ? '' : before.slice(contract.index + contract[0].length)
    if (
      contract !== null &&
      gap.length < 200 &&
      withWhom.test(gap) &&
      (ofThisOffering.test(rest) || !/\b(?:19|20)\d\d\b.*\bwe entered\b/.test(before))
    )
      return { role, words: contract[0] }
  }
  return given(plainRole) ?? given(workerPool.exec(inside)?.[1])
}
