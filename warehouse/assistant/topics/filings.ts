// Filings, changes of risk factors, report dates, and what is new.
import { addDays } from '#schemas/days.ts'
import type { Result } from '../calls.ts'
import { countAt, countOf, date, fromClock, given, instant, money, must, name, quoted, read, rounded, signedPercent, word } from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { type Company, emptySubject, findCompanies, findCompany, labelOf, nameOf, subjectOf } from '../subjects.ts'
import { type Prose, t, words } from '../writer.ts'
import { type Ask, itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

const forms: Readonly<Record<string, readonly string[]>> = { annual: ['10-K', '40-F', '20-F'] }
const spanOf = (ask: Ask): { from?: string; to?: string } => {
  const period = ask.understood.period ?? (ask.understood.carried ? (ask.conversation?.period ?? null) : null)
  return { ...(period?.from ? { from: period.from } : {}), ...(period?.to ? { to: period.to } : {}) }
}

/** Titles of the items of Form 8-K that questions name, as the form's general instructions give them. */
const eventTitles: Readonly<Record<string, string>> = {
  '1.01': 'entry into a material definitive agreement',
  '1.02': 'termination of a material definitive agreement',
  '1.03': 'bankruptcy or receivership',
  '1.05': 'material cybersecurity incidents',
  '2.01': 'completion of acquisition or disposition of assets',
  '2.06': 'material impairments',
  '3.01': 'notice of delisting or failure to satisfy a continued listing rule or standard; transfer of listing',
  '4.01': 'changes in registrant’s certifying accountant',
  '4.02': 'non-reliance on previously issued financial statements or a related audit report',
  '5.01': 'changes in control of registrant',
  '5.02': 'departure of directors or certain officers; election of directors; appointment of certain officers; compensatory arrangements',
  '5.03': 'amendments to articles of incorporation or bylaws; change in fiscal year',
}

export const filings: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  if (understood.accession !== null) return await oneFiling(ask, understood.accession)
  const [company] = await findCompanies(calls, understood, conversation, 'issuer')
  const wanted = (
    understood.forms.length > 0
      ? understood.forms
      : (conversation?.inputs['forms']?.split(',').filter(each => understood.carried && each !== '') ?? [])
  ).flatMap(each => forms[each] ?? [each])
  const before = understood.carried ? (conversation?.inputs['events']?.split(',').filter(each => each !== '') ?? []) : []
  const events = understood.events.length > 0 ? understood.events : before
  const parameters = {
    ...(company === undefined ? {} : { ticker: company.line.symbol }),
    ...(wanted.length === 0 ? {} : { form: wanted.join(',') }),
    ...(events.length === 0 ? {} : { items: events.join(',') }),
    ...spanOf(ask),
    limit: 20,
  }
  if (company === undefined && wanted.length === 0 && events.length === 0 && understood.period === null)
    await findCompany(calls, understood, conversation, 'issuer')
  const result = await calls.get('search_filings', parameters)
  const rows = itemsOf(result, '/filings')
  const of = t`${company === undefined ? t`` : t` of ${labelOf(company.line)}`}${
    events.length === 0 ? t`` : t` on Form 8-K with the item “${words(events.map(each => eventTitles[each] ?? 'an event').join('; '))}”`
  }`
  if (rows.length === 0)
    writer.say(
      t`No such filing${of} is held for this question.${company !== undefined && /\.(TO|V)$/.test(company.line.symbol) ? words(' Issuers of Canadian exchanges alone file on SEDAR+, which is not read here.') : t``}`,
    )
  else {
    const single = /\b(?:latest|last|newest|most recent)\b/i.test(understood.question) && !/\bfilings\b/i.test(understood.question)
    const shown = single ? rows.slice(0, 1) : rows.slice(0, 10)
    writer.say(
      shown.length === 1
        ? t`The newest such filing${of}:`
        : t`The newest ${countOf(shown.map(row => must(result, `${row}/accession`, name)))} of the filings${of} that fit:`,
    )
    tableOf(writer, result, shown, {
      Filed: ['filed_date', date],
      Form: ['form', name],
      Description: ['form_title', quoted],
      Company: ['company', name],
      Accession: ['accession', name],
      Source: row => writer.cite(result, { only: [valueAt(result, `${row}/accession`)] }),
    })
  }
  return {
    subject: company === undefined ? { ...emptySubject } : subjectOf(company),
    inputs: { forms: understood.forms.join(','), events: events.join(',') },
  }
}

const oneFiling = async ({ calls, writer }: Ask, accession: string): Promise<{ subject: typeof emptySubject }> => {
  const result = await calls.get('get_filing', { accession })
  writer.say(
    t`Filing ${must(result, '/accession', name)} is a ${must(result, '/form', name)}, filed on ${must(result, '/filed_date', date)}.`,
    writer.cite(result),
  )
  const entities = itemsOf(result, '/entities', 6)
  if (entities.length > 0)
    writer.list(
      entities.map(
        row =>
          t`${read(result, `${row}/company`, name) ?? read(result, `${row}/name`, name) ?? words('an entity without a name')}: ${read(result, `${row}/role`, word) ?? words('filer')}`,
      ),
    )
  return { subject: { ...emptySubject, kind: 'filing', id: accession } }
}

export const riskChanges: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const requested = understood.forms.filter(each => ['10-K', '10-Q', '40-F', '20-F'].includes(each))
  let result: Result | null = null
  for (const form of requested.length > 0 ? requested.slice(0, 1) : ['10-K', '40-F', '20-F']) {
    const reply = await calls.try('get_filing_diff', { ticker: company.line.symbol, form })
    if (!reply.ok && reply.status !== 404) throw new Refusal('unavailable', reply.detail)
    if (reply.ok) result = reply
    if (reply.ok && valueAt(reply, '/coverage/status') !== 'no_filing') break
  }
  if (result === null) throw new Refusal('no_data', `no annual report of ${company.line.symbol} is held`)
  const label = labelOf(company.line)
  if (valueAt(result, '/coverage/status') !== 'compared') {
    writer.say(t`The risk factors of ${label} could not be compared: ${must(result, '/coverage/detail', quoted)}.`, writer.cite(result))
    return { subject: subjectOf(company) }
  }
  const count = (kind: string) => must(result as Result, `/summary/${kind}`)
  writer.say(
    t`Between its ${must(result, '/old/form', name)} of ${must(result, '/old/filed_date', date)} and that of ${must(result, '/new/filed_date', date)}, the risk factors of ${label} have ${count('new')} new, ${count('removed')} removed, ${count('modified')} modified, ${count('rewritten')} rewritten, ${count('numbers_only')} with other numbers only and ${count('unchanged')} unchanged.`,
    writer.cite(result, { span: 'Item 1A' }),
  )
  for (const [kind, title, side] of [
    ['new', 'New:', 'new'],
    ['removed', 'Removed:', 'old'],
    ['modified', 'Modified:', 'new'],
    ['rewritten', 'Rewritten:', 'new'],
  ] as const) {
    const rows = itemsOf(result, '/changes').filter(row => valueAt(result as Result, `${row}/class`) === kind)
    const headings = rows.flatMap(row => read(result as Result, `${row}/${side}/0/heading`, quoted) ?? []).slice(0, 6)
    if (headings.length === 0) continue
    writer.say(words(title))
    writer.list(headings.map(heading => t`“${heading}”`))
  }
  writer.say(words('The headings are quoted from the filings.'))
  return { subject: subjectOf(company) }
}

export const reportDate: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const result = await calls.get('get_earnings', { symbol: company.line.symbol })
  const label = labelOf(company.line)
  const next = read(result, '/next_report_date', date)
  const time = read(result, '/next_report/time', word)
  writer.say(
    next === null
      ? t`${label} has not announced the date of its next report in a filing that is held.`
      : t`${label} reports next on ${next}${time === null ? t`` : t` (${time})`}, as it announced itself.`,
    writer.cite(result),
  )
  const last = itemsOf(result, '/history')[0]
  if (last !== undefined) {
    const quote = read(result, `${last}/evidence/quote`, quoted)
    writer.say(
      t`Its last report that is held came out on ${must(result, `${last}/report_date`, date)}${valueAt(result, `${last}/report_session`) === null ? t`` : t` (${must(result, `${last}/report_session`, word)})`}, on Form ${must(result, `${last}/form`, name)}.${quote === null ? t`` : t` “${quote}”`}`,
    )
  } else writer.say(t`${must(result, '/coverage/sentence', quoted)}.`)
  return { subject: subjectOf(company) }
}

export const reportCalendar: TopicAnswer = async ask => {
  const { calls, writer, today } = ask
  const { from = today, to } = spanOf(ask)
  const result = await calls.get('list_earnings_calendar', {
    from,
    ...(to === undefined ? {} : { to: to < from ? from : to }),
    status: 'all',
    limit: 30,
  })
  const rows = itemsOf(result, '/earnings', 20)
  const span = t`from ${must(result, '/from', date)} to ${must(result, '/to', date)}`
  if (rows.length === 0) writer.say(t`No report date ${span} is held.`, writer.cite(result))
  else {
    writer.say(t`Report dates ${span}; only a confirmed date was stated by the issuer or a calendar as fixed:`, writer.cite(result))
    tableOf(writer, result, rows, {
      Date: ['date', date],
      Symbol: ['symbol', name],
      Company: ['company', name],
      Time: ['time_of_day', word],
      Status: ['status', word],
    })
  }
  return { subject: { ...emptySubject } }
}

/** Days that "what is new" covers if the question states none. */
const newsDays = 7

export const news: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer, today } = ask
  const explicit =
    understood.symbols.length > 0 || understood.located.length > 0 || understood.names.some(each => /^\p{Lu}/u.test(each)) || understood.pronoun
  const [company] =
    explicit || (understood.carried && conversation?.subject?.kind === 'listing')
      ? await findCompanies(calls, understood, conversation, 'issuer')
      : await findCompanies(calls, { ...understood, names: understood.names.filter(each => each.length > 4) }, null, 'issuer').catch(noCompany)
  const from = spanOf(ask).from ?? addDays(today, -newsDays)
  const since =
    understood.period === null
      ? fromClock(from)
      : understood.period.kind === 'day' || understood.period.kind === 'since' || understood.period.kind === 'range'
        ? fromClock(from)
        : given(from, date)
  if (company !== undefined) {
    await newsOf(ask, company, from, since)
    return { subject: subjectOf(company) }
  }
  const [found, stakes, deals] = await Promise.all([
    calls.get('search_filings', { from, limit: 100 }),
    calls.try('list_activist_13d', {}),
    calls.try('list_ipo_calendar', { from, to: today }),
  ])
  const rows = itemsOf(found, '/filings')
  const distinct = [...new Map(rows.map(row => [valueAt(found, `${row}/accession`), row])).values()]
  writer.say(
    t`Since ${since}: ${countOf(distinct.map(row => must(found, `${row}/accession`, name)))} filings are held.`,
    writer.cite(found, { only: distinct.slice(0, 3).map(row => valueAt(found, `${row}/accession`)) }),
  )
  if (distinct.length > 0) filingTable(ask, found, distinct.slice(0, 12))
  /** The first five rows since `from`, one in a line, below a title; nothing if there is none. */
  const listNewest = (title: string, result: Result, [list, day]: readonly [string, string], line: (row: string) => Prose): void => {
    const fresh = itemsOf(result, list).filter(row => (valueAt(result, `${row}/${day}`) ?? '') >= from)
    if (fresh.length === 0) return
    writer.say(words(title))
    writer.list(fresh.slice(0, 5).map(line))
  }
  if (stakes.ok)
    listNewest(
      'Schedules 13D among them:',
      stakes,
      ['/filings', 'filed_date'],
      row =>
        t`${must(stakes, `${row}/filed_date`, date)}: ${must(stakes, `${row}/issuer_name`, name)}, ${read(stakes, `${row}/aggregate_of`, name) ?? words('a holder')}${stake(stakes, row)} ${writer.cite(stakes, { only: [valueAt(stakes, `${row}/accession`)] })}`,
    )
  if (deals.ok)
    listNewest(
      'Offerings and new listings:',
      deals,
      ['/ipos', 'date'],
      row => t`${must(deals, `${row}/date`, date)}: ${must(deals, `${row}/company`, name)}, ${must(deals, `${row}/status`, word)}`,
    )
  return { subject: { ...emptySubject } }
}
const noCompany = (error: unknown): Company[] => {
  if (error instanceof Refusal && error.code !== 'ambiguous') return []
  throw error
}
const stake = (result: Result, row: string): Prose => {
  const percent = read(result, `${row}/percent`, rounded(2, '%'))
  return percent === null ? t`` : t`, ${percent}`
}
function filingTable({ writer }: Ask, found: Result, rows: readonly string[]): void {
  tableOf(writer, found, rows, { Filed: ['filed_date', date], Form: ['form', name], Description: ['form_title', quoted], Company: ['company', name] })
}
async function newsOf(ask: Ask, company: Company, from: string, since: ReturnType<typeof fromClock>): Promise<void> {
  const { calls, writer, today } = ask
  const { line } = company
  const [found, quotes, actions] = await Promise.all([
    calls.try('search_filings', { ticker: line.symbol, from, limit: 20 }),
    calls.try('get_quotes', { symbols: line.symbol }),
    calls.try('list_corporate_actions', { symbol: line.symbol, from, to: addDays(today, 60) }),
  ])
  writer.say(t`Since ${since}, ${nameOf(line)}:`)
  const items: Prose[] = []
  if (quotes.ok && valueAt(quotes, '/quotes/0/price') !== null) {
    const pct = read(quotes, '/quotes/0/change_pct', signedPercent)
    items.push(
      t`Price ${must(quotes, '/quotes/0/price', money(valueAt(quotes, '/quotes/0/currency')))} at ${must(quotes, '/quotes/0/quoted_at', instant)}${pct === null ? t`` : t` (${pct} against the close before)`} ${writer.cite(quotes)}`,
    )
  }
  if (actions.ok) {
    for (const row of itemsOf(actions, '/actions')
      .filter(each => valueAt(actions, `${each}/applied/status`) !== 'confirms')
      .slice(0, 4)) {
      const amount = read(actions, `${row}/amount`, money(valueAt(actions, `${row}/currency`)))
      items.push(
        t`${must(actions, `${row}/kind`, word)}, ex-date ${must(actions, `${row}/ex_date`, date)}${amount === null ? t`` : t`, ${amount} a share`}`,
      )
    }
  }
  if (items.length > 0) writer.list(items)
  const rows = found.ok ? itemsOf(found, '/filings', 12) : []
  if (found.ok && rows.length > 0) {
    writer.say(
      t`${countAt(found, '/filings')} filings:`,
      writer.cite(found, { only: rows.slice(0, 4).map(row => valueAt(found, `${row}/accession`)) }),
    )
    filingTable(ask, found, rows)
  } else writer.say(words('No filing of it is held from this time.'))
}
