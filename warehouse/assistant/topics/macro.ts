// Macro series, the calendar of economic releases, and the calendar and terms of offerings.
import { addDays, addMonths } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import type { Result } from '../calls.ts'
import { countAt, date, type Figure, given, growth, instant, money, must, name, plain, quoted, read, rounded, word } from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { emptySubject, findCompanies, findCompany } from '../subjects.ts'
import { joined, type Prose, t, words } from '../writer.ts'
import { type Ask, type Continuation, itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

const periodOf = ({ understood, conversation }: Ask) => understood.period ?? (understood.carried ? (conversation?.period ?? null) : null)

const institutions: readonly { readonly country: string; readonly words: RegExp }[] = [
  { country: 'CA', words: /\b(?:bank of canada|boc|statistics canada|statcan)\b/i },
  { country: 'US', words: /\b(?:fed|fomc|federal reserve|bls|bureau of labor)\b/i },
]
export const macro: TopicAnswer = async ask => {
  const { understood, conversation } = ask
  const subject = conversation?.subject
  const indicators =
    understood.indicators.length > 0
      ? understood.indicators.slice(0, 2)
      : subject?.kind === 'series' && subject.indicator !== null
        ? [subject.indicator]
        : []
  const carriedCountry = understood.countries.length === 0 && subject?.kind === 'series' ? subject.country : null
  const named =
    understood.countries.length > 0
      ? understood.countries
      : institutions.flatMap(each => (each.words.test(understood.question) ? [each.country] : []))
  if (indicators.length === 0) return await countryOverview(ask, understood.countries[0] ?? subject?.country ?? null)
  const fx = indicators[0] === 'usd_cad'
  const countries = fx ? ['CA'] : named.length > 0 ? named.slice(0, 2) : carriedCountry !== null ? [carriedCountry] : ['CA', 'US']
  for (const indicator of indicators) for (const country of countries) await series(ask, country, indicator)
  return {
    subject: { ...emptySubject, kind: 'series', country: countries.length === 1 ? (countries[0] ?? null) : null, indicator: indicators[0] ?? null },
  }
}

/** Observations of a year and a month back: enough for a change over a year. */
const back: Readonly<Record<string, number>> = { monthly: 13, quarterly: 5, annual: 2, daily: 2, weekly: 53 }

async function series(ask: Ask, country: string, indicator: string): Promise<void> {
  const { calls, writer } = ask
  const period = periodOf(ask)
  const ranged = period !== null && period.from !== null
  const single = ranged && period.from === period.to
  const from = ranged ? (single ? addDays(period.from ?? '', -40) : addMonths(period.from ?? '', -12)) : undefined
  const result = await calls.get('get_macro_series', {
    country,
    indicator,
    order: 'desc',
    limit: 1000,
    ...(from === undefined ? {} : { from }),
    ...(period?.to ? { to: period.to } : {}),
  })
  const title = t`${must(result, '/title', name)}, ${must(result, '/name', name)}`
  const all = itemsOf(result, '/observations')
  const inside = ranged && !single ? all.filter(row => (valueAt(result, `${row}/date`) ?? '') >= (period.from ?? '')) : all
  const latest = inside[0]
  if (latest === undefined) {
    writer.say(
      t`${title}: no observation ${ranged ? words('of this period ') : t``}is held. ${must(result, '/coverage/sentence', quoted)}.`,
      writer.cite(result),
    )
    return
  }
  const frequency = valueAt(result, '/frequency') ?? ''
  const figure = (row: string): Figure | null => read(result, `${row}/value`)
  const value = figure(latest)
  const unit = must(result, '/unit', word)
  // The same month or quarter of the year before; if the source omits it, no other one is used.
  const wanted = addMonths(valueAt(result, `${latest}/date`) ?? '', -12)
  const yearBefore = all.find(row => valueAt(result, `${row}/date`) === wanted)
  const prior = all[all.indexOf(latest) + 1]
  const sentences: Prose[] = [
    t`${title}: ${value ?? words('no figure')} (${unit}) for ${must(result, `${latest}/date`, date)}${frequency === '' ? t`` : t`, ${must(result, '/frequency', word)}`}.`,
  ]
  if (prior !== undefined && figure(prior) !== null && !ranged)
    sentences.push(t`The observation before it was ${figure(prior) as Figure} (${must(result, `${prior}/date`, date)}).`)
  const isLevel = !/percent|CAD per USD/.test(valueAt(result, '/unit') ?? '')
  const before = yearBefore === undefined ? null : figure(yearBefore)
  const isMissing = yearBefore === undefined && isLevel && !ranged && (frequency === 'monthly' || frequency === 'quarterly') && all.length > 12
  const change = isLevel && value !== null && before !== null && back[frequency] !== undefined && frequency !== 'daily' ? growth(before, value) : null
  if (change !== null && yearBefore !== undefined)
    sentences.push(t`Against ${must(result, `${yearBefore}/date`, date)} (${before as Figure}) it is a change of ${change}.`)
  if (isMissing) sentences.push(t`No observation of a year before (${given(wanted, date)}) is held, so no change over a year is stated.`)
  if (ranged && !single) {
    const first = inside.at(-1)
    if (first !== undefined && first !== latest && figure(first) !== null)
      sentences.push(
        t`The first observation of the period is ${figure(first) as Figure} (${must(result, `${first}/date`, date)}), of ${countAt(result, '/observations')} that were read.`,
      )
  }
  writer.say(...sentences, writer.cite(result))
  if (ranged && !single && inside.length > 1 && inside.length <= 13)
    tableOf(writer, result, inside, { Date: ['date', date], Value: row => figure(row) })
}

async function countryOverview({ calls, writer }: Ask, country: string | null): Promise<Continuation> {
  if (country === null)
    throw new Refusal('incomplete', 'neither a country nor an indicator is named', {
      parts: words('Please name a country and an indicator, such as the unemployment rate of Canada.').parts,
    })
  const result = await calls.get('get_macro_country', { country })
  const rows = itemsOf(result, '/indicators').filter(row => valueAt(result, `${row}/latest/value`) !== null)
  if (rows.length === 0)
    writer.say(t`No indicator of ${must(result, '/name', name)} has observations here. ${must(result, '/coverage/sentence', quoted)}.`)
  else {
    writer.say(t`${must(result, '/with_data')} indicators of ${must(result, '/name', name)} have observations:`, writer.cite(result))
    tableOf(writer, result, rows.slice(0, 15), {
      Indicator: ['title', name],
      Unit: ['unit', word],
      Latest: 'latest/value',
      Date: ['latest/date', date],
    })
  }
  return { subject: { ...emptySubject, kind: 'country', country } }
}

/** Titles of releases that contain an indicator. */
const releases: Readonly<Record<string, RegExp>> = {
  cpi: /consumer price/i,
  unemployment_rate: /employment situation|labour force/i,
  employment: /employment situation|labour force/i,
  policy_rate: /interest rate announcement|rate decision/i,
  gdp: /gross domestic|gdp/i,
  retail_sales: /retail/i,
}
function releaseWanted({ understood }: Ask): RegExp | null {
  const { question, indicators } = understood
  if (/\bfomc\b|\bfed\b|federal reserve/i.test(question)) return /fomc/i
  if (/bank of canada|\bboc\b/i.test(question)) return /interest rate announcement/i
  if (/\brate (?:decision|announcement|meeting)/i.test(question)) return releases['policy_rate'] as RegExp
  if (/\bjobs?\b|payrolls?|labou?r force/i.test(question)) return releases['employment'] as RegExp
  return indicators.flatMap(each => releases[each] ?? [])[0] ?? null
}

export const economicCalendar: TopicAnswer = async ask => {
  const { calls, understood, writer, today } = ask
  const period = periodOf(ask)
  const from = period?.from ?? today
  const country = understood.countries.find(each => each === 'CA' || each === 'US')
  const result = await calls.get('list_economic_events', {
    from,
    to: period?.to ?? addDays(from, 62),
    ...(country === undefined ? {} : { country }),
    limit: 100,
  })
  const wanted = releaseWanted(ask)
  const all = itemsOf(result, '/events')
  const rows = wanted === null ? all : all.filter(row => wanted.test(valueAt(result, `${row}/title`) ?? ''))
  if (rows.length === 0)
    writer.say(
      t`No such release from ${must(result, '/from', date)} to ${must(result, '/to', date)} is in the schedules that are held.`,
      writer.cite(result),
    )
  else if (wanted !== null && period === null) {
    for (const row of rows.slice(0, 2)) {
      const [scheduled, covers, previous] = [
        read(result, `${row}/scheduled_at`, instant),
        read(result, `${row}/period`, name),
        read(result, `${row}/previous`),
      ]
      writer.say(
        t`${must(result, `${row}/title`, name)} (${must(result, `${row}/agency`, name)}): ${scheduled ?? must(result, `${row}/date`, date)}${covers === null ? t`` : t`, for ${covers}`}${previous === null ? t`` : t`; the figure before it is ${previous}`}.`,
        writer.cite(result),
      )
    }
  } else {
    writer.say(t`Releases from ${must(result, '/from', date)} to ${must(result, '/to', date)}:`, writer.cite(result))
    tableOf(writer, result, rows.slice(0, 15), {
      Date: ['date', date],
      Country: ['country', name],
      Release: ['title', name],
      For: ['period', name],
      Previous: 'previous',
      Actual: 'actual',
    })
  }
  return { subject: { ...emptySubject } }
}

/** States of an offering by the words of questions. */
const statuses: readonly { readonly status: string; readonly words: RegExp }[] = [
  { status: 'withdrawn', words: /\b(?:withdr[ae]wn?|pulled|scrapped|cancell?ed|called off|shelved|abandoned)\b/i },
  { status: 'postponed', words: /\b(?:postponed|delayed|put off|deferred)\b/i },
  { status: 'priced', words: /\bpriced\b/i },
  { status: 'listed', words: /\blisted\b/i },
  { status: 'filed', words: /\bfiled\b/i },
]

export const ipoCalendar: TopicAnswer = async ask => {
  const { calls, understood, writer, today } = ask
  const period = periodOf(ask)
  const status = statuses.find(each => each.words.test(understood.question))?.status
  const upcoming = /\b(?:upcoming|coming|next|planned|expected|scheduled)\b/i.test(understood.question)
  const from = period?.from ?? (upcoming ? today : addDays(today, -30))
  const result = await calls.get('list_ipo_calendar', {
    from,
    to: period?.to ?? addDays(today, 31),
    ...(status === undefined ? {} : { status }),
    limit: 50,
  })
  const rows = itemsOf(result, '/ipos')
  const span = t`from ${must(result, '/from', date)} to ${must(result, '/to', date)}`
  if (rows.length === 0) writer.say(t`No such offering ${span} is held.`, writer.cite(result))
  else {
    writer.say(t`${countAt(result, '/ipos')} offerings and new listings ${span}:`, writer.cite(result))
    writer.table(
      ['Date', 'Company', 'Symbol', 'Status', 'Price', 'Range low', 'Range high', 'Shares'],
      rows.slice(0, 15).map(row => {
        const currency = valueAt(result, `${row}/currency`)
        return [
          read(result, `${row}/date`, date),
          read(result, `${row}/company`, name),
          read(result, `${row}/symbol`, name) ?? read(result, `${row}/proposed_symbol`, name),
          read(result, `${row}/status`, word),
          read(result, `${row}/price`, money(currency)),
          read(result, `${row}/price_low`, money(currency)),
          read(result, `${row}/price_high`, money(currency)),
          read(result, `${row}/shares`),
        ]
      }),
    )
  }
  return { subject: { ...emptySubject } }
}

/** The ticker of an offering: of a listing, a proposed symbol, or of a deal whose company the question names. */
async function offeringTicker(ask: Ask): Promise<{ ticker: string; name: string | null }> {
  const { calls, understood, conversation, today } = ask
  const [symbol] = understood.symbols
  if (symbol !== undefined) return { ticker: symbol, name: null }
  if (understood.names.length > 0) {
    const deals = await calls.get('list_ipo_calendar', { from: addDays(today, -300), to: addDays(today, 60), limit: 200 }, { signed: false })
    for (const each of understood.names) {
      const row = itemsOf(deals, '/ipos').find(deal => (valueAt(deals, `${deal}/company`) ?? '').toLowerCase().includes(each.toLowerCase()))
      const ticker = row === undefined ? null : (valueAt(deals, `${row}/proposed_symbol`) ?? valueAt(deals, `${row}/symbol`))
      if (row !== undefined && ticker !== null) return { ticker, name: valueAt(deals, `${row}/company`) }
    }
  }
  const subject = conversation?.subject
  if (understood.names.length === 0 && subject?.symbol) return { ticker: subject.symbol, name: subject.name }
  const [company] = await findCompanies(calls, understood, conversation, 'issuer')
  if (company !== undefined) return { ticker: company.line.symbol, name: company.line.name }
  return { ticker: (await findCompany(calls, understood, conversation, 'issuer')).line.symbol, name: null }
}

export const offering: TopicAnswer = async ask => {
  const { calls, writer } = ask
  const { ticker } = await offeringTicker(ask)
  const reply = await calls.try('get_s1', { ticker })
  if (!reply.ok && reply.status !== 404) throw new Refusal('unavailable', reply.detail)
  if (!reply.ok || valueAt(reply, '/offering') === undefined || valueAt(reply, '/filing/accession') === null) {
    throw new Refusal('no_data', `no registration statement of ${ticker} is held`, {
      parts: t`No registration statement of ${given(ticker, name)} that was read is held.`.parts,
    })
  }
  const result: Result = reply
  const currency = valueAt(result, '/offering/currency')
  const at = (field: string, style = plain): Figure | null => read(result, `/offering/${field}`, style)
  const cost = money(currency)
  const [shares, low, high, price, option, days] = [
    at('shares'),
    at('price_low', cost),
    at('price_high', cost),
    at('price', cost),
    at('overallotment_shares'),
    at('lock_up_days'),
  ]
  const company = read(result, '/company', name) ?? given(ticker, name)
  const facts: Prose[] = [
    ...(shares === null ? [] : [t`${shares} shares are offered`]),
    ...(low === null || high === null ? [] : [t`the range is ${low} to ${high}`]),
    ...(price === null ? [] : [t`the price is ${price} (${read(result, '/offering/price_basis', word) ?? words('as printed')})`]),
    ...(option === null ? [] : [t`the underwriters may take ${option} more`]),
    ...(days === null ? [] : [t`holders are locked up for ${days} days`]),
  ]
  writer.say(
    t`${company}, ${must(result, '/filing/form', name)} filed on ${must(result, '/filing/filed_date', date)}: ${facts.length === 0 ? words('no terms are stated yet') : joined(facts, '; ')}.`,
    writer.cite(result, { only: [valueAt(result, '/filing/accession')] }),
  )
  const final = read(result, '/final_terms/price', cost)
  if (final !== null) writer.say(t`Final terms: ${final} a share.`)
  const firms = itemsOf(result, '/offering/underwriters', 6).map(row => t`${must(result, `${row}/name`, name)}`)
  if (firms.length > 0) writer.say(t`Underwriters: ${joined(firms, ', ')}.`)
  const net = read(result, '/use_of_proceeds/net_proceeds_estimate/amount', cost)
  const uses = itemsOf(result, '/use_of_proceeds/items', 8)
  if (net !== null || uses.length > 0) {
    writer.say(t`Use of proceeds${net === null ? t`` : t` (net estimate ${net})`}:`)
    writer.list(
      uses.map(row => {
        const amount = read(result, `${row}/amount`, cost)
        return t`${must(result, `${row}/purpose`, quoted)}${amount === null ? t`` : t`: ${amount}`}`
      }),
    )
  }
  return { subject: { ...emptySubject, kind: 'listing', symbol: ticker, name: valueAt(result, '/company'), cik: valueAt(result, '/cik') } }
}

export const spread: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const companies = await findCompanies(calls, understood, conversation, 'line')
  const company = companies[0] ?? (await findCompany(calls, understood, conversation, 'line'))
  const table = await calls.get('list_dual_listings', { symbol: company.line.symbol, status: 'current' })
  const [toronto, us] = [valueAt(table, '/pairs/0/tsx_symbol'), valueAt(table, '/pairs/0/us_symbol')]
  if (toronto === null || us === null)
    throw new Refusal('no_data', `${company.line.symbol} has no line on the other side of the border in the table of pairs`, {
      parts: t`${given(company.line.symbol, name)} has no line on the other side of the border in the table of pairs.`.parts,
    })
  const result = await calls.get('get_arb_pair', { toronto_sym: toronto, us_sym: us })
  const [own, foreign, pct] = [
    read(result, '/toronto/price', money(valueAt(result, '/toronto/currency'))),
    read(result, '/us/price', money(valueAt(result, '/us/currency'))),
    read(result, '/spread_pct', rounded(3, '%')),
  ]
  const pair = t`${must(result, '/toronto_symbol', name)} and ${must(result, '/us_symbol', name)}`
  if (own === null || foreign === null || pct === null)
    writer.say(t`No spread of ${pair} can be computed: a price or the rate is missing.`, writer.cite(result))
  else {
    const [inCad, bps, rate, implied] = [
      read(result, '/us_in_cad', money('CAD', 4)),
      read(result, '/spread_bps', rounded(2)),
      read(result, '/fx/rate', rounded(6)),
      read(result, '/fx_implied', rounded(6)),
    ]
    writer.say(
      t`${pair} (${must(result, '/issuer', name)}): ${own} against ${foreign}${inCad === null ? t`` : t`, which is ${inCad}`}${rate === null ? t`` : t` at ${rate} CAD per USD`}.`,
      t`The spread is ${read(result, '/spread_abs', money('CAD', 4)) ?? words('unknown')}, ${pct}${bps === null ? t`` : t` or ${bps} basis points`}${valueAt(result, '/premium_side') === null ? t`` : t`; premium side: ${must(result, '/premium_side', word)}`}.`,
      implied === null ? t`` : t`Both prices together imply ${implied} CAD per USD.`,
      writer.cite(result),
    )
  }
  const reasons = itemsOf(result, '/reasons', 4).map(row => t`${must(result, `${row}/sentence`, quoted)}`)
  writer.say(t`State of the pair: ${must(result, '/status', word)}${reasons.length === 0 ? t`` : t` – ${joined(reasons, '; ')}`}.`)
  return { subject: { ...emptySubject, kind: 'listing', symbol: company.line.symbol, us_symbol: us, name: company.line.name, cik: company.line.cik } }
}

export const pairs: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  if (understood.symbols.length > 0 || understood.names.some(each => /^\p{Lu}/u.test(each)))
    return await otherLine({ calls, understood, conversation, writer } as Ask)
  const result = await calls.get('list_arb_pairs', { limit: 200 })
  const rows = itemsOf(result, '/pairs').filter(row => valueAt(result, `${row}/spread_pct`) !== null)
  writer.say(
    t`${must(result, '/total')} pairs of a Toronto and a United States line are tracked; ${countAt(result, '/pairs')} were read, and of those with both prices:`,
    writer.cite(result),
  )
  const ordered = [...rows].sort(
    (a, b) => Math.abs(Number(valueAt(result, `${b}/spread_pct`))) - Math.abs(Number(valueAt(result, `${a}/spread_pct`))),
  )
  if (ordered.length === 0) writer.say(words('No pair has prices of both lines.'))
  else
    tableOf(writer, result, ordered.slice(0, 12), {
      Toronto: ['toronto_symbol', name],
      'United States': ['us_symbol', name],
      Issuer: ['issuer', name],
      Spread: ['spread_pct', rounded(3, '%')],
      'Premium side': ['premium_side', word],
      State: ['status', word],
    })
  return { subject: { ...emptySubject } }
}

export const otherLine: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, { ...understood, otherLine: null }, conversation, 'line')
  const result = await calls.get('list_dual_listings', { symbol: company.line.symbol, status: 'current' })
  const row = itemsOf(result, '/pairs')[0]
  const own = t`${must(company.line.result, `${company.line.pointer}/symbol`, name)}`
  if (row === undefined) writer.say(t`No line of ${own} on the other side of the border is in the table of pairs.`, writer.cite(result))
  else {
    const [toronto, us] = [must(result, `${row}/tsx_symbol`, name), must(result, `${row}/us_symbol`, name)]
    writer.say(
      t`${must(result, `${row}/issuer`, name)} is listed in Toronto as ${toronto} and in the United States as ${us} (${must(result, `${row}/us_mic`, name)}); US shares per Toronto share: ${must(result, `${row}/ratio`)}.`,
      writer.cite(result),
    )
  }
  const other =
    row === undefined ? null : exchangeOf(company.line.symbol) === 'US' ? valueAt(result, `${row}/tsx_symbol`) : valueAt(result, `${row}/us_symbol`)
  return {
    subject: { ...emptySubject, kind: 'listing', symbol: company.line.symbol, us_symbol: other, name: company.line.name, cik: company.line.cik },
  }
}
