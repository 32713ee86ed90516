// The rules: sentences from what became known on a day. Each reads answers of the service and states values by pointer, without an
// evaluation, recommendation or explanation.

import { addDays } from '#schemas/days.ts'
import { NotFound } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { UpdateRule } from '#schemas/updates.ts'
import type { ReleaseContext } from '../context/answer.ts'
import type { Ask, UpdateAnswer } from './ask.ts'
import type { Candidates } from './candidates.ts'
import type { DayWindow } from './day.ts'
import { grouped, type Reference, type Sentence, sentenceOf, valueAt } from './reference.ts'
import type { UpdateRules } from './rules.ts'

export type Draft = Sentence & {
  readonly rule: UpdateRule
  readonly ticker: string | null
  /** The company's name, for the order of sentences. */
  readonly company: string
  readonly source: UpdateAnswer
}
type Context = { readonly ask: Ask; readonly context: ReleaseContext; readonly window: DayWindow; readonly rules: UpdateRules }

const textAt = (answer: TextJson, pointer: string): string | null => {
  const value = valueAt(answer, pointer)
  return typeof value === 'string' ? value : null
}
const listAt = (answer: TextJson, pointer: string): readonly TextJson[] => {
  const value = valueAt(answer, pointer)
  return Array.isArray(value) ? value : []
}
const isWithin = (instant: string | null, { since, until }: DayWindow): boolean =>
  instant !== null && Date.parse(instant) > Date.parse(since) && Date.parse(instant) <= Date.parse(until)

/** The subject may not exist at the instant of the update: then nothing is stated. */
async function orNull(source: Promise<UpdateAnswer | null>): Promise<UpdateAnswer | null> {
  try {
    return await source
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}

/** The name of a company with its symbol in brackets, if it has one. */
const named = (answer: TextJson, name: string, symbol: string): (string | Reference)[] =>
  textAt(answer, symbol) === null ? [{ pointer: name }] : [{ pointer: name }, ' (', { pointer: symbol }, ')']

async function filings({ ask, rules }: Context, { filings: found }: Candidates): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const { accession, form, items } of found) {
    const source = await orNull(ask('get_filing', { accession }))
    if (!source) continue
    const { answer } = source
    const entities = listAt(answer, '/entities')
    const at = Math.max(
      entities.findIndex((_entity, index) => ['filer', 'issuer', 'subject_company'].includes(textAt(answer, `/entities/${index}/role`) ?? '')),
      0,
    )
    const company = textAt(answer, `/entities/${at}/company`)
    if (company === null) continue
    const ofNote = listAt(answer, '/items').flatMap((item, index) =>
      typeof item === 'string' && rules.items[item] !== undefined ? [{ pointer: `/items/${index}`, about: rules.items[item] as string }] : [],
    )
    const list = ofNote.flatMap(({ pointer, about }, index): (string | Reference)[] => [
      index === 0 ? ' with item ' : ' and item ',
      { pointer },
      ` (${about})`,
    ])
    const accepted = textAt(answer, '/accepted_at')
    const sentence = sentenceOf(answer, [
      ...named(answer, `/entities/${at}/company`, `/entities/${at}/symbol`),
      ' filed Form ',
      { pointer: '/form' },
      ...list,
      ...(accepted === null ? [', listed under ', { pointer: '/filed_date' }] : [', accepted at ', { pointer: '/accepted_at' }]),
      '.',
    ])
    const restates = rules.restating_forms.includes(form) || items.some(item => rules.restating_items.includes(item))
    drafts.push({ ...sentence, rule: restates ? 'restatement' : 'filing', ticker: textAt(answer, `/entities/${at}/symbol`), company, source })
  }
  return drafts
}

async function insiderClusters({ ask, context, window, rules }: Context, { buyers }: Candidates): Promise<Draft[]> {
  const { code, owners: fewest, days } = rules.insider_cluster
  const drafts: Draft[] = []
  for (const cik of buyers) {
    const source = await orNull(ask('get_form4', { cik, since: addDays(window.day, 1 - days), limit: '1000' }))
    if (!source) continue
    const { answer } = source
    const lines = listAt(answer, '/transactions').flatMap((_line, index) => {
      const at = `/transactions/${index}`
      const counts =
        textAt(answer, `${at}/code`) === code &&
        valueAt(answer, `${at}/derivative`) === false &&
        valueAt(answer, `${at}/amended_by`) === null &&
        textAt(answer, `${at}/shares`) !== null
      return counts ? [at] : []
    })
    const owners = new Map<string, string>()
    for (const at of lines)
      listAt(answer, `${at}/owner_ciks`).forEach((owner, index) => {
        if (index === 0 && typeof owner === 'string' && !owners.has(owner)) owners.set(owner, `${at}/owner_ciks/${index}`)
      })
    const [first] = lines
    const company = first === undefined ? null : textAt(answer, `${first}/issuer_name`)
    if (owners.size < fewest || first === undefined || company === null) continue
    const days_ = lines
      .map(at => ({ at: `${at}/transaction_date`, day: textAt(answer, `${at}/transaction_date`) ?? '' }))
      .filter(each => each.day !== '')
    days_.sort((a, b) => (a.day < b.day ? -1 : 1))
    const [earliest, latest] = [days_[0], days_.at(-1)]
    const symbol = context.issuers.mappedSymbolOf(cik)
    const sentence = sentenceOf(
      answer,
      [
        ...named(answer, `${first}/issuer_name`, `${first}/issuer_symbol`),
        ': ',
        { count: [...owners.values()] },
        ' insiders reported open-market purchases (code P) of ',
        { sum: lines.map(at => `${at}/shares`), unit: 'shares', as: grouped },
        ' shares',
        ...(earliest && latest
          ? earliest.day === latest.day
            ? [' on ', { pointer: earliest.at }]
            : [' from ', { pointer: earliest.at }, ' to ', { pointer: latest.at }]
          : []),
        ', in ',
        { count: lines.map(at => `${at}/line`) },
        ' lines of Forms 3, 4 and 5.',
      ],
      ['Forms 3, 4 and 5'],
    )
    drafts.push({ ...sentence, rule: 'insider_cluster', ticker: symbol, company, source })
  }
  return drafts
}

async function schedules({ ask, window }: Context): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const [operation, rule] of [
    ['list_activist_13d', 'schedule_13d'],
    ['list_passive_13g', 'schedule_13g'],
  ] as const) {
    const source = await ask(operation, { days: '1', limit: '1000' })
    if (!source) continue
    const { answer } = source
    listAt(answer, '/filings').forEach((_filing, index) => {
      const at = `/filings/${index}`
      const company = textAt(answer, `${at}/issuer_name`)
      if (company === null || !isWithin(textAt(answer, `${at}/known_from`), window)) return
      const [percent, aggregate, holder] = [textAt(answer, `${at}/percent`), textAt(answer, `${at}/aggregate`), textAt(answer, `${at}/aggregate_of`)]
      const before = textAt(answer, `${at}/change/previous_percent`)
      const sentence = sentenceOf(answer, [
        ...(holder === null ? ['A filer'] : [{ pointer: `${at}/aggregate_of` }]),
        ' reported ',
        ...(percent === null ? ['a holding of unstated percentage'] : [{ pointer: `${at}/percent`, unit: 'percent' }, ' % of a class']),
        ' of ',
        ...named(answer, `${at}/issuer_name`, `${at}/ticker`),
        ...(aggregate === null ? [] : [', ', { pointer: `${at}/aggregate`, unit: 'shares', as: grouped }, ' shares']),
        ', on ',
        { pointer: `${at}/form` },
        ...(before === null ? [] : ['; its filing before reported ', { pointer: `${at}/change/previous_percent`, unit: 'percent' }, ' %']),
        '.',
      ])
      drafts.push({ ...sentence, rule, ticker: textAt(answer, `${at}/ticker`), company, source })
    })
  }
  return drafts
}

const kinds: Readonly<Record<string, string>> = {
  split: 'a split',
  dividend: 'a dividend',
  special_dividend: 'a special dividend',
  stock_dividend: 'a stock dividend',
  return_of_capital: 'a return of capital',
  spinoff: 'a spin-off',
  reinvested_distribution: 'a reinvested distribution',
  capital_gain: 'a distribution of capital gains',
}

async function actions({ ask, window, rules }: Context, { actions: symbols }: Candidates): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const symbol of symbols) {
    const source = await orNull(ask('list_corporate_actions', { symbol, from: addDays(window.day, -rules.recent_days) }))
    if (!source) continue
    const { answer } = source
    const seen = new Set<string>()
    listAt(answer, '/actions').forEach((_action, index) => {
      const at = `/actions/${index}`
      const kind = textAt(answer, `${at}/kind`) ?? ''
      // Sources that report the same action are one piece of news: the first of them is named.
      const once = `${kind} ${textAt(answer, `${at}/ex_date`)}`
      if (!isWithin(textAt(answer, `${at}/known_from`), window) || seen.has(once)) return
      seen.add(once)
      const [amount, numerator] = [textAt(answer, `${at}/amount`), textAt(answer, `${at}/numerator`)]
      const status = textAt(answer, `${at}/applied/status`)
      const sentence = sentenceOf(answer, [
        { pointer: `${at}/symbol` },
        ': ',
        ...(kinds[kind] === undefined ? [{ pointer: `${at}/kind`, as: (value: string) => value.replaceAll('_', ' ') }] : [kinds[kind] as string]),
        ...(amount === null
          ? []
          : [
              ' of ',
              { pointer: `${at}/amount`, unit: textAt(answer, `${at}/currency`) ?? 'currency unknown' },
              ...(textAt(answer, `${at}/currency`) === null ? [] : [' ', { pointer: `${at}/currency` }]),
              ' a share',
            ]),
        ...(numerator === null ? [] : [', ', { pointer: `${at}/numerator` }, ' new for ', { pointer: `${at}/denominator` }, ' old shares']),
        kinds[kind] === undefined ? ', with the date ' : ', with the ex-date ',
        { pointer: `${at}/ex_date` },
        ...(valueAt(answer, `${at}/cancelled`) === true ? [', cancelled'] : []),
        ', reported by ',
        { pointer: `${at}/source_name` },
        ...(status === 'held' ? [' and held back until it is confirmed'] : []),
        '.',
      ])
      drafts.push({ ...sentence, rule: 'action', ticker: symbol, company: symbol, source })
    })
  }
  return drafts
}

async function priceRestatements({ ask, window, rules }: Context, { restated }: Candidates): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const symbol of restated) {
    const source = await orNull(ask('list_eod_revisions', { symbol, from: addDays(window.day, -rules.restated_days) }))
    if (!source) continue
    const { answer } = source
    listAt(answer, '/revisions').forEach((_revision, index) => {
      const at = `/revisions/${index}`
      const bars = textAt(answer, `${at}/bars_restated`)
      if (!isWithin(textAt(answer, `${at}/known_from`), window) || bars === null || bars === '0') return
      const sentence = sentenceOf(answer, [
        'The adjusted closes of ',
        { pointer: '/symbol' },
        ...(textAt(answer, `${at}/first_date`) === null ? [] : [' from ', { pointer: `${at}/first_date` }, ' to ', { pointer: `${at}/last_date` }]),
        ' (',
        { pointer: `${at}/bars_restated`, as: grouped },
        ' bars) were restated by the factor ',
        { pointer: `${at}/price_factor` },
        ', for the ex-date ',
        { pointer: `${at}/ex_date` },
        '.',
      ])
      drafts.push({ ...sentence, rule: 'price_restatement', ticker: symbol, company: symbol, source })
    })
  }
  return drafts
}

async function reportDates({ ask, window, rules }: Context): Promise<Draft[]> {
  const source = await ask('list_earnings_calendar', {
    from: addDays(window.day, 1),
    to: addDays(window.day, rules.ahead_days),
    status: 'confirmed',
    limit: '1000',
  })
  if (!source) return []
  const { answer } = source
  return listAt(answer, '/earnings').flatMap((_report, index): Draft[] => {
    const at = `/earnings/${index}`
    const day = textAt(answer, `${at}/date`)
    const confirming = listAt(answer, `${at}/statements`).flatMap((_each, number) => {
      const statement = `${at}/statements/${number}`
      return textAt(answer, `${statement}/status`) === 'confirmed' && textAt(answer, `${statement}/date`) === day ? [statement] : []
    })
    const first = confirming.map(each => textAt(answer, `${each}/known_from`) ?? '').sort()[0]
    // Only the first confirmation is news.
    const by = confirming.find(each => textAt(answer, `${each}/known_from`) === first)
    const name = textAt(answer, `${at}/company`) === null ? `${at}/symbol` : `${at}/company`
    const company = textAt(answer, name)
    if (!isWithin(first ?? null, window) || by === undefined || company === null) return []
    const time = textAt(answer, `${at}/time_of_day`)
    const sentence = sentenceOf(answer, [
      ...(name.endsWith('/symbol') ? [{ pointer: name }] : named(answer, name, `${at}/symbol`)),
      ' reports on ',
      { pointer: `${at}/date` },
      ...(time === null ? [] : [', ', { pointer: `${at}/time_of_day`, as: (value: string) => value.replaceAll('_', ' ') }]),
      '; the day is confirmed by ',
      ...(textAt(answer, `${by}/form`) === null ? [{ pointer: `${by}/source_name` }] : ['Form ', { pointer: `${by}/form` }]),
      '.',
    ])
    return [{ ...sentence, rule: 'report_date', ticker: textAt(answer, `${at}/symbol`), company, source }]
  })
}

async function offerings({ ask, context, window }: Context, { offerings: found }: Candidates): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const { accession, cik } of found) {
    const source = await orNull(ask('get_s1', { ticker: cik, accession }))
    if (!source) continue
    const { answer } = source
    const company = textAt(answer, '/company')
    if (company === null || textAt(answer, '/filing/accession') !== accession || !isWithin(textAt(answer, '/filing/known_from'), window)) continue
    const at = '/offering'
    const [shares, low, high, price] = ['shares', 'price_low', 'price_high', 'price'].map(each => textAt(answer, `${at}/${each}`))
    const currency = textAt(answer, `${at}/currency`)
    const money = (name: string): Reference => ({ pointer: `${at}/${name}`, unit: currency ?? 'currency unknown' })
    const inCurrency: (string | Reference)[] = currency === null ? [] : [' ', { pointer: `${at}/currency` }]
    const sentence = sentenceOf(answer, [
      { pointer: '/company' },
      ' filed Form ',
      { pointer: '/filing/form' },
      ' on ',
      { pointer: '/filing/filed_date' },
      ...(shares === null || shares === undefined ? [] : [', for ', { pointer: `${at}/shares`, unit: 'shares', as: grouped }, ' securities']),
      ...(low && high
        ? [' at a range of ', money('price_low'), ' to ', money('price_high'), ...inCurrency]
        : price
          ? [' at ', money('price'), ...inCurrency]
          : []),
      '.',
    ])
    drafts.push({ ...sentence, rule: 'offering', ticker: context.issuers.mappedSymbolOf(cik), company, source })
  }
  return drafts
}

/** The order of the sentences of an update. */
const order = UpdateRule.options

/** Every sentence about a day, by rule, then company, then wording. */
export async function draftsOf(context: Context, found: Candidates): Promise<Draft[]> {
  const drafts = [
    ...(await filings(context, found)),
    ...(await insiderClusters(context, found)),
    ...(await schedules(context)),
    ...(await actions(context, found)),
    ...(await priceRestatements(context, found)),
    ...(await reportDates(context)),
    ...(await offerings(context, found)),
  ]
  const rank = ({ rule }: Draft): number => order.indexOf(rule)
  return drafts.sort(
    (a, b) => rank(a) - rank(b) || (a.company < b.company ? -1 : a.company > b.company ? 1 : 0) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  )
}
