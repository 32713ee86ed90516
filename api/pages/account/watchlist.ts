// `/account/watchlist`: the listings that the signed-in user follows, with the last price of each.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { integer, oneOf } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { maxImported, maxItems } from '#schemas/watchlist.ts'
import { decimal, type Exact, exactly } from '../components/exact.ts'
import { areaField, faultList, formToken, inputField } from '../components/form.ts'
import { change, day, number, unknown } from '../components/format.ts'
import { badge, missing, notice, shown } from '../components/notice.ts'
import { companyLink, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { type Outcome, type PageContext, page, pageForm, type Returned } from '../page.ts'
import { counted, sentence } from '../words.ts'
import { accountHead, done } from './frame.ts'
import { readWatchlist, tagsOf, writeWatchlist } from './watchlist-csv.ts'

type Item = AnswerOf<'list_watchlist'>['items'][number]
type Quotes = AnswerOf<'get_quotes'>
type Quote = Exact<Quotes>['quotes'][number]

const path = '/account/watchlist'
const fields = ['ticker', 'tags', 'note']
/** Listings of a page: three requests of quotes. */
const rowsOfPage = 90
const symbolsOfQuotes = 30
const watchlistQuestion = question({
  from: integer('the first listing of the page', 0, maxItems).default(0),
  as: oneOf('csv: all listings as a file', ['csv']).optional(),
  done,
  added: integer('listings that the import added', 0, maxItems).optional(),
  present: integer('listings of the import that were there already', 0, maxItems).optional(),
})
const operations = ['list_watchlist', 'add_watchlist_item', 'import_watchlist', 'remove_watchlist_item', 'get_quotes'] as const
type Context = PageContext<typeof watchlistQuestion, (typeof operations)[number]>

export const watchlistPage = page(path, 'Watchlist', {
  summary: 'The listings that the signed-in user follows, with last price, tags and notes.',
  access: 'user',
  question: watchlistQuestion,
  operations,
  async render({ ask, question: { from, as, done, added, present }, token, returned }) {
    const found = await ask('list_watchlist')
    if (as === 'csv' && found.ok) {
      const headers = ['Content-Disposition', 'attachment; filename="watchlist.csv"']
      return { data: writeWatchlist(found.value.items), media_type: 'text/csv; charset=utf-8; header=present', headers }
    }
    const items = found.ok ? found.value.items : []
    const visible = items.slice(from, from + rowsOfPage)
    const quotes = await quotesOf(ask, visible)
    const failed = quotes.find(outcome => !outcome.ok)
    const counts = [added ?? 0, present ?? 0] as const
    return {
      main: html`${accountHead('Watchlist', path, 'The listings that you follow. An alert can be evaluated for all of them.', done)}
${added !== undefined && notice('info', `${countsOf(...counts)}.`)}
${faultList('remove', faultsIn(returned, 'remove'))}
${section({
  id: 'items',
  title: 'Listings',
  tools: items.length > 0 && html`<a href="${path}?as=csv" aria-label="Listings as CSV">CSV</a>`,
  body: [
    failed !== undefined && !failed.ok && missing(failed, 'Prices'),
    shown(found, 'The watchlist', () => itemTable(visible, pricesIn(quotes), token)),
    pager({ first: from === 0 ? null : path, next: from + rowsOfPage < items.length ? `${path}?from=${from + rowsOfPage}` : null }),
  ],
})}
${addForm(token, returned)}
${importForm(token, returned)}`,
      modules: ['csv-file'],
    }
  },
  forms: {
    add: pageForm(
      z.object({ ticker: z.string().default(''), tags: z.string().default(''), note: z.string().default('') }),
      async ({ ticker, tags, note }, { ask }) => {
        const body = { ticker: ticker.trim(), tags: tagsOf(tags), note: note.trim() === '' ? null : note.trim() }
        const added = await ask('add_watchlist_item', {}, { body })
        if (added.ok) return { redirect: `${path}?done=added` }
        // An unknown symbol and one that is there already belong to the field of the symbol.
        const faults = refusalFaults(added, fields)
        return { faults: [404, 409].includes(added.status) ? { ticker: faults[''] ?? '' } : faults }
      },
    ),
    remove: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const removed = await ask('remove_watchlist_item', { id })
      return removed.ok ? { redirect: `${path}?done=removed` } : { faults: refusalFaults(removed, []) }
    }),
    import: pageForm(
      z.object({ csv: z.string().default('') }),
      async ({ csv }, { ask }) => {
        const read = readWatchlist(csv)
        if ('fault' in read) return { faults: { csv: read.fault } }
        const made = await ask('import_watchlist', {}, { body: { items: read.rows.map(({ line: _line, ...item }) => item) }, seconds: 12 })
        if (made.ok) return { redirect: `${path}?done=listed&added=${made.value.added}&present=${made.value.present}` }
        const lines = lineFaults(made, read.rows)
        return { faults: lines === null ? refusalFaults(made, []) : { '': 'Nothing was added. These lines are faulty:', csv: lines } }
      },
      { bytes: 1024 * 1024 },
    ),
  },
})

/** The faults of an import by line of the CSV; null if they are of no line. */
function lineFaults({ error }: Extract<Outcome<unknown>, { ok: false }>, rows: readonly { readonly line: number }[]): string | null {
  const lines = (error.items ?? []).flatMap(({ loc, msg }) => {
    const row = loc[1] === 'items' && typeof loc[2] === 'number' ? rows[loc[2]] : undefined
    return row === undefined ? [] : [`line ${row.line}: ${sentence(msg)}`]
  })
  return lines.length === 0 ? null : lines.join('\n')
}
const countsOf = (added: number, present: number): string =>
  `${counted(added, 'listing')} ${added === 1 ? 'was' : 'were'} added, ${number(present)} ${present === 1 ? 'was' : 'were'} there already`

/** The quotes of the items; one outcome for each request. */
const quotesOf = (ask: Context['ask'], items: readonly Item[]): Promise<Outcome<Quotes>[]> =>
  Promise.all(
    Array.from({ length: Math.ceil(items.length / symbolsOfQuotes) }, (_, n) =>
      ask('get_quotes', {
        symbols: items
          .slice(n * symbolsOfQuotes, (n + 1) * symbolsOfQuotes)
          .map(({ ticker }) => ticker)
          .join(','),
      }),
    ),
  )
const pricesIn = (outcomes: readonly Outcome<Quotes>[]): ReadonlyMap<string, Quote> =>
  new Map(outcomes.flatMap(outcome => (outcome.ok ? exactly(outcome).quotes.map(quote => [quote.symbol, quote] as const) : [])))

function addForm(token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'add')
  const typed = (name: string): string => typedIn(returned, 'add', name)
  return section({
    id: 'add',
    title: 'Add a listing',
    body: html`<form method="post" action="${path}/add" aria-labelledby="add-title">${formToken(token)}${faultList('add', faults)}
<div class="calculator-fields">${inputField({ form: 'add', name: 'ticker', label: 'Symbol', help: 'In any usual spelling: RY.TO, TSX:RY.', faults, attributes: html` required maxlength="16" autocomplete="off"` }, typed('ticker'))}
${inputField({ form: 'add', name: 'tags', label: 'Tags', help: 'Separated by commas. May be empty.', faults, attributes: html` maxlength="700" autocomplete="off"` }, typed('tags'))}
${inputField({ form: 'add', name: 'note', label: 'Note', faults, attributes: html` maxlength="500" autocomplete="off"` }, typed('note'))}</div>
<p><button type="submit">Add</button></p></form>`,
  })
}

const importForm = (token: string | null, returned: Returned | null): Html => {
  const { csv: _lines, ...others } = faultsIn(returned, 'import')
  return section({
    id: 'import',
    title: 'Import',
    lead: `One listing a line: symbol, tags and note. Listings that are there already stay as they are. All lines are added, or none. At most ${maxImported} lines at a time.`,
    body: html`<form method="post" action="${path}/import" aria-labelledby="import-title">${formToken(token)}${faultList('import', others)}
${areaField({ form: 'import', name: 'csv', label: 'CSV', help: 'Several tags of a listing are separated by semicolons.', faults: faultsIn(returned, 'import'), attributes: html` spellcheck="false" autocomplete="off" data-csv-file` }, typedIn(returned, 'import', 'csv'), 4)}
<p><button type="submit">Import</button></p></form>`,
  })
}

const itemTable = (items: readonly Item[], prices: ReadonlyMap<string, Quote>, token: string | null): Content =>
  table({
    caption: 'Listings in your order',
    captionHidden: true,
    columns: [tight('Symbol'), numeric('Last price'), numeric('Change'), tight('Day'), 'Tags', 'Note', tight('Since'), tight('Remove')],
    rows: items.map(item => [
      companyLink(item.ticker),
      ...priceCells(prices.get(item.ticker)),
      html`${item.tags.map(tag => html`${badge(tag)} `)}`,
      item.note ?? '',
      day(item.created_at.slice(0, 10)),
      html`<form method="post" action="${path}/remove">${formToken(token)}<input type="hidden" name="id" value="${item.id}"><button type="submit" class="quiet small" aria-label="Remove ${item.ticker}">Remove</button></form>`,
    ]),
    empty: 'The watchlist is empty.',
  })

/** Price, change and day of a quote; a price that is not known is unknown. */
function priceCells(quote: Quote | undefined): readonly Content[] {
  if (quote === undefined) return [unknown, unknown, unknown]
  const { price, currency, change: by, change_pct, session_date } = quote
  return [
    price === null ? unknown : html`${decimal(price)} ${currency}`,
    by === null
      ? unknown
      : html`${change(Number(by), decimal(by))}${change_pct !== null && html` <span class="small">(${number(Number(change_pct), { least: 2, most: 2 })}\u00a0%)</span>`}`,
    day(session_date),
  ]
}
