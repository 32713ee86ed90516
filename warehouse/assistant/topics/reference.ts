// Listings, trading days, themes, receipts, the service itself, and a short profile of a company.
import { weekdayOf } from '#schemas/days.ts'
import { countOf, date, given, instant, money, must, name, percent, quoted, read, rounded, type Style, signedPercent, word } from '../claims.ts'
import { definitionIn } from '../definitions.ts'
import { Refusal } from '../refusal.ts'
import { emptySubject, findCompany, labelOf, subjectOf } from '../subjects.ts'
import { countedOf, joined, type Prose, t, words } from '../writer.ts'
import { type Ask, itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

export const listing: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const { line } = company
  const result = line.pointer === '' ? line.result : await calls.get('get_symbol', { symbol: line.symbol })
  const to = read(result, '/listed_to', date)
  const own = read(result, '/cik', name)
  // A directory without CIKs: the issuer's filings have it.
  const filed = own === null && understood.words.has('cik') ? await calls.try('search_filings', { ticker: line.symbol, limit: 1 }) : null
  const cik = own ?? (filed?.ok ? read(filed, '/filings/0/cik', name) : null)
  writer.say(
    t`${must(result, '/symbol', name)} is ${must(result, '/issuer', name)}: ${must(result, '/type', word)}, exchange ${must(result, '/exchange', name)} (${must(result, '/mic', name)}), trades in ${must(result, '/currency', name)}, listed since ${must(result, '/listed_from', date)} as far as the directories that were read reach.`,
    to === null
      ? t``
      : t`It is no longer listed under this symbol: last day ${to}${valueAt(result, '/end_reason') === null ? t`` : t`, ${must(result, '/end_reason', word)}`}${valueAt(result, '/successor') === null ? t`` : t`, now ${must(result, '/successor', name)}`}.`,
    cik === null ? t`` : t`CIK ${cik}.`,
    writer.cite(result),
  )
  if (understood.words.has('cusip')) await sayCusips({ calls, writer }, line.symbol)
  const past = itemsOf(result, '/history')
  if (past.length > 1)
    tableOf(writer, result, past, {
      Symbol: ['symbol', name],
      Name: ['name', name],
      From: ['valid_from', date],
      To: ['valid_to', date],
      'Why it ended': ['end_reason', word],
    })
  const others = company.lines.filter(each => each.symbol !== line.symbol)
  if (others.length > 0)
    writer.say(
      t`Other lines: ${joined(
        others.slice(0, 6).map(each => labelOf(each)),
        ', ',
      )}.`,
    )
  return { subject: subjectOf(company) }
}

/** CUSIPs of a symbol: no directory has them, the filings on Form 13F do. */
async function sayCusips({ calls, writer }: Pick<Ask, 'calls' | 'writer'>, symbol: string): Promise<void> {
  const reply = await calls.try('get_13f_issuer', { query: symbol })
  const rows = reply.ok ? itemsOf(reply, '/securities') : []
  if (!reply.ok || rows.length === 0) writer.say(words('No CUSIP of it is held: the newest filings on Form 13F that were read do not name it.'))
  else
    for (const row of rows.slice(0, 4))
      writer.say(
        t`CUSIP ${must(reply, `${row}/cusip`, name)}: ${must(reply, `${row}/class_title`, name)} of ${must(reply, `${row}/issuer_name`, name)}, in filings on Form 13F for ${must(reply, '/quarter', name)} (matched by ${must(reply, `${row}/match/method`, word)}).`,
        writer.cite(reply),
      )
}

export const marketHours: TopicAnswer = async ({ calls, understood, writer, today }) => {
  const { question, period } = understood
  const day = period !== null && period.from === period.to ? period.from : null
  const wanted = /\btsx|toronto|canad|venture/i.test(question)
    ? ['TO', 'V']
    : /\bnyse|nasdaq|new york|american|\bUS\b|u\.s\./i.test(question)
      ? ['US']
      : ['US', 'TO', 'V']
  const year = Number((day ?? period?.to ?? today).slice(0, 4))
  const festival = day === null ? (festivals.find(each => each.words.test(question)) ?? null) : null
  const result = await calls.get('list_exchanges', { year: festival === newYear && period === null ? year + 1 : year })
  for (const row of itemsOf(result, '/exchanges').filter(each => wanted.includes(valueAt(result, `${each}/exchange`) ?? ''))) {
    const title = must(result, `${row}/name`, name)
    const hours = t`sessions from ${must(result, `${row}/opens`, name)} to ${must(result, `${row}/closes`, name)} (${must(result, `${row}/time_zone`, word)})`
    if (festival !== null) {
      const days = ['holidays', 'half_days'].flatMap(list =>
        itemsOf(result, `${row}/${list}`).flatMap(each => (festival.named.test(valueAt(result, `${each}/name`) ?? '') ? [{ list, each }] : [])),
      )
      for (const { list, each } of days)
        writer.say(
          list === 'holidays'
            ? t`${title}: closed on ${must(result, `${each}/date`, date)}, ${must(result, `${each}/name`, quoted)}.`
            : t`${title}: a half day on ${must(result, `${each}/date`, date)}, ${must(result, `${each}/name`, quoted)}; it closes at ${must(result, `${each}/closes`, name)}.`,
          writer.cite(result),
        )
      if (days.length === 0)
        writer.say(
          t`${title}: no holiday or half day of this name is in its calendar of ${must(result, '/year')}. Otherwise ${hours}.`,
          writer.cite(result),
        )
      continue
    }
    if (day === null) {
      const next = itemsOf(result, `${row}/holidays`).find(each => (valueAt(result, `${each}/date`) ?? '') >= today)
      writer.say(
        t`${title}: ${hours}.${next === undefined ? t`` : t` Next holiday: ${must(result, `${next}/date`, date)}, ${must(result, `${next}/name`, quoted)}.`}`,
        writer.cite(result),
      )
      continue
    }
    const holiday = itemsOf(result, `${row}/holidays`).find(each => valueAt(result, `${each}/date`) === day)
    const half = itemsOf(result, `${row}/half_days`).find(each => valueAt(result, `${each}/date`) === day)
    const weekend = [0, 6].includes(weekdayOf(day))
    const shown = given(day, date)
    if (weekend) writer.say(t`${title}: closed on ${shown}, a weekend.`, writer.cite(result))
    else if (holiday !== undefined) writer.say(t`${title}: closed on ${shown}, ${must(result, `${holiday}/name`, quoted)}.`, writer.cite(result))
    else
      writer.say(
        t`${title}: open on ${shown}, ${hours}${half === undefined ? t`` : t`; that day is a half day${read(result, `${half}/closes`, name) === null ? t`` : t` and closes at ${must(result, `${half}/closes`, name)}`}`}.`,
        writer.cite(result),
      )
  }
  if (/\bholidays\b/i.test(question) && day === null && festival === null) {
    const row = itemsOf(result, '/exchanges').find(each => wanted.includes(valueAt(result, `${each}/exchange`) ?? ''))
    if (row !== undefined) tableOf(writer, result, itemsOf(result, `${row}/holidays`), { Date: ['date', date], Holiday: ['name', quoted] })
  }
  return { subject: { ...emptySubject } }
}
/** Holidays by the words of questions and of the calendars. The calendars have the days, also for holidays that are observed on another day. */
const newYear = { words: /\bnew year(?:'?s)?(?: day)?\b/i, named: /^new year/i }
const festivals: readonly { readonly words: RegExp; readonly named: RegExp }[] = [
  newYear,
  { words: /\bchristmas eve\b/i, named: /christmas eve/i },
  { words: /\bchristmas\b/i, named: /^christmas(?! eve)/i },
  { words: /\bboxing day\b/i, named: /boxing/i },
  { words: /\bthanksgiving\b/i, named: /thanksgiving/i },
  { words: /\bgood friday\b|\beaster\b/i, named: /good friday/i },
  { words: /\bcanada day\b/i, named: /canada day/i },
  { words: /\bvictoria day\b/i, named: /victoria/i },
  { words: /\bfamily day\b/i, named: /family/i },
  { words: /\bcivic holiday\b/i, named: /civic/i },
  { words: /\blabou?r day\b/i, named: /labou?r/i },
  { words: /\bmemorial day\b/i, named: /memorial/i },
  { words: /\bjuneteenth\b/i, named: /juneteenth/i },
  { words: /\bindependence day\b|\bfourth of july\b/i, named: /independence/i },
  { words: /\bpresident'?s'? day\b|\bwashington'?s birthday\b/i, named: /president|washington/i },
  { words: /\bmartin luther king\b|\bmlk\b/i, named: /luther king/i },
]

export const themes: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const result = await calls.get('list_themes', {})
  const rows = itemsOf(result, '/themes')
  const scored = rows.map(row => ({
    row,
    score: (valueAt(result, `${row}/theme`) ?? '')
      .split('-')
      .filter(each => understood.words.has(each.replace(/s$/, '')) || understood.words.has(each)).length,
  }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { row: '', score: 0 })
  if (best.score === 0) {
    writer.say(t`${must(result, '/count')} themes are kept:`, writer.cite(result))
    tableOf(writer, result, rows, { Theme: ['title', name], Listings: 'total', 'What is in it': ['description', quoted] })
  } else {
    const market = understood.otherLine ?? (/\bcanad|\btsx/i.test(understood.question) ? 'CA' : null)
    const members = itemsOf(result, `${best.row}/members`)
      .filter(row => market === null || (valueAt(result, `${row}/exchange`) === 'US') === (market === 'US'))
      .slice(0, 15)
    writer.say(
      t`${must(result, `${best.row}/title`, name)}: ${countedOf(market === null ? must(result, `${best.row}/total`) : countOf(members.map(row => must(result, `${row}/symbol`, name))), 'listing')}${market === null ? t`` : words(market === 'CA' ? ' in Canada' : ' in the United States')}. ${must(result, `${best.row}/description`, quoted)}`,
      writer.cite(result),
    )
    if (members.length > 0) tableOf(writer, result, members, { Symbol: ['symbol', name], Name: ['name', name], Why: ['because', quoted] })
  }
  return { subject: conversation?.subject ?? { ...emptySubject } }
}

export const receipt: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const id = understood.receipt ?? (conversation?.subject?.kind === 'receipt' ? conversation.subject.id : null)
  if (id === null)
    throw new Refusal('incomplete', 'the question names no receipt', { parts: words('Please give the receipt id that is to be verified.').parts })
  const result = await calls.get('verify_lineage', { id }, { signed: false })
  const valid = valueAt(result, '/valid') === 'true'
  const reason = read(result, '/reason', quoted)
  writer.say(
    valid
      ? t`The receipt ${must(result, '/receipt_id', name)} is valid: signature, key and the hash of its answer agree.`
      : t`The receipt ${given(id, name)} is not valid${reason === null ? t`` : t`: ${reason}`}.`,
    valueAt(result, '/statement/subject/0/name') === null
      ? t``
      : t`It is about ${must(result, '/statement/subject/0/name', quoted)}, release ${must(result, '/statement/predicate/release')}, as of ${must(result, '/statement/predicate/as_of', instant)}.`,
  )
  return { subject: { ...emptySubject, kind: 'receipt', id } }
}

export const status: TopicAnswer = async ({ calls, writer }) => {
  const result = await calls.get('get_status', {}, { signed: false })
  const rows = itemsOf(result, '/components')
  const bad = rows.filter(row => !['operational', 'unscheduled'].includes(valueAt(result, `${row}/status`) ?? ''))
  writer.say(
    t`The service reports: ${must(result, '/status', word)}. ${countOf(rows.map(row => must(result, `${row}/name`, name)))} components are watched, ${countOf(bad.map(row => must(result, `${row}/name`, name)))} of them not operational.`,
  )
  if (bad.length > 0) tableOf(writer, result, bad.slice(0, 10), { Component: ['name', name], Status: ['status', word], Detail: ['detail', quoted] })
  return { subject: { ...emptySubject } }
}

export const help: TopicAnswer = async ({ writer }) => {
  writer.say(
    words(
      'I answer questions about listings of the United States and Canada from the data of this service, without a model: every figure comes from an answer of an operation, with its source and receipt.',
    ),
  )
  writer.list(
    [
      'prices, history, returns, statistics and screens',
      'dividends, splits, and the tax withheld by account',
      'filings, changes of risk factors, report dates, figures of statements',
      'insiders, holders by Form 13F, Schedules 13D and 13G',
      'offerings, calendars of reports, offerings and economic releases, macro series',
      'cross-listed pairs and their spread, Sharia screens, drill results, flow-through shares, state notices, listing rules',
      'verification of a receipt',
    ].map(words),
  )
  writer.say(words('I give no recommendation and no forecast.'))
  return { subject: null }
}

export const definition: TopicAnswer = async ({ conversation, understood, writer }) => {
  const found = definitionIn(understood.question)
  if (found === null) throw new TypeError('a question of this topic asks for the meaning of a term')
  writer.say(words(found.text))
  writer.say(words(`A definition in general words, without a source of this service. A question with data: “${found.example}”`))
  return { subject: conversation?.subject ?? null }
}

export const overview: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'line')
  const { line } = company
  // No phrase was recognised, only a company: its overview does not answer words that were not read.
  const own = line.name.toLowerCase()
  const strange = understood.unread.filter(each => !own.includes(each) && !line.symbol.toLowerCase().includes(each))
  if (understood.byName && (strange.length > 0 || understood.loose.length > 0 || understood.period !== null))
    throw new Refusal('not_understood', `${line.symbol} is known; what is asked about it is not understood`, {
      parts:
        t`I found ${labelOf(line)}, but not what is asked about it. I can show its price, dividends, filings, insiders, holders, statements, risk factors or an overview, in English.`
          .parts,
    })
  const fields = [
    'currency',
    'type',
    'sector',
    'industry',
    'close',
    'session_date',
    'change_1d_pct',
    'return_1y_pct',
    'market_cap_usd',
    'pe',
    'dividend_yield_pct',
    'high_52w',
    'low_52w',
    'next_ex_date',
    'last_report_date',
  ]
  const [result, dual] = await Promise.all([
    calls.get('run_screener', { filter: `code = '${line.symbol}'`, fields: ['name', ...fields].join(',') }),
    calls.try('list_dual_listings', { symbol: line.symbol, status: 'current' }),
  ])
  const row = itemsOf(result, '/data')[0]
  if (row === undefined) {
    writer.say(t`${labelOf(line)} is not among the listings that are computed.`)
    return { subject: subjectOf(company) }
  }
  const currency = valueAt(result, `${row}/currency`)
  const at = (field: string, style: Style = money(currency, 2)) => read(result, `${row}/${field}`, style)
  const parts: Prose[] = [
    ...pair('sector', at('sector', name)),
    ...pair('industry', at('industry', name)),
    ...pair('last close', at('close')),
    ...pair('session', at('session_date', date)),
    ...pair('change of the session', at('change_1d_pct', signedPercent)),
    ...pair('total return over a year', at('return_1y_pct', signedPercent)),
    ...pair('market capitalization', at('market_cap_usd', money('USD', 0))),
    ...pair('price to earnings', at('pe', rounded(2))),
    ...pair('dividend yield', at('dividend_yield_pct', percent)),
    ...pair('52-week high', at('high_52w')),
    ...pair('52-week low', at('low_52w')),
    ...pair('next ex-date', at('next_ex_date', date)),
    ...pair('last report', at('last_report_date', date)),
  ]
  writer.say(t`${labelOf(line)}:`, writer.cite(result))
  writer.list(parts)
  if (dual.ok && valueAt(dual, '/pairs/0/us_symbol') !== null)
    writer.say(
      t`Listed in Toronto as ${must(dual, '/pairs/0/tsx_symbol', name)} and in the United States as ${must(dual, '/pairs/0/us_symbol', name)}.`,
    )
  return { subject: subjectOf(company) }
}
const pair = (label: string, figure: ReturnType<typeof read>): Prose[] => (figure === null ? [] : [t`${words(label)}: ${figure}`])
