// Applies calculators to a question: Sharia screens, purification, drill results, flow-through shares, state notices, delisting.
import { productOf } from '#schemas/decimals.ts'
import type { Result } from '../calls.ts'
import { countAt, date, defined, type Figure, given, money, must, name, percent, plain, quoted, read, rounded, word } from '../claims.ts'
import { Refusal } from '../refusal.ts'
import { findCompany, labelOf, subjectOf } from '../subjects.ts'
import { stateCodes } from '../vocabulary.ts'
import { countedOf, joined, type Prose, t, words } from '../writer.ts'
import { type Ask, itemsOf, type TopicAnswer, tableOf, valueAt } from './topic.ts'

const standardOf = ({ understood, conversation, profile }: Ask): string | null => {
  const own = profile.sharia_standard.trim().toLowerCase()
  return understood.standards[0] ?? conversation?.inputs['standard'] ?? (['aaoifi', 'djim', 'ftse', 'msci', 'sp'].includes(own) ? own : null)
}

export const sharia: TopicAnswer = async ask => {
  const { calls, understood, conversation, writer } = ask
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const result = await calls.get('get_sharia_screen_all', { symbol: company.line.symbol })
  const wanted = standardOf(ask)
  const label = labelOf(company.line)
  const rows = itemsOf(result, '/verdicts')
  const row = rows.find(each => valueAt(result, `${each}/standard`) === wanted)
  if (row === undefined) {
    writer.say(t`${label} under the standards that are held:`, writer.cite(result))
    tableOf(writer, result, rows, { Standard: ['title', name], Verdict: ['verdict', word], Reason: ['reason', quoted] })
  } else {
    writer.say(
      t`Under ${must(result, `${row}/title`, name)} (ruleset ${must(result, `${row}/ruleset`, name)}), the verdict on ${label} is: ${must(result, `${row}/verdict`, word)}. ${read(result, `${row}/reason`, quoted) ?? words('No reason is stated')}.`,
      writer.cite(result),
    )
    const tests = itemsOf(result, `${row}/tests`)
    if (tests.length > 0)
      tableOf(writer, result, tests, {
        Test: ['title', name],
        Status: ['status', word],
        Ratio: ['ratio', rounded(4)],
        Limit: 'limit',
        Clause: ['clause', name],
      })
    const business = read(result, `${row}/business/sentence`, quoted)
    if (business !== null) writer.say(t`Business: ${business}.`)
  }
  writer.say(words('A screen by published rules, not a religious ruling.'))
  return { subject: subjectOf(company), inputs: wanted === null ? {} : { standard: wanted } }
}

export const purification: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'issuer')
  const count = understood.shares ?? conversation?.inputs['shares'] ?? null
  const period = understood.period
  const result = await calls.get('get_sharia_purification', {
    symbol: company.line.symbol,
    shares: count ?? '1',
    ...(period?.from ? { from: period.from } : {}),
    ...(period?.to ? { to: period.to } : {}),
  })
  const held = count === null ? t`${defined('a_share')} share` : t`${given(count, plain)} shares`
  const totals = itemsOf(result, '/holding_method/totals')
  const dividends = itemsOf(result, '/dividend_method/totals')
  const amounts = (rows: readonly string[]): Prose =>
    rows.length === 0
      ? words('nothing, or not known')
      : joined(
          rows.map(row => read(result, `${row}/amount`, money(valueAt(result, `${row}/currency`))) ?? words('an amount that is not known')),
          ' and ',
        )
  writer.say(
    t`Purification of ${held} of ${labelOf(company.line)}, ${must(result, '/from', date)} to ${must(result, '/to', date)}:`,
    writer.cite(result),
  )
  writer.list([
    t`by the holding method: ${amounts(totals)}`,
    t`by the dividend method: ${amounts(dividends)} (${countedOf(countAt(result, '/dividend_method/dividends'), 'dividend')})`,
  ])
  const year = itemsOf(result, '/fiscal_years')[0]
  const rate = year === undefined ? null : read(result, `${year}/ratio`, rounded(6))
  if (year !== undefined && rate !== null)
    writer.say(t`Impermissible over total income of fiscal ${must(result, `${year}/fiscal_year`, name)}: ${rate}.`)
  return { subject: subjectOf(company), inputs: count === null ? {} : { shares: count } }
}

const depositWords: Readonly<Record<string, string>> = {
  porphyry: 'porphyry',
  orogenic: 'orogenic',
  underground: 'underground_gold',
  'open pit': 'open_pit_gold',
  carlin: 'carlin',
  vms: 'vms',
  iocg: 'iocg',
  sedex: 'sedex',
  lithium: 'lithium_pegmatite',
  nickel: 'nickel_sulphide',
}

export const drill: TopicAnswer = async ({ calls, understood, writer }) => {
  if (!/\d/.test(understood.question))
    throw new Refusal('incomplete', 'the question has no drill result', {
      parts: words('Please paste the text with the drill results: hole, interval and grade.').parts,
    })
  const lower = understood.question.toLowerCase()
  const deposit = Object.entries(depositWords).find(([each]) => lower.includes(each))?.[1] ?? 'default'
  const result = await calls.get('interpret_drill', {}, { body: { text: understood.question, deposit_type: deposit } })
  const rows = itemsOf(result, '/intervals', 12).flatMap(row => [row, ...itemsOf(result, `${row}/including`, 6)])
  if (rows.length === 0) {
    writer.say(
      words(
        'No drill interval could be read from the text. A hole, a length and a grade are needed, such as a length in metres grading grams per tonne of gold.',
      ),
    )
    return { subject: null }
  }
  writer.say(
    t`${countedOf(countAt(result, '/intervals'), 'interval')} ${words(itemsOf(result, '/intervals').length === 1 ? 'was' : 'were')} read (ruleset ${must(result, '/ruleset', name)}):`,
  )
  tableOf(writer, result, rows, {
    Hole: ['hole', name],
    Interval: ['length_as_printed', name],
    Grade: row => measures(result, `${row}/grades`),
    Equivalent: row => measures(result, `${row}/derived/equivalents`, pointer => read(result, pointer) ?? words('unknown')),
    'Grade times length': row => measures(result, `${row}/derived/grade_thickness`),
    Band: ['band/band', word],
  })
  const basis = itemsOf(result, `${rows[0]}/derived/equivalents`)[0]
  if (basis !== undefined) writer.say(t`Equivalents: ${must(result, `${basis}/basis`, word)}.`)
  const flags = itemsOf(result, '/flags', 8)
  if (flags.length > 0) {
    writer.say(words('What the text leaves open:'))
    writer.list(flags.map(row => t`${must(result, `${row}/severity`, word)}: ${must(result, `${row}/explanation`, quoted)}`))
  }
  return { subject: null }
}
/** The values of a list with units and metals, with commas between them; null if the list is empty. */
function measures(result: Result, list: string, valueOf = (pointer: string): Figure | Prose => must(result, pointer)): Prose | null {
  const items = itemsOf(result, list).map(
    each => t`${valueOf(`${each}/value`)} ${must(result, `${each}/unit`, name)} ${must(result, `${each}/metal`, name)}`,
  )
  return items.length === 0 ? null : joined(items, ', ')
}

export const flowThrough: TopicAnswer = async ({ calls, understood, conversation, writer, profile }) => {
  const { question, shares, money: sums, provinces } = understood
  const kept = conversation?.inputs ?? {}
  // The amount next to "income" is the income, one next to "share" or "price" the price; otherwise the smaller one is the price.
  const salary =
    /\b(?:income|earnings?|earn|earning|make|salary|paid|taxable)\D{0,16}?(\d[\d,]*)\s*k\b|(\d[\d,]*)\s*k\s+(?:income|salary|a year|of income)/i.exec(
      question,
    )
  const income =
    (salary === null ? null : productOf((salary[1] ?? salary[2] ?? '').replaceAll(',', ''), '1000')) ??
    near(question, /\b(?:income|earning|earn|make|salary)\b/i, sums) ??
    (sums.length > 1 ? largestOf(sums) : null) ??
    kept['income'] ??
    null
  const price = sums.find(each => each.value !== income)?.value ?? kept['share_price'] ?? null
  const count = shares ?? kept['num_shares'] ?? null
  const province =
    provinces[0] ??
    codeIn(question, new Set(['ON', 'QC', 'BC', 'AB', 'SK', 'MB', 'NB', 'NS', 'NL', 'PE', 'YT', 'NT', 'NU'])) ??
    kept['jurisdiction'] ??
    (/^[A-Za-z]{2}$/.test(profile.jurisdiction) ? profile.jurisdiction.toUpperCase() : null)
  const missing = [
    price === null ? 'the price of a share' : null,
    count === null ? 'the number of shares' : null,
    income === null ? 'the taxable income' : null,
    province === null ? 'the province' : null,
  ].filter(each => each !== null)
  if (missing.length > 0)
    throw new Refusal('incomplete', `missing: ${missing.join(', ')}`, {
      parts: words(`The calculation needs ${missing.join(', ')}. Please add what is missing.`).parts,
    })
  const critical = /\bcritical mineral|lithium|copper|nickel|cobalt|uranium|graphite|rare earth/i.test(question)
  const commodity = /\b(lithium|copper|nickel|cobalt|uranium|graphite|gold|silver|zinc)\b/i.exec(question)?.[1]?.toLowerCase() ?? 'gold'
  const result = await calls.get(
    'calculate_flow_through',
    {},
    {
      body: {
        share_price: Number(price),
        num_shares: Number(count),
        income: Number(income),
        jurisdiction: province,
        fts_type: critical ? 'critical_mineral' : 'regular',
        commodity,
      },
    },
  )
  const cad = money('CAD')
  const at = (pointer: string, style = cad): Figure | null => read(result, pointer, style)
  writer.say(
    t`${given(count ?? '', plain)} flow-through shares at ${given(price ?? '', cad)} with an income of ${given(income ?? '', cad)} in ${must(result, '/understood/jurisdiction_name', name)}, tax year ${must(result, '/tax_year', name)} (ruleset ${must(result, '/ruleset', name)}):`,
  )
  const rows: readonly (readonly [string, string, typeof cad])[] = [
    ['Cost', '/cost', cad],
    ['Deduction', '/deduction/amount', cad],
    ['Tax saved by the deduction', '/deduction/tax_saving', cad],
    ['Federal credit', '/federal_credit/amount', cad],
    ['Provincial credit', '/provincial_credit/amount', cad],
    ['Total benefit', '/total_benefit', cad],
    ['Tax on recapture', '/recapture/tax', cad],
    ['Net cost', '/net_cost', cad],
    ['Net cost of the price', '/net_cost_pct', percent],
    ['Break-even price a share', '/break_even/per_share', cad],
  ]
  writer.table(
    ['What', 'Figure'],
    rows.flatMap(([title, pointer, style]) => {
      const figure = at(pointer, style)
      return figure === null ? [] : [[words(title), figure]]
    }),
  )
  writer.say(words('General rules, not tax advice.'))
  return { subject: null, inputs: { share_price: price ?? '', num_shares: count ?? '', income: income ?? '', jurisdiction: province ?? '' } }
}
const largestOf = (sums: readonly { value: string }[]): string | null =>
  sums.reduce<string | null>((best, { value }) => (best === null || Number(value) > Number(best) ? value : best), null)
/** The amount whose digits are nearest to a word of the question. */
function near(question: string, word_: RegExp, sums: readonly { readonly value: string }[]): string | null {
  const place = word_.exec(question)?.index
  if (place === undefined) return null
  const plainText = question.replaceAll(/(?<=\d),(?=\d)/g, '')
  const distances = sums.flatMap(({ value }) => {
    const at = plainText.replace(/(\d+)k\b/gi, '$1000').indexOf(value)
    return at < 0 ? [] : [{ value, away: Math.abs(at - place) }]
  })
  return distances.sort((a, b) => a.away - b.away)[0]?.value ?? null
}
const codeIn = (question: string, codes: ReadonlySet<string>): string | null =>
  [...question.matchAll(/\b[A-Z]{2}\b/g)].map(match => match[0]).find(each => codes.has(each)) ?? null

export const blueSky: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const { question, states, money: sums } = understood
  const codes = [
    ...new Set([
      ...states,
      ...[...question.matchAll(/\b[A-Z]{2}\b/g)].map(match => match[0]).filter(each => stateCodes.has(each) && each !== 'OR' && each !== 'IN'),
    ]),
  ]
  const requested =
    codes.length > 0
      ? codes
      : (conversation?.inputs['states']?.split(',').filter(each => each !== '') ?? (/\bnew york\b/i.test(question) ? ['NY'] : []))
  const wanted = requested.length > 0 ? requested : /\bnew york\b/i.test(question) ? ['NY'] : /\bwashington\b/i.test(question) ? ['WA'] : []
  if (wanted.length === 0)
    throw new Refusal('incomplete', 'the question names no state', {
      parts: words('Please name the state of the United States in which the investor lives.').parts,
    })
  const kind = /506\s?\(?c/i.test(question)
    ? 'reg_d_506c'
    : /\b504\b/.test(question)
      ? 'reg_d_504'
      : /506\s?\(?b/i.test(question)
        ? 'reg_d_506b'
        : (conversation?.inputs['offering_type'] ?? 'reg_d_506b')
  const amount = sums[0]?.value
  const body = {
    offering_type: kind,
    ...(amount === undefined ? {} : { offering_amount_usd: Number(amount) }),
    general_solicitation: /\b(?:advertis|solicit|public)/i.test(question),
    is_mining_resource: /\b(?:mining|mineral|exploration)\b/i.test(question),
  }
  for (const state of wanted.slice(0, 3)) {
    const result = await calls.get('check_blue_sky', {}, { body: { investor_state: state, ...body } })
    const due = read(result, '/sec_filing/due', quoted)
    writer.say(
      t`${must(result, '/investor_state/name', name)}, ${must(result, '/offering/title', name)} (ruleset ${must(result, '/ruleset', name)}): ${must(result, '/status', word)}.${due === null ? t`` : t` ${must(result, '/sec_filing/form', name)} is due ${due}.`}`,
    )
    const rows = itemsOf(result, '/checks').filter(row => !['not_applicable'].includes(valueAt(result, `${row}/status`) ?? ''))
    tableOf(writer, result, rows.slice(0, 10), { Check: ['title', name], Status: ['status', word], Explanation: ['explanation', quoted] })
  }
  writer.say(words('General rules, not legal advice.'))
  return { subject: null, inputs: { states: wanted.join(','), offering_type: kind } }
}

const venues: Readonly<Record<string, string>> = {
  XNAS: 'NASDAQ',
  XNGS: 'NASDAQ',
  XNCM: 'NASDAQ',
  XNMS: 'NASDAQ',
  XNYS: 'NYSE',
  XASE: 'NYSE American',
  ARCX: 'NYSE',
  XTSE: 'TSX',
  XTSX: 'TSXV',
}
export const delisting: TopicAnswer = async ({ calls, understood, conversation, writer }) => {
  const company = await findCompany(calls, understood, conversation, 'line')
  const exchange = venues[valueAt(company.line.result, `${company.line.pointer}/mic`) ?? ''] ?? 'NASDAQ'
  const result = await calls.get('check_delisting_risk', {}, { body: { ticker: company.line.symbol, exchange } })
  const listOf = (list: string): Prose => {
    const rows = itemsOf(result, `/${list}`, 8)
    return rows.length === 0
      ? words('none')
      : joined(
          rows.map(row => must(result, row, word)),
          ', ',
        )
  }
  writer.say(
    t`${labelOf(company.line)} by the continued-listing rules of ${must(result, '/exchange', name)} (ruleset ${must(result, '/ruleset', name)}): score ${read(result, '/score') ?? words('unknown')}, of checks that cover ${read(result, '/score_coverage_pct', percent) ?? words('an unknown part')} of the weight.`,
    t`Failing: ${listOf('failing')}. Watching: ${listOf('watching')}. Not known: ${listOf('unknown')}.`,
  )
  const rows = itemsOf(result, '/checks')
    .filter(row => valueAt(result, `${row}/value`) !== null && valueAt(result, `${row}/role`) === 'required')
    .slice(0, 6)
  if (rows.length > 0)
    tableOf(writer, result, rows, {
      Check: ['title', quoted],
      Rule: ['rule', name],
      Status: ['status', word],
      Value: 'value',
      Threshold: 'threshold',
      Unit: ['unit', word],
    })
  writer.say(t`Read from: ${must(result, '/coverage', quoted)}.`)
  return { subject: subjectOf(company) }
}
