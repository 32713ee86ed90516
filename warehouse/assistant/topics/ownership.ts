// Insiders, 13F managers, Schedules 13D and 13G.
import { addDays } from '#schemas/days.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { maxCalls, type Result } from '../calls.ts'
import { countOf, date, difference, type Figure, given, must, name, quoted, read, rounded, signedPercent, sum, word } from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { type Company, emptySubject, findCompanies, findCompany, labelOf, subjectOf } from '../subjects.ts'
import { countedOf, joined, type Prose, t, words } from '../writer.ts'
import { type Ask, itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

const periodOf = ({ understood, conversation }: Ask) => understood.period ?? (understood.carried ? (conversation?.period ?? null) : null)

export const insiders: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const period = periodOf(ask)
  const result = await calls.get('get_form4', { ticker: company.line.symbol, ...(period?.from ? { since: period.from } : {}) })
  const label = labelOf(company.line)
  const [buying, selling] = [
    /\b(?:buy|buying|bought|buys|purchas\w*)\b/i.test(understood.question),
    /\b(?:sell|selling|sold|sells|sale|sales)\b/i.test(understood.question),
  ]
  const side = buying === selling ? (conversation?.inputs['side'] && understood.carried ? conversation.inputs['side'] : null) : buying ? 'P' : 'S'
  const within = itemsOf(result, '/transactions').filter(row => {
    const day = valueAt(result, `${row}/transaction_date`) ?? ''
    return valueAt(result, `${row}/amended_by`) === null && (!period?.from || day >= period.from) && (!period?.to || day <= period.to)
  })
  const role = roles.find(each => each.words.test(understood.question)) ?? null
  const byRole = role === null ? within : within.filter(row => itemsOf(result, `${row}/owners`).some(each => role.fits(result, each)))
  const rows = role === null || byRole.length > 0 ? byRole : []
  const when = !period?.from
    ? t``
    : period.to === null
      ? t`, made since ${given(period.from, date)}`
      : t`, made from ${given(period.from, date)} to ${given(period.to, date)}`
  if (rows.length === 0) {
    const of = role === null ? t`` : t` by ${words(role.name)}`
    writer.say(
      t`No insider transaction${of} of ${label}${when} is held for this question. ${must(result, '/coverage/sentence', quoted)}.`,
      writer.cite(result),
    )
    return { subject: subjectOf(company) }
  }
  const code = (row: string): string => valueAt(result, `${row}/code`) ?? ''
  const [purchases, sales] = [rows.filter(row => code(row) === 'P'), rows.filter(row => code(row) === 'S')]
  const counted = (list: readonly string[]): Figure => countOf(list.map(row => must(result, `${row}/code`, name)))
  const shares = (list: readonly string[]): Prose => {
    const figures = list.flatMap(row => read(result, `${row}/shares`) ?? [])
    return figures.length === 0 ? t`` : t` (${sum(figures)} shares)`
  }
  const shown = (side === 'P' ? purchases : side === 'S' ? sales : rows).slice(0, 10)
  writer.say(
    t`${label}: ${countedOf(countOf(rows.map(row => must(result, `${row}/accession`, name))), 'insider transaction')}${role === null ? t`` : t` by ${words(role.name)}`} that no amendment replaced ${words(rows.length === 1 ? 'is' : 'are')} held${when}, of them ${countedOf(counted(purchases), 'purchase')}${shares(purchases)} and ${countedOf(counted(sales), 'sale')}${shares(sales)} on the open market.`,
    writer.cite(result, { only: (shown.length > 0 ? shown : rows).map(row => valueAt(result, `${row}/accession`)) }),
  )
  if (shown.length === 0)
    writer.say(side === 'P' ? words('No purchase on the open market is among them.') : words('No sale on the open market is among them.'))
  else
    writer.table(
      ['Date', 'Who', ...(role === null ? [] : ['Role']), 'What', 'Shares', 'Price', 'Held after', 'Filed'],
      shown.map(row => [
        read(result, `${row}/transaction_date`, date),
        ownersOf(result, row),
        ...(role === null ? [] : [roleOf(result, row)]),
        read(result, `${row}/code_class`, word),
        read(result, `${row}/shares`),
        read(result, `${row}/price`),
        read(result, `${row}/shares_after`),
        read(result, `${row}/filed_date`, date),
      ]),
    )
  return { subject: subjectOf(company), inputs: side === null ? {} : { side } }
}
type Role = { readonly words: RegExp; readonly name: string; readonly fits: (result: Result, owner: string) => boolean }
const titled =
  (title: RegExp) =>
  (result: Result, owner: string): boolean =>
    title.test(valueAt(result, `${owner}/officer_title`) ?? '')
const flagged =
  (flag: string) =>
  (result: Result, owner: string): boolean =>
    valueAt(result, `${owner}/${flag}`) === 'true'
/** Positions that a question may name, by the title or the mark that the filing has. */
const roles: readonly Role[] = [
  { words: /\b(?:ceo|chief executive)\b/i, name: 'the chief executive', fits: titled(/chief executive|\bceo\b/i) },
  { words: /\b(?:cfo|chief financial)\b/i, name: 'the chief financial officer', fits: titled(/chief financial|\bcfo\b/i) },
  { words: /\b(?:coo|chief operating)\b/i, name: 'the chief operating officer', fits: titled(/chief operating|\bcoo\b/i) },
  { words: /\bchair(?:man|woman|person)?\b/i, name: 'the chair', fits: titled(/\bchair/i) },
  { words: /\bdirectors?\b|\bboard members?\b/i, name: 'directors', fits: flagged('director') },
  { words: /\b(?:officers?|executives?)\b/i, name: 'officers', fits: flagged('officer') },
]
const roleOf = (result: Result, row: string): Prose =>
  joined(
    itemsOf(result, `${row}/owners`, 3).flatMap(
      each => read(result, `${each}/officer_title`, name) ?? (valueAt(result, `${each}/director`) === 'true' ? words('director') : []),
    ),
    ', ',
  )
const ownersOf = (result: Result, row: string): Prose =>
  joined(
    itemsOf(result, `${row}/owner_names`, 3).flatMap(each => read(result, each, name) ?? []),
    ', ',
  )

/** Days within which purchases of several insiders are a cluster, as in the daily updates (warehouse/updates/rules.json). */
const clusterDays = 10

/** Issuers of whom two insiders or more bought on the open market within ten days, by the last ninety days. */
export const insiderClusters: TopicAnswer = async ({ calls, writer }) => {
  const screened = await calls.get('run_screener', {
    filter: 'insider_buys_90d >= 2 and exchange = US',
    fields: 'name,insider_buys_90d,insider_net_shares_90d,last_insider_trade_date',
    sort: 'insider_net_shares_90d.desc',
    limit: 20,
  })
  const issuers = new Set<string>()
  let found = 0
  for (const row of itemsOf(screened, '/data')) {
    if (calls.made.length >= 7) break
    const result = await calls.try('get_form4', { ticker: valueAt(screened, `${row}/code`) ?? '' })
    if (!result.ok) continue
    const buys = itemsOf(result, '/transactions').filter(
      each =>
        valueAt(result, `${each}/code`) === 'P' &&
        valueAt(result, `${each}/acquired_disposed`) === 'A' &&
        valueAt(result, `${each}/amended_by`) === null,
    )
    const dayOf = (each: string): string => valueAt(result, `${each}/transaction_date`) ?? ''
    const ownerOf = (each: string): string => valueAt(result, `${each}/owner_ciks/0`) ?? ''
    const newest = buys.find(each => new Set(inWindow(buys, each).map(ownerOf)).size >= 2)
    const issuer = newest === undefined ? null : valueAt(result, `${newest}/issuer_cik`)
    if (newest === undefined || issuer === null || issuers.has(issuer)) continue
    issuers.add(issuer)
    found += 1
    const lines = inWindow(buys, newest)
    const owners = lines.filter((each, at) => lines.findIndex(other => ownerOf(other) === ownerOf(each)) === at)
    const [first, last] = [lines.at(-1) ?? newest, lines[0] ?? newest]
    writer.say(
      t`${must(result, `${newest}/issuer_name`, name)} (${must(screened, `${row}/code`, name)}): ${countOf(owners.map(each => must(result, `${each}/owner_ciks/0`, name)))} insiders bought ${sum(lines.map(each => must(result, `${each}/shares`)))} shares on the open market, ${must(result, `${first}/transaction_date`, date)} to ${must(result, `${last}/transaction_date`, date)}:`,
      writer.cite(result, { only: lines.map(each => valueAt(result, `${each}/accession`)) }),
    )
    tableOf(writer, result, lines.slice(0, 8), {
      Date: ['transaction_date', date],
      Who: each => ownersOf(result, each),
      Shares: 'shares',
      Price: 'price',
      Filed: ['filed_date', date],
    })
    function inWindow(all: readonly string[], end: string): string[] {
      return all.filter(
        each => dayOf(each) <= dayOf(end) && dayOf(each) > addDays(dayOf(end), -clusterDays) && valueAt(result as Result, `${each}/shares`) !== null,
      )
    }
  }
  if (found === 0)
    writer.say(t`No issuer that is screened has purchases of several insiders within days of each other in the last quarter.`, writer.cite(screened))
  else writer.say(words('A cluster here means open-market purchases by several insiders within days of each other.'))
  return { subject: { ...emptySubject } }
}

export const holders: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const quarter = quarterOf(ask)
  // For an issuer with several classes, a symbol selects one class, its CIK all of them.
  const classes = company.lines.filter(each => exchangeOf(each.symbol) === 'US' && !['preferred', 'warrant', 'right', 'note'].includes(each.type))
  const query = classes.length > 1 && understood.symbols.length === 0 ? (company.line.cik ?? company.line.symbol) : company.line.symbol
  const result = await calls.get('get_13f_issuer', { query, ...quarter })
  const label = labelOf(company.line)
  const rows = itemsOf(result, '/holders')
  const previous = quarterBefore(valueAt(result, '/quarter'))
  const before =
    previous !== null &&
    /\b(?:bought|buy(?:ing|s)?|s(?:old|ells?|elling)|add(?:ed|ing|s)?|increased?|cut|reduced?|trim(?:med)?|exit(?:ed)?)\b/i.test(understood.question)
      ? await calls.try('get_13f_issuer', { query, period: previous })
      : null
  if (before?.ok) sayChanges(writer, label, result, before)
  else if (rows.length === 0)
    writer.say(
      t`No manager reported ${label} on Form 13F for ${must(result, '/quarter', name)}. ${must(result, '/coverage/note', quoted)}`,
      writer.cite(result),
    )
  else {
    writer.say(
      t`${countedOf(must(result, '/holders_count'), 'manager')} reported ${label} on Form 13F for ${must(result, '/quarter', name)}:`,
      writer.cite(result),
    )
    tableOf(writer, result, rows.slice(0, 12), {
      Manager: ['manager', name],
      Class: ['class_title', name],
      Shares: 'shares',
      'Value, USD': 'value_usd',
    })
    writer.say(t`${must(result, '/coverage/note', quoted)}`)
  }
  await saySchedules(ask, company)
  return { subject: subjectOf(company) }
}
const quarterBefore = (quarter: string | null): string | null => {
  const [, year = '', number = ''] = /^(\d{4})Q([1-4])$/.exec(quarter ?? '') ?? []
  return year === '' ? null : number === '1' ? `${Number(year) - 1}Q4` : `${year}Q${Number(number) - 1}`
}
/** What managers reported for two quarters, class by class, with the difference. A manager in one of them only has a dash in the other. */
function sayChanges(writer: Ask['writer'], label: Prose, now: Result, before: Result): void {
  const keyOf = (result: Result, row: string): string =>
    ['manager_cik', 'cusip', 'put_call', 'shares_type'].map(field => valueAt(result, `${row}/${field}`) ?? '').join('|')
  const [rowsNow, rowsBefore] = [itemsOf(now, '/holders', 200), itemsOf(before, '/holders', 200)]
  const keys = [...new Set([...rowsNow.map(row => keyOf(now, row)), ...rowsBefore.map(row => keyOf(before, row))])]
  const rowsOf = (result: Result, rows: readonly string[], key: string): string[] => rows.filter(row => keyOf(result, row) === key)
  // A manager may report one class in several rows, by discretion or by other managers.
  const sharesOf = (result: Result, rows: readonly string[]): Figure | null => {
    const figures = rows.flatMap(row => read(result, `${row}/shares`) ?? [])
    return figures.length > 1 ? sum(figures) : (figures[0] ?? null)
  }
  const lines = keys.map(key => {
    const [inNow, inBefore] = [rowsOf(now, rowsNow, key), rowsOf(before, rowsBefore, key)]
    const [shares, earlier] = [sharesOf(now, inNow), sharesOf(before, inBefore)]
    const [source, row] = inNow[0] === undefined ? [before, inBefore[0]] : [now, inNow[0]]
    const change = earlier === null || shares === null ? null : difference(shares, earlier, { as: 'number', sign: true })
    return [read(source, `${row}/manager`, name), read(source, `${row}/class_title`, name), earlier, shares, change]
  })
  const quarters = t`${must(before, '/quarter', name)} and ${must(now, '/quarter', name)}`
  if (lines.length === 0) {
    writer.say(t`No manager reported ${label} on Form 13F for ${quarters}.`, writer.cite(now), writer.cite(before))
    return
  }
  writer.say(t`Shares of ${label} that managers reported on Form 13F for ${quarters}:`, writer.cite(now), writer.cite(before))
  writer.table(['Manager', 'Class', 'Shares before', 'Shares', 'Change'], lines.slice(0, 12))
  writer.say(words('A dash means that no row of that quarter is held; the manager may be below the threshold, or have left the position out.'))
}
/** Holders above five percent who filed a Schedule 13D or 13G in the last weeks. */
async function saySchedules({ calls, writer }: Ask, { line }: Company): Promise<void> {
  if (calls.made.length + 2 > maxCalls) return
  const replies = await Promise.all(
    (['list_activist_13d', 'list_passive_13g'] as const).map(operation => calls.try(operation, { ticker: line.symbol })),
  )
  const items = replies.flatMap(reply =>
    reply.ok
      ? itemsOf(reply, '/filings', 4).map(row => {
          const percent = read(reply, `${row}/percent`, rounded(2, '%'))
          return t`${must(reply, `${row}/filed_date`, date)}: ${read(reply, `${row}/aggregate_of`, name) ?? words('a holder')}${percent === null ? t`` : t`, ${percent}`}, on ${must(reply, `${row}/form`, name)} ${writer.cite(reply, { only: [valueAt(reply, `${row}/accession`)] })}`
        })
      : [],
  )
  if (items.length === 0) return
  writer.say(words('Schedules of large holders that were filed in the last weeks:'))
  writer.list(items)
}
/** The newest quarter that ends within a period, as 13F operations name it; none for a period that includes today. */
function quarterOf(ask: Ask): { period?: string } {
  const period = periodOf(ask)
  const to = period?.to ?? null
  if (to === null || to >= ask.today) return {}
  const [year, month] = [Number(to.slice(0, 4)), Number(to.slice(5, 7))]
  const ended = month % 3 === 0 && addDays(to, 1).slice(0, 7) !== to.slice(0, 7) ? month / 3 : Math.ceil(month / 3) - 1
  return { period: ended === 0 ? `${year - 1}Q4` : `${year}Q${ended}` }
}

/** The manager of a question, by the words of its name; the one of the conversation if none is named. */
async function findManager({ calls, understood, conversation }: Ask): Promise<{ cik: string; name: string }> {
  const requested = understood.ciks[0]
  if (requested !== undefined) return { cik: requested, name: requested }
  for (const each of understood.names.slice(0, 2)) {
    const query = each.split(/\s+/).slice(0, 2).join(' ')
    const reply = await calls.try('list_13f_managers', { q: query }, { signed: false })
    if (!reply.ok) continue
    const rows = itemsOf(reply, '/managers')
    const [first] = rows
    if (rows.length > 1) {
      throw new Refusal('ambiguous', 'several managers fit', {
        parts: t`Several managers fit: ${joined(
          rows.slice(0, 6).map(row => must(reply, `${row}/manager`, name)),
          '; ',
        )}.`.parts,
        candidates: rows.slice(0, 6).map(row => ({
          kind: 'manager',
          symbol: null,
          cik: valueAt(reply, `${row}/cik`),
          name: valueAt(reply, `${row}/manager`) ?? '',
          exchange: null,
          question: understood.question.replace(each, valueAt(reply, `${row}/manager`) ?? each),
        })),
      })
    }
    if (first !== undefined) return { cik: valueAt(reply, `${first}/cik`) ?? '', name: valueAt(reply, `${first}/manager`) ?? '' }
  }
  const subject = conversation?.subject
  if (subject?.kind === 'manager' && subject.cik !== null) return { cik: subject.cik, name: subject.name ?? '' }
  const unknown = understood.names[0]
  throw unknown === undefined
    ? new Refusal('no_subject', 'the question names no manager', { parts: words('Please name the manager whose Form 13F is meant.').parts })
    : new Refusal('unknown_subject', `no 13F manager "${unknown}" is held`, {
        parts: t`No manager called ${given(unknown, name)} is among the 13F filings that are held.`.parts,
      })
}

export const manager: TopicAnswer = async ask => {
  const { calls, writer } = ask
  const found = await findManager(ask)
  const result = await calls.get('get_13f_manager', { cik: found.cik, ...quarterOf(ask) })
  const subject = { ...emptySubject, kind: 'manager' as const, cik: found.cik, name: found.name }
  const rows = [...itemsOf(result, '/holdings')].sort((a, b) =>
    compareDecimals(valueAt(result, `${b}/value_usd`) ?? '0', valueAt(result, `${a}/value_usd`) ?? '0'),
  )
  const who = read(result, '/manager', name) ?? given(found.name, name)
  if (rows.length === 0) {
    writer.say(
      t`No holdings of ${who} for ${read(result, '/quarter', name) ?? words('the newest quarter')} are held. ${read(result, '/coverage/note', quoted) ?? words('')}`,
      writer.cite(result),
    )
    return { subject }
  }
  const total = read(result, '/totals/value_usd', { as: 'number', unit: 'USD' })
  writer.say(
    t`${who} reported ${countedOf(must(result, '/holdings_count'), 'holding')} for ${must(result, '/quarter', name)}${total === null ? t`` : t`, worth ${total}`}.`,
    writer.cite(result),
  )
  tableOf(writer, result, rows.slice(0, 12), {
    Issuer: ['issuer_name', name],
    Symbol: ['symbol', name],
    Class: ['class_title', name],
    Shares: 'shares',
    'Value, USD': 'value_usd',
  })
  return { subject }
}

export const managerChanges: TopicAnswer = async ask => {
  const { calls, writer } = ask
  const found = await findManager(ask)
  const result = await calls.get('get_13f_changes', { cik: found.cik, ...quarterOf(ask) })
  const subject = { ...emptySubject, kind: 'manager' as const, cik: found.cik, name: found.name }
  const who = read(result, '/manager', name) ?? given(found.name, name)
  if (valueAt(result, '/status') !== 'compared') {
    writer.say(t`The quarters of ${who} could not be compared. ${read(result, '/coverage/note', quoted) ?? words('')}`, writer.cite(result))
    return { subject }
  }
  const count = (kind: string): Figure => must(result, `/counts/${kind}`)
  writer.say(
    t`${who}, ${must(result, '/quarter', name)} against ${must(result, '/quarter_before', name)}: ${countedOf(count('new'), 'new position')}, ${count('added')} added to, ${count('reduced')} reduced, ${count('sold_out')} sold out, ${count('unchanged')} unchanged.`,
    writer.cite(result),
  )
  const rows = itemsOf(result, '/changes').filter(row => valueAt(result, `${row}/change`) !== 'unchanged')
  if (rows.length > 0)
    tableOf(writer, result, rows.slice(0, 12), {
      Change: ['change', word],
      Issuer: ['issuer_name', name],
      Symbol: ['symbol', name],
      'Shares before': 'shares_before',
      Shares: 'shares',
      'Change of shares': ['shares_change_pct', signedPercent],
    })
  return { subject }
}

export const managers: TopicAnswer = async ({ calls, writer }) => {
  const result = await calls.get('list_13f_managers', {})
  writer.say(
    t`${countedOf(must(result, '/count'), 'manager')} with Form 13F filings ${words(valueAt(result, '/count') === '1' ? 'is' : 'are')} held:`,
    writer.cite(result),
  )
  tableOf(writer, result, itemsOf(result, '/managers', 20), {
    Manager: ['manager', name],
    'Last quarter': ['last_quarter', name],
    Holdings: 'holdings_count',
    'Value, USD': 'value_usd',
  })
  return { subject: { ...emptySubject } }
}

const schedules =
  (operation: 'list_activist_13d' | 'list_passive_13g', what: string): TopicAnswer =>
  async ask => {
    const { calls, understood, conversation, writer } = ask
    const named =
      understood.symbols.length > 0 ||
      understood.located.length > 0 ||
      understood.names.some(each => /^\p{Lu}/u.test(each)) ||
      (understood.pronoun && conversation?.subject?.kind === 'listing') ||
      understood.carried
    const [company] = named ? await findCompanies(calls, understood, conversation, 'issuer') : []
    const result = await calls.get(operation, company === undefined ? {} : { ticker: company.line.symbol })
    const rows = itemsOf(result, '/filings')
    const window = t`from ${must(result, '/window_from', date)} to ${must(result, '/window_to', date)}`
    const of = company === undefined ? t`` : t` on ${labelOf(company.line)}`
    if (rows.length === 0) writer.say(t`No ${words(what)}${of} was filed in the days ${window} that are held.`, writer.cite(result))
    else {
      writer.say(t`${countedOf(must(result, '/count'), 'filing')} of ${words(what)}${of} in the days ${window}:`)
      tableOf(writer, result, rows.slice(0, 12), {
        Filed: ['filed_date', date],
        Form: ['form', name],
        Issuer: ['issuer_name', name],
        Holder: ['aggregate_of', name],
        Shares: 'aggregate',
        Percent: ['percent', rounded(2, '%')],
        Source: row => writer.cite(result, { only: [valueAt(result, `${row}/accession`)] }),
      })
      const purpose = rows.flatMap(row => read(result, `${row}/purpose_excerpt`, quoted) ?? [])[0]
      if (purpose !== undefined) writer.say(t`Purpose as the filing states it: “${purpose}”`)
    }
    return { subject: company === undefined ? { ...emptySubject } : subjectOf(company) }
  }
export const activists = schedules('list_activist_13d', 'Schedule 13D')
export const passive = schedules('list_passive_13g', 'Schedule 13G')
