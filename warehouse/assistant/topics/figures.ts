// Figures of companies: statistics of the screener, lines of the statements, screens, analysts.
import { dayMs } from '#schemas/days.ts'
import type { OperationId } from '#schemas/operations.ts'
import type { Result } from '../calls.ts'
import {
  countOf,
  date,
  defined,
  definitions,
  type Figure,
  given,
  growth,
  money,
  must,
  name,
  percent,
  plain,
  quoted,
  read,
  rounded,
  type Style,
  word,
} from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { scaled } from '../scales.ts'
import { emptySubject, findCompanies, findCompany, labelOf, subjectOf } from '../subjects.ts'
import { listed, type Prose, t, words } from '../writer.ts'
import { currencyWanted, inCurrency } from './prices.ts'
import { type Ask, itemsOf, type TopicAnswer, valueAt } from './topic.ts'

/** How a field of the screener is called and printed. */
const labels: Readonly<Record<string, readonly [label: string, style: 'pct' | 'money' | 'usd' | 'number' | 'times' | 'date' | 'word' | 'report']>> = {
  market_cap: ['market capitalization', 'money'],
  market_cap_usd: ['market capitalization', 'usd'],
  shares_outstanding: ['shares outstanding', 'number'],
  pe: ['price to earnings', 'times'],
  pb: ['price to book', 'times'],
  ps: ['price to sales', 'times'],
  ev_ebitda: ['enterprise value to EBITDA', 'times'],
  enterprise_value_usd: ['enterprise value', 'usd'],
  dividend_yield_pct: ['dividend yield', 'pct'],
  dividend_growth_1y_pct: ['dividend growth over a year', 'pct'],
  rsi14: ['relative strength index', 'times'],
  sma50: ['50-day average', 'money'],
  sma200: ['200-day average', 'money'],
  sma20: ['20-day average', 'money'],
  high_52w: ['52-week high', 'money'],
  low_52w: ['52-week low', 'money'],
  beta_1y: ['beta over a year', 'times'],
  beta_market: ['benchmark of beta', 'word'],
  volatility_30d_pct: ['volatility', 'pct'],
  max_drawdown_1y_pct: ['deepest fall within a year', 'pct'],
  atr14: ['average true range', 'money'],
  avg_volume_20d: ['average volume', 'number'],
  relative_volume: ['volume relative to its average', 'times'],
  volume: ['volume of the last session', 'number'],
  return_ytd_pct: ['total return this year', 'pct'],
  return_1m_pct: ['total return over a month', 'pct'],
  return_1y_pct: ['total return over a year', 'pct'],
  change_1d_pct: ['change of the last session', 'pct'],
  roe_pct: ['return on equity', 'pct'],
  roa_pct: ['return on assets', 'pct'],
  gross_margin_pct: ['gross margin', 'pct'],
  operating_margin_pct: ['operating margin', 'pct'],
  net_margin_pct: ['net margin', 'pct'],
  debt_to_equity: ['debt to equity', 'times'],
  current_ratio: ['current ratio', 'times'],
  revenue_growth_pct: ['revenue growth', 'pct'],
  fcf_yield_pct: ['free cash flow yield', 'pct'],
  sector: ['sector', 'word'],
  industry: ['industry', 'word'],
  insider_net_shares_90d: ['90-day net shares bought by insiders', 'number'],
  high_52w_date: ['day of the 52-week high', 'date'],
  low_52w_date: ['day of the 52-week low', 'date'],
  holders_13f: ['managers that hold it', 'number'],
  shares_13f_pct: ['share held by managers', 'pct'],
  fiscal_year_end: ['fiscal year end', 'word'],
  close: ['last close', 'money'],
}
const labelOfField = (field: string): string => labels[field]?.[0] ?? field.replaceAll('_', ' ')
function styleOf(field: string, currency: string | null): Style {
  const kind = labels[field]?.[1] ?? 'number'
  if (kind === 'pct') return percent
  if (kind === 'money') return { as: 'number', unit: currency, places: 2 }
  if (kind === 'usd') return money('USD', 0)
  if (kind === 'times') return rounded(2)
  return kind === 'word' ? name : kind === 'date' ? date : rounded(0)
}
/** Fields that explain another one. */
const relatedFields: Readonly<Record<string, readonly string[]>> = {
  high_52w: ['high_52w_date', 'close'],
  low_52w: ['low_52w_date', 'close'],
  beta_1y: ['beta_market'],
  sma50: ['close'],
  sma200: ['close'],
  sma20: ['close'],
}

export const statistic: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const fields = understood.fields.length > 0 ? understood.fields : (conversation?.inputs['fields']?.split(',') ?? [])
  const companies = await findCompanies(calls, understood, conversation, 'line')
  if (companies.length === 0) await findCompany(calls, understood, conversation, 'line')
  // One company may be asked by name, and its other line may carry what this one lacks: the lines of all of them are read in one call.
  const symbols = companies.map(each => each.line.symbol)
  const wanted = [...new Set(fields.flatMap(field => [field, ...(relatedFields[field] ?? [])]))]
  const result = await calls.get('run_screener', {
    filter: `code in (${symbols.map(each => `'${each}'`).join(', ')})`,
    fields: ['name', 'currency', 'session_date', 'report_period_end', ...wanted].join(','),
  })
  for (const { line } of companies) {
    const row = itemsOf(result, '/data').find(each => valueAt(result, `${each}/code`) === line.symbol)
    if (row === undefined) {
      writer.say(t`${labelOf(line)} is not among the listings that are computed.`)
      continue
    }
    const currency = valueAt(result, `${row}/currency`)
    const parts: Prose[] = fields.map(field => {
      const figure = read(result, `${row}/${field}`, styleOf(field, currency))
      return figure === null
        ? t`${words(labelOfField(field))}: not known, because an input is missing`
        : t`${words(labelOfField(field))} ${figure}${explained(result, row, field, currency)}`
    })
    const day = read(result, `${row}/session_date`, date)
    writer.say(t`${labelOf(line)}: ${listed(parts)}${day === null ? t`` : t` (session of ${day})`}.`, writer.cite(result))
    const to = currencyWanted(understood.question)
    for (const field of to === null ? [] : fields) {
      const kind = labels[field]?.[1]
      const own = kind === 'usd' ? 'USD' : kind === 'money' ? currency : null
      const amount = own === null ? null : read(result, `${row}/${field}`, styleOf(field, currency))
      if (to !== null && own !== null && own !== to && amount !== null) await inCurrency(ask, amount, own, to)
    }
  }
  return { subject: companies[0] === undefined ? null : subjectOf(companies[0]), inputs: { fields: fields.join(',') } }
}
function explained(result: Result, row: string, field: string, currency: string | null): Prose {
  const day = /^(?:high|low)_52w$/.test(field) ? read(result, `${row}/${field}_date`, date) : null
  const against = field === 'beta_1y' ? read(result, `${row}/beta_market`, word) : null
  const close = (relatedFields[field] ?? []).includes('close') ? read(result, `${row}/close`, styleOf('close', currency)) : null
  const mark = read(result, `${row}/${field}`, styleOf(field, currency))
  const away = close === null || mark === null ? null : growth(mark, close)
  return t`${day === null ? t`` : t` on ${day}`}${against === null ? t`` : t` against ${against}`}${close === null ? t`` : t`, last close ${close}`}${away === null ? t`` : t` (${away} from it)`}`
}

export const lineItem: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  // "Free cash flow" does not ask for cash too.
  const flows = understood.items.some(each => each.endsWith('_cash_flow'))
  const named = flows ? understood.items.filter(each => each !== 'cash') : understood.items
  const items = named.length > 0 ? named : (conversation?.inputs['items']?.split(',') ?? [])
  const companies = await findCompanies(calls, understood, conversation, 'issuer')
  if (companies.length === 0) await findCompany(calls, understood, conversation, 'issuer')
  const one = understood.period ?? (understood.carried ? (conversation?.period ?? null) : null)
  // "2024 versus 2025" asks for both.
  const years = understood.periods.filter(each => each.kind === 'year')
  const wanted = years.length > 1 ? years.slice(0, 3).sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? 1 : -1)) : [one]
  // "The last three years" are the fiscal years that end in them.
  const isSpan = ({ from, to }: { from: string | null; to: string | null }): boolean =>
    from !== null && to !== null && Date.parse(to) - Date.parse(from) > 550 * dayMs
  for (const { line } of companies.slice(0, 3))
    for (const period of wanted) {
      const result = await calls.get('get_fundamentals', { symbol: line.symbol })
      const quarterly =
        period === null
          ? items.every(each => balances.has(each)) && endOfFirst(result, '/quarterly') > endOfFirst(result, '/annual')
          : period.from !== null && period.to !== null && Date.parse(period.to) - Date.parse(period.from) < 100 * dayMs
      const rows = itemsOf(result, quarterly ? '/quarterly' : '/annual')
      // A year of the question is the fiscal year; a quarter is the one that ends in it.
      const row =
        period === null
          ? rows[0]
          : quarterly
            ? rows.find(each => within(valueAt(result, `${each}/period_end`), period))
            : rows.find(each => valueAt(result, `${each}/fiscal_year`) === (period.to ?? period.from ?? '').slice(0, 4))
      const span = period !== null && isSpan(period) ? rows.filter(each => within(valueAt(result, `${each}/period_end`), period)) : []
      if (row === undefined && span.length === 0) {
        const held = rows
          .flatMap(each => read(result, `${each}/${quarterly ? 'period_end' : 'fiscal_year'}`, quarterly ? date : name) ?? [])
          .slice(0, 8)
        const others =
          held.length > 0
            ? t`Held are ${words(quarterly ? 'quarters to' : 'fiscal')} ${listed(held)}.`
            : t`${must(result, '/coverage/sentence', quoted)}.`
        writer.say(t`No statement of ${labelOf(line)} for this period is held. ${others}`, writer.cite(result))
        continue
      }
      for (const each of span.length > 0 || row === undefined ? span.slice(0, 6) : [row])
        for (const item of items)
          writer.say(
            itemSentence(result, each, rows[rows.indexOf(each) + (quarterly ? 4 : 1)], item, labelOf(line)),
            writer.cite(result, { only: [valueAt(result, `${each}/values/${item}/accession`)] }),
          )
    }
  return { subject: companies[0] === undefined ? null : subjectOf(companies[0]), inputs: { items: items.join(',') } }
}
/** Amounts at a day: without a period, the newest balance sheet answers, of a quarter or a year. */
const balances: ReadonlySet<string> = new Set([
  'cash',
  'total_debt',
  'assets',
  'liabilities',
  'equity',
  'goodwill',
  'inventory',
  'receivables',
  'current_assets',
  'current_liabilities',
  'shares_outstanding',
])
const endOfFirst = (result: Result, list: string): string => {
  const [first] = itemsOf(result, list)
  return first === undefined ? '' : (valueAt(result, `${first}/period_end`) ?? '')
}
const within = (day: string | null, { from, to }: { from: string | null; to: string | null }): boolean =>
  day !== null && (from === null || day >= from) && (to === null || day <= to)
function itemSentence(result: Result, row: string, prior: string | undefined, item: string, label: Prose): Prose {
  const at = (where: string): Figure | null =>
    read(result, `${where}/values/${item}/value`, money(unit(valueAt(result, `${where}/values/${item}/unit`))))
  const value = at(row)
  const [year, end] = [read(result, `${row}/fiscal_year`, name), must(result, `${row}/period_end`, date)]
  const part = read(result, `${row}/fiscal_period`, name)
  const quarter = part === null || part.value === 'FY' ? t`` : t`${part} of `
  const when = year === null ? t`the period to ${end}` : t`${quarter}fiscal ${year} (to ${end})`
  const title = words(item.replaceAll('_', ' '))
  if (value === null) return t`${label}: the filings that are held do not state ${title} for ${when}.`
  const form = read(result, `${row}/values/${item}/form`, name)
  const filed = read(result, `${row}/values/${item}/filed_date`, date)
  const before = prior === undefined ? null : at(prior)
  const change = before === null ? null : growth(before, value)
  const compared =
    before === null || prior === undefined
      ? t``
      : t`, against ${before} in the period to ${must(result, `${prior}/period_end`, date)}${change === null ? t`` : t` (${change})`}`
  return t`${label}: ${title} for ${when} ${words('was')} ${value}${compared}${form === null ? t`` : t`, from the ${form}${filed === null ? t`` : t` filed on ${filed}`}`}.`
}
const unit = (text: string | null): string | null => (text === 'shares' ? 'shares' : text)

/**
 * What a word for a business filters by, and how the answer names it. Industries and sectors are those of the SIC code that the SEC gives
 * the issuer: a division such as "Transportation, Communications and Utilities" is named in full, because it holds more than the word means.
 */
const businesses: Readonly<Record<string, readonly [filter: string, title: string]>> = {
  ...byIndustry('gold silver', 'Gold', 'gold and silver ores'),
  ...byIndustry('bank', 'Bank', 'banks'),
  ...byIndustry('insurance insurer', 'Insurance', 'insurance'),
  ...byIndustry('software', 'Software', 'software'),
  ...byIndustry('semiconductor chip', 'Semiconductor', 'semiconductors'),
  ...byIndustry('pharmaceutical pharma drug', 'Pharmaceutical', 'pharmaceutical preparations'),
  ...byIndustry('railroad railway', 'Railroad', 'railroads'),
  ...byIndustry('pipeline', 'Pipe Line', 'pipelines'),
  ...byIndustry('reit', 'Real Estate Investment Trust', 'real estate investment trusts'),
  ...byIndustries('technology tech', ['Computer', 'Software', 'Semiconductor', 'Electronic']),
  ...byIndustries('healthcare biotech medical', ['Pharmaceutical', 'Biological', 'Medical', 'Surgical', 'Health', 'Hospital']),
  ...byIndustries('energy oil', ['Petroleum', 'Oil', 'Gas', 'Coal']),
  ...bySector('mining miner', 'Mining'),
  ...bySector('manufacturing industrial', 'Manufacturing'),
  ...bySector('financial', 'Finance, Insurance and Real Estate'),
  ...bySector('utility transportation', 'Transportation, Communications and Utilities'),
  ...bySector('retail', 'Retail Trade'),
  ...bySector('service', 'Services'),
}
function byIndustry(words_: string, part: string, title: string): typeof businesses {
  return Object.fromEntries(words_.split(' ').map(word => [word, [`industry contains '${part}'`, `of the industry ${title}`] as const]))
}
/** Words for several industries: their parts of names, which the answer states, because no industry of the SEC has this name. */
function byIndustries(words_: string, parts: readonly string[]): typeof businesses {
  const filter = `(${parts.map(part => `industry contains '${part}'`).join(' or ')})`
  const title = `whose industry by SIC code has ${parts.slice(0, -1).join(', ')} or ${parts.at(-1)} in its name`
  return Object.fromEntries(words_.split(' ').map(word => [word, [filter, title] as const]))
}
function bySector(words_: string, division: string): typeof businesses {
  return Object.fromEntries(words_.split(' ').map(word => [word, [`sector contains '${division}'`, `of the sector ${division}`] as const]))
}

type Condition = {
  readonly field: string
  readonly operator: '>' | '<' | '>=' | '<='
  readonly value: string
  readonly by: 'question' | 'oversold' | 'overbought'
}
const operatorWords: Readonly<Record<Condition['operator'], string>> = { '>': 'above', '<': 'below', '>=': 'at least', '<=': 'at most' }
/** Where the question names a field of a screen. */
const placeOf = (field: string, places: ReadonlyMap<string, number>): number =>
  places.get(field === 'market_cap_usd' ? 'market_cap' : field) ?? places.get(field) ?? 0

/**
 * Comparisons of a screen: a number, the words before it that say over or under, and the field named last before it. Only if none is named
 * before it, the field named next ("above 3 % in yield"). Each field is compared once, so that no two numbers are compared with the same field.
 */
function conditionsOf({ question, fields, fieldPlaces }: Pick<Ask['understood'], 'question' | 'fields' | 'fieldPlaces'>): Condition[] {
  const lower = question.toLowerCase()
  const found: Condition[] = []
  const placed = fields.map(field => ({
    field,
    at: fieldPlaces.get(field === 'market_cap_usd' ? 'market_cap' : field) ?? fieldPlaces.get(field) ?? 0,
  }))
  const fieldAt = (place: number): string | undefined => {
    const free = placed.filter(({ field }) => !found.some(each => each.field === field)).sort((a, b) => a.at - b.at)
    return (free.findLast(({ at }) => at < place) ?? free[0] ?? placed[0])?.field
  }
  const digits_ = /(-?\d[\d,]*(?:\.\d+)?)/.source
  const ranges = new RegExp(
    `(?:between|from)\\s+(?:us|c)?\\$?\\s*${digits_}\\s*(?:%|percent|x)?\\s*(?:and|to|-)\\s*(?:us|c)?\\$?\\s*${digits_}\\s*(k|m|million|billion|thousand|bn|b)?\\b`,
    'g',
  )
  const pattern =
    /(more than|greater than|higher than|above|over|at least|exceeding|exceeds|>=?|less than|lower than|below|under|at most|cheaper than|<=?)\s*(?:us|c)?\$?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(k|m|million|billion|thousand|bn|b)?/g
  for (const { index, 1: low = '', 2: high = '', 3: scale } of lower.matchAll(ranges)) {
    const field = fieldAt(index)
    if (field === undefined) continue
    found.push(
      { field, operator: '>=', value: scaled(low, scale), by: 'question' },
      { field, operator: '<=', value: scaled(high, scale), by: 'question' },
    )
  }
  for (const match of lower.replaceAll(ranges, whole => ' '.repeat(whole.length)).matchAll(pattern)) {
    const [, words_ = '', digits = '', scale] = match
    const value = scaled(digits, scale)
    const field = fieldAt(match.index)
    if (field === undefined) continue
    found.push({
      field,
      operator: /^(?:less|lower|below|under|at most|cheaper|<)/.test(words_) ? '<' : '>',
      value,
      by: 'question',
    })
  }
  // Words that state a threshold of their own.
  if (/\boversold\b/.test(lower) && found.length === 0) found.push({ field: 'rsi14', operator: '<', value: definitions.oversold, by: 'oversold' })
  if (/\boverbought\b/.test(lower) && found.length === 0)
    found.push({ field: 'rsi14', operator: '>', value: definitions.overbought, by: 'overbought' })
  return found
}

/** The field named after a superlative ("the highest market cap"); without one, the field named first. */
function sortedBy({ question, fieldPlaces }: Pick<Ask['understood'], 'question' | 'fieldPlaces'>, fields: readonly string[]): string | undefined {
  const superlative = /\b(?:highest|lowest|biggest|largest|smallest|most|least)\b/i.exec(question)?.index
  const placed = fields.map(field => ({ field, at: placeOf(field, fieldPlaces) })).sort((a, b) => a.at - b.at)
  return (superlative === undefined ? undefined : placed.find(({ at }) => at >= superlative)?.field) ?? fields[0]
}

/** Whether a screen is of the United States; "us" alone is a pronoun. */
const isOfStates = (question: string): boolean =>
  /\b(?:nyse|nasdaq|american|united states|new york)\b|\bu\.s\.|\bin the (?:us|states)\b|\bus[- ](?:stocks?|compan|firms?|list|shares?|names?|equit|banks?|etfs?|issuers?|small|large|mid)/i.test(
    question,
  ) || /\bUS\b/.test(question)
const marketWords: Readonly<Record<string, string>> = {
  'exchange = US': 'of the United States',
  'exchange = TO': 'of Toronto',
  'exchange = V': 'of the TSX Venture exchange',
  'exchange in (TO, V)': 'of Canada',
}

/** The direction of a move that a question states in words. */
const movesIn = (lower: string): 'up' | 'down' | null =>
  /\b(?:fell|fallen|dropped|lost|declined|slid|sank|down|tumbled)\b/.test(lower)
    ? 'down'
    : /\b(?:rose|risen|gained|climbed|jumped|surged|rallied|up)\b/.test(lower)
      ? 'up'
      : null
/** Whether a question is about the newest session: it names no period, today or the session before. */
const isLastSession = ({ understood: { period }, today }: Ask): boolean =>
  period === null ||
  (period.kind === 'day' && period.from !== null && period.from <= today && Date.parse(today) - Date.parse(period.from) <= 4 * dayMs)
/** "Fell more than 3 %": a change below -3. */
const fallOf = ({ operator, value, ...rest }: Condition): Condition =>
  value.startsWith('-') ? { operator, value, ...rest } : { ...rest, value: `-${value}`, operator: operator.startsWith('>') ? '<' : '>' }
const isMark = (field: string): boolean => /^(?:high|low)_52w$/.test(field)
/** Filters of a screen by a day within a period of the question. */
function onDays(field: string, period: Ask['understood']['period']): string[] {
  if (period === null || period.kind === 'ahead') return []
  return [...(period.from === null ? [] : [`${field} >= ${period.from}`]), ...(period.to === null ? [] : [`${field} <= ${period.to}`])]
}

/** The fields that a screen is by: those of the question, of the question before, or what a superlative or a move means. */
function fieldsOf(ask: Ask, carried: readonly string[], moved: 'up' | 'down' | null): readonly string[] {
  const lower = ask.understood.question.toLowerCase()
  const own = ask.understood.fields.length > 0 ? ask.understood.fields : carried
  if (own.length > 0) return own
  if (/\b(?:largest|biggest|smallest|valuable|big|large|small)\b/.test(lower)) return ['market_cap_usd']
  if (/\b(?:gainers?|losers?|movers?)\b/.test(lower) || (moved !== null && isLastSession(ask))) return ['change_1d_pct']
  return /\bcheapest|expensive\b/.test(lower) ? ['pe'] : []
}

export const screen: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const lower = understood.question.toLowerCase()
  const carried =
    understood.fields.length === 0 && understood.carried ? (conversation?.inputs['fields']?.split(',').filter(each => each !== '') ?? []) : []
  const moved = movesIn(lower)
  const chosen = fieldsOf(ask, carried, moved)
  const fields = [
    ...new Set(chosen.flatMap(field => (field === 'market_cap' ? ['market_cap_usd'] : isMark(field) ? [field, `${field}_date`] : [field]))),
  ]
  const conditions = conditionsOf({ question: understood.question, fields, fieldPlaces: understood.fieldPlaces }).map(each =>
    each.field === 'change_1d_pct' && moved === 'down' ? fallOf(each) : each,
  )
  const business = Object.entries(businesses).find(([word]) => understood.words.has(word))?.[1]
  if (fields.length === 0 && business === undefined)
    throw new Refusal('not_understood', 'no field to screen by is named', {
      parts: words('Please name what to screen by: for example dividend yield, price to earnings, market capitalization, return, volatility.').parts,
    })
  const filters = [
    ...conditions.map(({ field, operator, value }) => `${field} ${operator} ${value}`),
    ...fields.filter(field => !conditions.some(each => each.field === field)).map(field => `${field} is not null`),
    ...fields.filter(isMark).flatMap(field => onDays(`${field}_date`, understood.period)),
    ...(business === undefined ? [] : [business[0]]),
    ...(/\bventure|tsxv|tsx-v\b/.test(lower)
      ? ['exchange = V']
      : /\btsx|toronto\b/.test(lower)
        ? ['exchange = TO']
        : /\bcanad/.test(lower)
          ? ['exchange in (TO, V)']
          : isOfStates(understood.question)
            ? ['exchange = US']
            : conversation?.inputs['market'] && understood.carried
              ? [conversation.inputs['market']]
              : []),
  ]
  const mark = fields.find(isMark)
  // Marks of different listings are not comparable as amounts; the newest comes first.
  const first = mark === undefined ? (sortedBy(understood, fields) ?? 'market_cap_usd') : `${mark}_date`
  const ascending =
    mark === undefined &&
    (/\b(?:lowest|cheapest|smallest|least|worst|losers?|bottom|oversold|low)\b/.test(lower) ||
      (conditions[0]?.operator.startsWith('<') === true && conditions[0].field === first))
  const top = Number(/\b(?:top|best|first|highest|lowest|largest|biggest)\s+(\d{1,2})\b/.exec(lower)?.[1] ?? 10)
  const shown = [...new Set(['name', 'exchange', 'currency', ...fields])]
  const result = await calls.get('run_screener' satisfies OperationId, {
    ...(filters.length === 0 ? {} : { filter: filters.join(' and ') }),
    fields: shown.join(','),
    sort: `${first}.${ascending ? 'asc' : 'desc'}`,
    limit: Math.min(Math.max(top, 1), 20),
  })

  const rows = itemsOf(result, '/data', 20)
  const isFall = (value: string): boolean => value.startsWith('-') && !understood.question.includes(value)
  const requested = conditions.map(
    ({ field, operator, value, by }) =>
      t`${words(labelOfField(field))} ${words(operatorWords[operator])} ${by !== 'question' ? defined(by) : isFall(value) ? t`minus ${given(value.slice(1), plain)}` : t`${given(value, plain)}`}`,
  )
  const market = filters.find(each => each.startsWith('exchange'))
  const place = t`${market === undefined ? t`` : t` ${words(marketWords[market] ?? '')}`}${business === undefined ? t`` : t` ${words(business[1])}`}`
  if (rows.length === 0) writer.say(t`No listing${place} fits${requested.length === 0 ? t`` : t` (${listed(requested)})`}.`, writer.cite(result))
  else {
    writer.say(
      t`${must(result, '/total')} of ${must(result, '/universe')} ${words(valueAt(result, '/universe') === '1' ? 'listing' : 'listings')} fit${requested.length === 0 ? t`` : t` (${listed(requested)})`}${market === undefined && business === undefined ? t`` : t`, counting those${place} alone`}; ${countOf(rows.map(row => must(result, `${row}/code`, name)))} ${words(rows.length === 1 ? 'is' : 'are')} shown, ${words(mark !== undefined ? 'newest' : ascending ? 'lowest' : 'highest')} ${words(labelOfField(first))} first.`,
      writer.cite(result),
    )
    writer.table(
      ['Symbol', 'Name', ...fields.map(headerOf)],
      rows.map(row => [
        read(result, `${row}/code`, name),
        read(result, `${row}/name`, name),
        ...fields.map(field => read(result, `${row}/${field}`, styleOf(field, valueAt(result, `${row}/currency`)))),
      ]),
    )
  }
  return { subject: { ...emptySubject }, inputs: { fields: fields.join(','), ...(market === undefined ? {} : { market }) } }
}
const headerOf = (field: string): string => {
  const label = labelOfField(field)
  return label.charAt(0).toUpperCase() + label.slice(1)
}

export const analysts: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'line')
  const result = await calls.get('get_analyst_recs', { symbol: company.line.symbol })
  const rows = itemsOf(result, '/consensus')
  if (rows.length === 0)
    writer.say(t`No analyst ratings of ${labelOf(company.line)} are held. ${must(result, '/coverage/sentence', quoted)}.`, writer.cite(result))
  for (const row of rows.slice(0, 3)) {
    const at = (field: string, style: Style = plain): Figure | null => read(result, `${row}/current/${field}`, style)
    const counts = [
      ['strong_buy', 'strong buy'],
      ['buy', 'buy'],
      ['hold', 'hold'],
      ['sell', 'sell'],
      ['strong_sell', 'strong sell'],
    ].flatMap(([field = '', label = '']) => {
      const figure = at(field)
      return figure === null ? [] : [t`${words(label)} ${figure}`]
    })
    const target = at('target_mean', money(valueAt(result, `${row}/current/target_currency`)))
    const month = at('month', name)
    writer.say(
      t`${labelOf(company.line)}, as ${must(result, `${row}/source_name`, name)} counts analysts${month === null ? t`` : t` for ${month}`}: ${listed(counts)}${target === null ? t`` : t`; mean target ${target}`}.`,
      writer.cite(result),
    )
  }
  writer.say(words('These are the counts of a vendor. This service rates nothing and recommends nothing.'))
  return { subject: subjectOf(company) }
}
