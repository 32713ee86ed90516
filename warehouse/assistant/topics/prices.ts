// Prices: the latest quote, a day or a period of daily bars, what was known around a move, the worth of a number of shares.
import { addDays } from '#schemas/days.ts'
import type { Result } from '../calls.ts'
import {
  countOf,
  date,
  extreme,
  type Figure,
  given,
  growth,
  instant,
  isNegative,
  isZero,
  money,
  must,
  name,
  plain,
  product,
  quoted,
  ratio,
  read,
  rounded,
  type Style,
  signedPercent,
  word,
} from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { emptySubject, findCompanies, findCompany, type Line, labelOf, subjectOf } from '../subjects.ts'
import { type Prose, t, words } from '../writer.ts'
import { itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

const shareLines = (lines: readonly Line[]): readonly Line[] => {
  const common = lines.filter(each => !['preferred', 'warrant', 'right', 'note'].includes(each.type))
  return common.length > 0 ? common : lines
}

export const price: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  // A past day is answered from daily bars, today from the quote.
  if (understood.period !== null && understood.period.kind !== 'ahead' && !(understood.period.kind === 'day' && understood.period.from === ask.today))
    return await history(ask)
  const companies = await findCompanies(calls, understood, conversation, 'issuer')
  if (companies.length === 0) await findCompany(calls, understood, conversation, 'line')
  const lines = [
    ...new Map(
      companies.flatMap(company => (understood.otherLine === null ? shareLines(company.lines) : [company.line])).map(line => [line.symbol, line]),
    ).values(),
  ].slice(0, 6)
  const result = await calls.get('get_quotes', { symbols: lines.map(each => each.symbol).join(',') })
  const sentences: Prose[] = []
  for (const pointer of itemsOf(result, '/quotes')) {
    const line = lines.find(each => each.symbol === valueAt(result, `${pointer}/symbol`))
    if (line !== undefined) sentences.push(quoteSentence(result, pointer, line))
  }
  if (sentences.length > 0) {
    for (const sentence of sentences) writer.say(sentence)
    writer.say(t`Quotes are delayed.`, writer.cite(result))
  }
  const priced = new Set(
    itemsOf(result, '/quotes')
      .filter(each => valueAt(result, `${each}/price`) !== null)
      .map(each => valueAt(result, `${each}/symbol`)),
  )
  const missing = lines.filter(each => !priced.has(each.symbol))
  for (const line of missing.slice(0, 2)) await lastClose(ask, line)
  const wanted = currencyWanted(understood.question)
  for (const pointer of wanted === null ? [] : itemsOf(result, '/quotes')) {
    const own = valueAt(result, `${pointer}/currency`)
    const last = read(result, `${pointer}/price`, money(own))
    if (wanted !== null && last !== null && own !== null && own !== wanted)
      await inCurrency(ask, last, own, wanted, must(result, `${pointer}/symbol`, name))
  }
  const first = companies[0]
  return { subject: first === undefined ? null : subjectOf({ ...first, line: homeOf(lines, first.line) }) }
}
/** The currency in which a question wants an amount. */
export function currencyWanted(question: string): 'CAD' | 'USD' | null {
  const found =
    /\b(?:in|into|to)\s+(cad|canadian(?:\s+dollars?)?|loonies|usd|us\$|(?:us|u\.s\.|american)\s+dollars?|us\s+funds|greenbacks?)(?![\w$])/i.exec(
      question,
    )
  return found === null ? null : /^(?:cad|canad|loon)/i.test(found[1] ?? '') ? 'CAD' : 'USD'
}
const homeOf = (lines: readonly Line[], fallback: Line): Line => lines.find(each => /\.(TO|V)$/.test(each.symbol)) ?? fallback

function quoteSentence(result: Result, pointer: string, line: Line): Prose {
  const style = money(valueAt(result, `${pointer}/currency`))
  const last = read(result, `${pointer}/price`, style)
  if (last === null) return t`No price of ${labelOf(line)} is held.`
  const [before, change, pct, bid, requested] = [
    read(result, `${pointer}/previous_close`, style),
    read(result, `${pointer}/change`, { ...plain, sign: true }),
    read(result, `${pointer}/change_pct`, signedPercent),
    read(result, `${pointer}/bid`, style),
    read(result, `${pointer}/ask`, style),
  ]
  const moved = before === null || change === null || pct === null ? t`` : t`, ${change} (${pct}) against the close before of ${before}`
  const book = bid === null || requested === null ? t`` : t` Bid ${bid}, ask ${requested}.`
  return t`${labelOf(line)}: ${last} at ${must(result, `${pointer}/quoted_at`, instant)}${moved}.${book}`
}

async function lastClose({ calls, writer, today }: Parameters<TopicAnswer>[0], line: Line): Promise<void> {
  const result = await calls.get('get_eod', { symbol: line.symbol, from: addDays(today, -30), to: today })
  const bar = itemsOf(result, '/bars').at(-1)
  if (bar === undefined) writer.say(t`No price of ${labelOf(line)} is held.`)
  else
    writer.say(
      t`${labelOf(line)} closed at ${must(result, `${bar}/close`, money(valueAt(result, '/currency')))} on ${must(result, `${bar}/date`, date)}. No quote of it is held.`,
      writer.cite(result),
    )
}

/** Sessions before a day that are searched for its bar: the longest closures of an exchange are shorter. */
const lookBackDays = 10

export const history: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer, today } = ask
  const companies = await findCompanies(calls, understood, conversation, 'line')
  if (companies.length === 0) await findCompany(calls, understood, conversation, 'line')
  const period = understood.period ?? (understood.carried ? (conversation?.period ?? null) : null)
  if (period?.from !== null && period?.from !== undefined && period.from > today)
    throw new Refusal('forecast', 'the period lies in the future: no price is held, and none is predicted', {
      parts: words('That day lies in the future: no price of it is held, and none is predicted.').parts,
    })
  if (/\b(?:average|mean|median)\b/i.test(understood.question))
    throw new Refusal('not_understood', 'no average of prices over a period is computed', {
      parts: words(
        'No average of prices over a period is computed here. I can show the closes of a period, its highest and lowest, or a moving average.',
      ).parts,
    })
  for (const { line } of companies.slice(0, 3)) {
    const single = period !== null && period.from !== null && period.from === period.to
    const from = period?.from ?? addDays(today, -lookBackDays)
    const span = { symbol: line.symbol, from: addDays(from, -lookBackDays), to: period?.to ?? today }
    const traded = await calls.get('get_eod', span)
    // Across a split, prices as traded count different shares: a range is read adjusted for splits.
    const adjusted = !single && period !== null && mayHaveSplit(traded) ? await calls.get('get_eod', { ...span, adjust: 'split' }) : traded
    const ranged = valueAt(adjusted, '/bars/0/close') !== valueAt(traded, '/bars/0/close')
    const result = ranged ? adjusted : traded
    const bars = itemsOf(result, '/bars', 100_000)
    if (bars.length === 0) {
      writer.say(t`No daily bars of ${labelOf(line)} are held for this period. ${coverage(result)}`)
      continue
    }
    if (single) sayDay(ask, result, line, bars, from)
    else if (period === null) sayLast(ask, result, line, bars)
    else sayRange(ask, result, line, bars, from, ranged)
  }
  return { subject: companies[0] === undefined ? null : subjectOf(companies[0]) }
}
const coverage = (result: Result): Prose => {
  const sentence = read(result, '/coverage/sentence', quoted)
  return sentence === null ? t`` : t`${sentence}`
}
/** Whether close and adjusted close of a series diverge within one session by more than most dividends cause. */
function mayHaveSplit(result: Result): boolean {
  let before: number | null = null
  for (const bar of itemsOf(result, '/bars', 100_000)) {
    const factor = Number(valueAt(result, `${bar}/adjusted_close`)) / Number(valueAt(result, `${bar}/close`))
    if (before !== null && Number.isFinite(factor) && (factor / before > 1.15 || factor / before < 0.87)) return true
    if (Number.isFinite(factor)) before = factor
  }
  return false
}
const dateOf = (result: Result, bar: string): string => valueAt(result, `${bar}/date`) ?? ''

function sayDay({ writer, understood }: Parameters<TopicAnswer>[0], result: Result, line: Line, bars: readonly string[], day: string): void {
  const index = bars.findLastIndex(bar => dateOf(result, bar) <= day)
  const bar = bars[index]
  if (bar === undefined) {
    writer.say(t`No daily bar of ${labelOf(line)} is held for ${given(day, date)} or the days before it.`)
    return
  }
  const style = money(valueAt(result, '/currency'))
  const adjusted = /\badjust/i.test(understood.question) ? read(result, `${bar}/adjusted_close`, style) : null
  const own = dateOf(result, bar) === day ? t`` : t`There was no session on ${given(day, date)} that is held; the one before it is shown. `
  const close = must(result, `${bar}/close`, style)
  const [open, high, low, volume] = ['open', 'high', 'low', 'volume'].map(field =>
    read(result, `${bar}/${field}`, field === 'volume' ? plain : style),
  )
  const day_ = must(result, `${bar}/date`, date)
  const rest = open && high && low ? t` Open ${open}, high ${high}, low ${low}` : t``
  const traded = volume ? t`, volume ${volume} shares.` : t`.`
  const prior = bars[index - 1]
  const moved = prior === undefined ? null : growth(must(result, `${prior}/adjusted_close`, style), must(result, `${bar}/adjusted_close`, style))
  const before =
    prior === undefined || moved === null
      ? t``
      : t` Against the session before (${must(result, `${prior}/date`, date)}) it is a change of ${moved}, adjusted for dividends and splits.`
  const restated = adjusted === null ? t`` : t` Its close adjusted for later splits and dividends is ${adjusted}.`
  writer.say(
    t`${own}${labelOf(line)} closed at ${close}${adjusted === null ? t`` : t`, as traded,`} on ${day_}.${restated}${rest}${open && high && low ? traded : t``}${before}`,
    writer.cite(result),
  )
}

function sayLast({ writer }: Parameters<TopicAnswer>[0], result: Result, line: Line, bars: readonly string[]): void {
  const shown = bars.slice(-5)
  const last = shown.at(-1) as string
  const style = money(valueAt(result, '/currency'))
  writer.say(
    t`${labelOf(line)} last closed at ${must(result, `${last}/close`, style)} on ${must(result, `${last}/date`, date)}.`,
    writer.cite(result),
  )
  tableOf(writer, result, shown, {
    Session: ['date', date],
    Close: ['close', style],
    'Adjusted close': ['adjusted_close', { ...style, places: 4 } as Style],
    Volume: 'volume',
  })
}

function sayRange({ writer }: Parameters<TopicAnswer>[0], result: Result, line: Line, bars: readonly string[], from: string, split: boolean): void {
  const inside = bars.filter(bar => dateOf(result, bar) >= from)
  const style = money(valueAt(result, '/currency'))
  const [first, last] = [inside[0], inside.at(-1)]
  if (first === undefined || last === undefined) {
    writer.say(t`No daily bars of ${labelOf(line)} are held for this period.`)
    return
  }
  // A period's return counts from the close before it; if none is stored, from its first close.
  const base = bars[bars.indexOf(first) - 1] ?? first
  const [before, after] = [must(result, `${base}/adjusted_close`, style), must(result, `${last}/adjusted_close`, style)]
  const moved = growth(before, after)
  const closes = inside.map(bar => ({ bar, figure: must(result, `${bar}/close`, style) }))
  const [high, low] = [
    extreme(
      closes.map(each => each.figure),
      1,
    ),
    extreme(
      closes.map(each => each.figure),
      -1,
    ),
  ]
  const dayOfFigure = (figure: Figure): Figure => must(result, `${closes.find(each => each.figure === figure)?.bar ?? last}/date`, date)
  const verb = moved === null || isZero(moved) ? t`did not change` : isNegative(moved) ? t`fell: ${moved}` : t`rose: ${moved}`
  writer.say(
    t`${labelOf(line)} ${verb} from ${must(result, `${base}/date`, date)} to ${must(result, `${last}/date`, date)}, with dividends and adjusted for splits.`,
    t`The close went from ${must(result, `${base}/close`, style)} to ${must(result, `${last}/close`, style)}, ${words(split ? 'adjusted for the split that lies in between' : 'as traded')}.`,
    t`The highest close was ${high} on ${dayOfFigure(high)}, the lowest ${low} on ${dayOfFigure(low)}.`,
    writer.cite(result),
  )
}

export const whyMoved: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer, today } = ask
  const company = await findCompany(calls, understood, conversation, 'line')
  const { line } = company
  const period = understood.period ?? (understood.carried ? (conversation?.period ?? null) : null)
  const to = period?.to !== null && period?.to !== undefined && period.to < today ? period.to : today
  const bars = await calls.get('get_eod', { symbol: line.symbol, from: addDays(period?.from ?? to, -lookBackDays), to })
  const all = itemsOf(bars, '/bars', 100_000)
  const last = all.at(-1)
  if (last === undefined) throw new Refusal('no_data', `no daily bars of ${line.symbol} are held`)
  const single = period === null || period.from === period.to
  const base = single ? all.at(-2) : (all.findLast(bar => dateOf(bars, bar) < (period?.from ?? '')) ?? all[0])
  const style = money(valueAt(bars, '/currency'))
  const moved = base === undefined ? null : growth(must(bars, `${base}/adjusted_close`, style), must(bars, `${last}/adjusted_close`, style))
  const day = must(bars, `${last}/date`, date)
  if (base === undefined || moved === null)
    writer.say(
      t`${labelOf(line)} closed at ${must(bars, `${last}/close`, style)} on ${day}; no earlier close is held to compare it with.`,
      writer.cite(bars),
    )
  else
    writer.say(
      t`${labelOf(line)} closed at ${must(bars, `${last}/close`, style)} on ${day}, against ${must(bars, `${base}/close`, style)} on ${must(bars, `${base}/date`, date)}: ${moved}, with dividends and adjusted for splits.`,
      writer.cite(bars),
    )
  const windowFrom = addDays(base === undefined ? dateOf(bars, last) : dateOf(bars, base), single ? -2 : 0)
  const [filings, actions] = await Promise.all([
    calls.try('search_filings', { ticker: line.symbol, from: windowFrom, to: dateOf(bars, last), limit: 20 }),
    calls.try('list_corporate_actions', { symbol: line.symbol, from: windowFrom, to: addDays(dateOf(bars, last), 1) }),
  ])
  const items: Prose[] = []
  if (filings.ok) {
    for (const row of itemsOf(filings, '/filings', 8)) {
      items.push(
        t`${must(filings, `${row}/filed_date`, date)}: ${must(filings, `${row}/form`, name)}, ${must(filings, `${row}/form_title`, quoted)} ${writer.cite(filings, { only: [valueAt(filings, `${row}/accession`)] })}`,
      )
    }
  }
  if (actions.ok) {
    for (const row of itemsOf(actions, '/actions', 4)) {
      const amount = read(actions, `${row}/amount`, money(valueAt(actions, `${row}/currency`)))
      items.push(
        t`${must(actions, `${row}/ex_date`, date)}: ${must(actions, `${row}/kind`, word)} goes ex${amount === null ? t`` : t`, ${amount} a share`}`,
      )
    }
  }
  if (items.length === 0) writer.say(t`No filing and no corporate action of the issuer is held between ${given(windowFrom, date)} and ${day}.`)
  else {
    writer.say(words('Public in the days up to that close, by the time at which it became known:'))
    writer.list(items)
  }
  writer.say(words('This lists what was known. It does not say why the price moved: no data here can show a reason.'))
  return { subject: subjectOf(company) }
}

export const worth: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const count = understood.shares ?? conversation?.inputs['shares'] ?? null
  if (count === null && understood.money.length > 0) return await convert(ask)
  const company = await findCompany(calls, understood, conversation, 'line')
  const result = await calls.get('get_quotes', { symbols: company.line.symbol })
  const currency = valueAt(result, '/quotes/0/currency')
  const last = read(result, '/quotes/0/price', money(currency))
  if (last === null) throw new Refusal('no_data', `no price of ${company.line.symbol} is held`)
  if (count === null) return await price(ask)
  const shares = given(count, plain)
  const total = product(shares, last, money(currency))
  writer.say(
    t`${shares} shares of ${labelOf(company.line)} at ${last} (${must(result, '/quotes/0/quoted_at', instant)}) come to ${total}, before any cost of trading.`,
    writer.cite(result),
  )
  const other = currencyWanted(understood.question)
  if (other !== null && currency !== null && other !== currency) await inCurrency(ask, total, currency, other)
  return { subject: subjectOf(company), inputs: { shares: count } }
}

/** States an amount in the other currency, at the newest rate of the Bank of Canada. `symbol`: whose amount it is, if several are stated. */
export async function inCurrency(
  { calls, writer }: Parameters<TopicAnswer>[0],
  total: Figure,
  from: string,
  to: string,
  symbol: Figure | null = null,
): Promise<void> {
  const fx = await calls.get('get_macro_series', { country: 'CA', indicator: 'usd_cad', order: 'desc', limit: 1 })
  const rate = read(fx, '/observations/0/value', rounded(6, 'CAD per USD'))
  if (rate === null) return
  if (!(from === 'USD' && to === 'CAD') && !(from === 'CAD' && to === 'USD')) return
  const converted = from === 'USD' ? product(total, rate, money(to, 2)) : ratio(total, rate, money(to, 2))
  const what = symbol === null ? t`That` : t`${symbol} at ${total}`
  if (converted !== null) writer.say(t`${what} is ${converted} at ${rate} of ${must(fx, '/observations/0/date', date)}.`, writer.cite(fx))
}
const convert: TopicAnswer = async ask => {
  const [sum] = ask.understood.money
  const lower = ask.understood.question.toLowerCase()
  const to = /\b(?:in|into|to) (?:cad|canadian)/.test(lower) ? 'CAD' : 'USD'
  const from = sum?.currency ?? (to === 'CAD' ? 'USD' : 'CAD')
  const total = given(sum?.value ?? '0', money(from))
  ask.writer.say(t`The sum is ${total}.`)
  await inCurrency(ask, total, from, to)
  return { subject: { ...emptySubject, kind: 'series', country: 'CA', indicator: 'usd_cad' } }
}

export const intraday: TopicAnswer = async ({ calls, understood, conversation, writer, today }) => {
  const company = await findCompany(calls, understood, conversation, 'line')
  const day = understood.period?.from ?? null
  const interval = /\b(?:1|one)[- ]minute/i.test(understood.question)
    ? '1m'
    : /\b(?:15|fifteen)[- ]minute/i.test(understood.question)
      ? '15m'
      : /\bhour/i.test(understood.question)
        ? '1h'
        : '5m'
  const result = await calls.get('get_intraday', {
    symbol: company.line.symbol,
    interval,
    limit: 1000,
    ...(day === null || day > today ? {} : { from: day, to: understood.period?.to ?? day }),
  })
  const bars = itemsOf(result, '/bars')
  const [first, last] = [bars[0], bars.at(-1)]
  if (first === undefined || last === undefined) {
    writer.say(t`No bars of ${labelOf(company.line)} within a day are held for this period. ${coverage(result)}`)
    return { subject: subjectOf(company) }
  }
  const style = money(valueAt(result, '/currency'))
  const highs = bars.map(bar => must(result, `${bar}/high`, style))
  const lows = bars.map(bar => must(result, `${bar}/low`, style))
  writer.say(
    t`${countOf(bars.map(bar => must(result, `${bar}/start_at`, instant)))} bars of ${must(result, '/interval', name)} of ${labelOf(company.line)}, from ${must(result, `${first}/start_at`, instant)} to ${must(result, `${last}/start_at`, instant)}:`,
    t`open ${must(result, `${first}/open`, style)}, high ${extreme(highs, 1)}, low ${extreme(lows, -1)}, last ${must(result, `${last}/close`, style)}.`,
    writer.cite(result),
  )
  return { subject: subjectOf(company) }
}

export const revisions: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'line')
  const result = await calls.get('list_eod_revisions', { symbol: company.line.symbol, limit: 20 })
  const rows = itemsOf(result, '/revisions')
  if (rows.length === 0)
    writer.say(t`The adjusted closes of ${labelOf(company.line)} were not restated since they were first held. ${coverage(result)}`)
  else {
    writer.say(t`The adjusted closes of ${labelOf(company.line)} were restated ${must(result, '/count')} times.`, writer.cite(result))
    tableOf(writer, result, rows.slice(0, 10), {
      'Ex-date': ['ex_date', date],
      Reason: ['reason', word],
      'Price factor': ['price_factor', rounded(6)],
      'Bars restated': 'bars_restated',
      'Known from': ['known_from', date],
    })
  }
  return { subject: subjectOf(company) }
}
