// `/c/{symbol}/risk-factors`: what changed in the risk factors between two filings, factor by factor, inline or side by side.
import { question } from '#schemas/operations/operation.ts'
import { accession, cursor, oneOf, shaped, symbol } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { choiceField } from '../components/form.ts'
import { day, number, orUnknown, percent, unknown } from '../components/format.ts'
import { badge, lockedSections, missing, notice, statusOf, type Tone } from '../components/notice.ts'
import { answerLinks, companyLink, companyPath, filingPath, linkTabs, pageHead, pager, receiptPath, section } from '../components/parts.ts'
import { facts, numeric, table } from '../components/table.ts'
import { type Content, type Html, html, join } from '../html.ts'
import { type Outcome, page } from '../page.ts'
import { counted, sentence } from '../words.ts'
import { changedText } from './changed-text.ts'

type Diff = AnswerOf<'get_filing_diff'>
type Change = Diff['changes'][number]
const forms = ['10-K', '10-Q', '20-F', '40-F', 'S-1', 'F-1', 'S-11', 'F-10'] as const
const kinds = ['changed', 'new', 'removed', 'reworded', 'moved', 'numbers', 'all'] as const
type Kind = (typeof kinds)[number]
const kindNames: Readonly<Record<Kind, string>> = {
  changed: 'All changes',
  new: 'New',
  removed: 'Removed',
  reworded: 'Reworded',
  moved: 'Moved',
  numbers: 'Only numbers',
  all: 'Every factor',
}
/** How a class of the answer is shown: its name, its tone, and the kind that it is listed under. */
const classes: Readonly<Record<Change['class'], readonly [name: string, tone: Tone | 'plain', kind: Kind]>> = {
  new: ['new', 'good', 'new'],
  removed: ['removed', 'bad', 'removed'],
  modified: ['reworded', 'warn', 'reworded'],
  modified_minor: ['slightly reworded', 'warn', 'reworded'],
  split: ['split', 'warn', 'reworded'],
  merged: ['merged', 'warn', 'reworded'],
  moved: ['moved', 'info', 'moved'],
  numbers_only: ['only numbers', 'plain', 'numbers'],
  unchanged: ['unchanged', 'plain', 'all'],
}
const isOf = (kind: Kind, change: Change): boolean =>
  kind === 'all' ||
  (kind === 'changed' && change.class !== 'unchanged') ||
  classes[change.class][2] === kind ||
  (kind === 'moved' && change.moved) ||
  (kind === 'reworded' && change.rewritten !== null)
/** Changes of one page: with the texts of both sides it stays below 150 KB compressed. */
const perPage = 40

export const riskFactorsPage = page('/c/{symbol}/risk-factors', 'Risk factors', {
  summary: 'Changes in risk factors between two filings of an issuer, factor by factor, with the changed words marked.',
  question: question({
    symbol: symbol(),
    form: oneOf('form of the two filings', forms, '10-K').default('10-K'),
    from: accession('the older filing').optional(),
    to: accession('the newer filing').optional(),
    view: oneOf('marks in one text, or both texts next to each other', ['inline', 'side'], 'inline').default('inline'),
    show: oneOf('which factors', kinds, 'changed').default('changed'),
    factor: shaped('one factor by its id', /^rf_[0-9a-f]{8,64}$/, 'an id such as rf_077914dce396f726', 'rf_077914dce396f726').optional(),
    cursor,
  }),
  operations: ['get_filing_diff', 'search_filings', 'get_symbol'],
  sample: '/c/BRLX/risk-factors',
  async render({ question: chosen, ask, release }) {
    const { symbol: name, form, from, to, view, show, factor, cursor: after } = chosen
    const pair = { ticker: name, form, ...(from === undefined ? {} : { old: from }), ...(to === undefined ? {} : { new: to }) }
    const [plain, found, filings, listing] = await Promise.all([
      ask('get_filing_diff', pair),
      ask('get_filing_diff', {
        ...pair,
        texts: true,
        limit: factor === undefined ? perPage : 200,
        ...(after === undefined ? {} : { cursor: after }),
      }),
      ask('search_filings', { ticker: name, form, amendments: 'include', limit: 60, ...(release === null ? {} : { release }) }),
      ask('get_symbol', { symbol: name }),
    ])
    const company = listing.ok ? (listing.value.name ?? name) : name
    const title = `Risk factors of ${company}`
    const head = pageHead(title, html`${companyLink(name)} What changed between two filings, word by word.`)
    if (!found.ok && found.status === 401) return { title, main: html`${head}${lockedSections(['Changes in risk factors'])}` }
    const address = (changes: Readonly<Record<string, string | null>>): string => {
      const state = { form, from: from ?? null, to: to ?? null, view, show, factor: factor ?? null, ...changes }
      const defaults: Readonly<Record<string, string>> = { form: '10-K', view: 'inline', show: 'changed' }
      const query = Object.entries(state).filter((each): each is [string, string] => each[1] !== null && each[1] !== defaults[each[0]])
      const text = new URLSearchParams(query).toString()
      return `${companyPath(name)}/risk-factors${text === '' ? '' : `?${text}`}`
    }
    return {
      title,
      main: html`${head}
${choices(name, chosen, filings)}
${found.ok ? compared(found, plain, { view, show, factor: factor ?? null, after: after ?? null, address }) : missing(found, 'The comparison')}`,
      ...(found.ok ? {} : { status: statusOf(found) }),
    }
  },
})

type Chosen = {
  readonly form: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly view: string
  readonly show: string
}
/** Form and filings, as a form that works without script. */
function choices(name: string, { form, from, to, view, show }: Chosen, filings: Outcome<AnswerOf<'search_filings'>>): Html {
  const held = filings.ok ? filings.value.filings : []
  const options = [
    ['', 'newest with the section'],
    ...held.map(each => [each.accession, `${each.form} filed ${each.filed_date}`] as const),
  ] as readonly (readonly [string, string])[]
  const field = { form: 'pair', faults: {} }
  return html`<form class="inline-form" method="get" action="${`${companyPath(name)}/risk-factors`}">
${choiceField(
  { ...field, name: 'form', label: 'Form' },
  forms.map(each => [each, each] as const),
  form,
)}
${choiceField({ ...field, name: 'from', label: 'Older filing' }, [['', 'the one before'], ...options.slice(1)], from ?? '')}
${choiceField({ ...field, name: 'to', label: 'Newer filing' }, options, to ?? '')}
<input type="hidden" name="view" value="${view}"><input type="hidden" name="show" value="${show}">
<p><button type="submit">Compare</button></p>
</form>`
}

type Shown = {
  readonly view: 'inline' | 'side'
  readonly show: Kind
  readonly factor: string | null
  readonly after: string | null
  readonly address: (changes: Readonly<Record<string, string | null>>) => string
}
function compared(found: Extract<Outcome<Diff>, { ok: true }>, plain: Outcome<Diff>, shown: Shown): Content {
  const { coverage, old, new: recent, summary, changes, next_cursor, warnings } = found.value
  const { address, factor, show, view, after } = shown
  if (summary === null || old === null || recent === null)
    return html`<p class="empty">${sentence(coverage.detail)}</p>${recent !== null && html`<p class="small">${filingText('Newest filing', recent)}</p>`}`
  const listed = factor === null ? changes.filter(each => isOf(show, each)) : changes.filter(each => idsOf(each).includes(factor))
  return html`${warnings.length > 0 && notice('warn', html`<ul>${warnings.map(text => html`<li>${sentence(text)}</li>`)}</ul>`)}
${section({
  id: 'summary',
  title: html`${recent.form} of ${day(recent.filed_date)} against that of ${day(old.filed_date)}`,
  tools: answerLinks(plain, 'the comparison'),
  body: summaryOf(found.value, address),
})}
${linkTabs('Layout', [
  { label: 'Inline', href: address({ view: 'inline' }), current: view === 'inline' },
  { label: 'Side by side', href: address({ view: 'side' }), current: view === 'side' },
])}
${
  factor === null &&
  linkTabs(
    'Factors',
    kinds.map(each => ({ label: kindNames[each], href: address({ show: each }), current: each === show })),
  )
}
${section({
  id: 'factors',
  title: factor === null ? kindNames[show] : 'One factor',
  lead:
    factor === null
      ? 'In the reading order of the newer filing. The heading of a factor is a link to it alone.'
      : html`<code>${factor}</code> is the id of this factor in every filing of the issuer. <a href="${address({ factor: null })}#factors">All factors</a>`,
  body:
    listed.length === 0
      ? html`<p class="empty">${factor === null ? 'No factor of this part of the list changed in this way.' : 'No factor of these two filings has this id.'}</p>`
      : html`<ol class="factors">${listed.map(change => factorItem(change, shown))}</ol>`,
})}
${pager({ first: after === null ? null : address({}), next: next_cursor === null || factor !== null ? null : address({ cursor: next_cursor }) })}
${section({ id: 'receipt', title: 'What the receipt states', body: receiptOf(found.value, plain) })}`
}

const idsOf = ({ old, new: recent }: Change): string[] => [...recent, ...old].flatMap(({ factor_id }) => factor_id ?? [])

function summaryOf({ summary, metrics, old, new: recent, thresholds, ruleset }: Diff, address: Shown['address']): Html {
  const rows = [
    ['new', 'New', summary?.new],
    ['removed', 'Removed', summary?.removed],
    ['reworded', 'Reworded', summary && summary.modified + summary.modified_minor + summary.split + summary.merged],
    ['moved', 'Moved', summary?.moved],
    ['numbers', 'Only numbers', summary?.numbers_only],
    ['all', 'Unchanged', summary?.unchanged],
  ] as const
  return html`${facts([
    ...rows.map(
      ([kind, label, count]) => [label, count ? html`<a href="${address({ show: kind, factor: null })}#factors">${number(count)}</a>` : '0'] as const,
    ),
    ['Words', metrics && `${number(metrics.old_words)} to ${number(metrics.new_words)}`],
    ['Sentences that are new', metrics && orUnknown(metrics.sentences.added_ratio, value => percent(value * 100, 1))],
    ['Words in new factors', metrics && percent(metrics.share_new * 100, 1)],
  ])}
<p class="small">${join([old && filingText('Older', old), recent && filingText('Newer', recent)], ' · ')}</p>
<details><summary>How factors are matched</summary>${table({
    caption: html`Thresholds of <code>${ruleset}</code>`,
    columns: ['Threshold', numeric('Value')],
    rows: Object.entries(thresholds).map(([name, value]) => [name.replaceAll('_', ' '), number(value)]),
  })}</details>`
}

const filingText = (label: string, filing: NonNullable<Diff['old']>): Html =>
  html`${label}: <a href="${filingPath(filing.accession)}">${filing.form}, ${filing.accession}</a>, ${counted(filing.factors, 'factor')}`

function factorItem(change: Change, { view, address }: Shown): Html {
  const [name, tone] = classes[change.class]
  const [old, recent] = [change.old[0], change.new[0]]
  const heading = recent?.heading ?? old?.heading ?? ''
  const id = idsOf(change)[0] ?? null
  const place =
    old && recent && old.rank !== recent.rank
      ? `factor ${old.rank} became ${recent.rank}`
      : recent
        ? `factor ${recent.rank}`
        : `was factor ${old?.rank ?? '?'}`
  return html`<li${id !== null && html` id="${id}"`}>
<h3>${id === null ? heading : html`<a href="${address({ factor: id })}#factors">${heading}</a>`}</h3>
<p class="small">${badge(name, tone)} ${change.moved && change.class !== 'moved' && badge('moved', 'info')} ${place}${recent?.group && html` · ${recent.group}`}${change.similarity !== null && change.class !== 'unchanged' && html` · similarity ${number(change.similarity, { most: 3 })}`}${
    change.rewritten !== null &&
    html` · <a href="${address({ factor: change.rewritten })}#factors">${change.class === 'new' ? 'rewritten from' : 'rewritten as'} another factor</a>`
  }${
    change.numbers.length > 0 &&
    html` · ${join(
      change.numbers.slice(0, 6).map(({ old: before, new: now }) => html`<del>${before}</del> <ins>${now}</ins>`),
      ', ',
    )}`
  }</p>
${change.class === 'unchanged' || change.class === 'moved' ? html`<details><summary>Text, which is the same</summary><p class="factor-text">${recent?.untrusted_text ?? unknown}</p></details>` : changedText(change, view)}
</li>`
}

function receiptOf({ old, new: recent, ruleset }: Diff, plain: Outcome<Diff>): Html {
  if (!plain.ok) return missing(plain, 'The receipt')
  return html`<p>${plain.receipt_id === null ? 'The answer behind this page can be signed: choose Receipt above.' : html`The answer behind this page is signed. <a href="${receiptPath(plain.receipt_id)}">Its receipt</a> states:`}</p>
<ul>
<li>The question: <code class="long">${plain.name}</code></li>
<li>The answer, to the byte, by its SHA-256, from release ${plain.release}${plain.as_of !== null && html` as of ${plain.as_of}`}.</li>
<li>The documents that it was made from: ${join(
    [old, recent].flatMap(each =>
      each === null
        ? []
        : [
            html`<a href="${filingPath(each.accession)}">${each.accession}</a>, whose section has the SHA-256 <code class="long">${each.text_sha256 ?? 'unknown'}</code>`,
          ],
    ),
    '; and ',
  )}.</li>
<li>The rules: <code>${ruleset}</code>, with the thresholds above. The same filings and rules give the same answer.</li>
</ul>`
}
