// `/account/portfolio`: positions of the signed-in user with value, cost and gain. Amounts are printed with the digits of the operations.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { integer, oneOf, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { targets } from '#schemas/portfolio.ts'
import { readNumber } from '#warehouse/people/portfolio/csv.ts'
import { exactly } from '../components/exact.ts'
import { faultList } from '../components/form.ts'
import { notice, shown } from '../components/notice.ts'
import { onceOf } from '../components/once.ts'
import { linkTabs, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { type Content, html } from '../html.ts'
import { type Faults, type Outcome, page, pageForm } from '../page.ts'
import { counted } from '../words.ts'
import { accountHead, done } from './frame.ts'
import { importForm, positionForm } from './portfolio-forms.ts'
import { positionTable, summaryOf } from './portfolio-tables.ts'

const path = '/account/portfolio'
const rowsOfPage = 100
const typed = z.string().default('')
const Position = z.object({
  id: z.string().max(64).default(''),
  ticker: typed,
  quantity: typed,
  acb_per_share: typed,
  currency: typed,
  account_type: typed,
  note: typed,
  once: z.string().max(64).default(''),
})
const fields = ['ticker', 'quantity', 'acb_per_share', 'currency', 'account_type', 'note']

/** A number of a form for a body, with its digits; a text that is no number is sent as it is, so that the operation names the fault. */
const numberOf = (value: string): unknown => {
  const read = readNumber(value.trim())
  return read === null ? value.trim() : JSON.rawJSON(read)
}
/** The body of a position. Fields that are empty are left out, so that their defaults apply. */
const bodyOf = ({ ticker, quantity, acb_per_share, currency, account_type, note }: z.output<typeof Position>): object => ({
  ticker: ticker.trim(),
  quantity: numberOf(quantity),
  currency: currency.trim().toUpperCase(),
  ...(acb_per_share.trim() === '' ? {} : { acb_per_share: numberOf(acb_per_share) }),
  ...(account_type.trim() === '' ? {} : { account_type: account_type.trim() }),
  ...(note.trim() === '' ? {} : { note: note.trim() }),
})

type Refused = Extract<Outcome<unknown>, { ok: false }>
/** A second position of the same security belongs to the field of the symbol. */
const positionFaults = (refused: Refused): Faults => {
  const faults = refusalFaults(refused, fields)
  return refused.status === 409 ? { ticker: faults[''] ?? '' } : faults
}
/** Faults of an import: each with its line and column. */
const importFaults = ({ error }: Refused): Faults => {
  if (error.items === undefined) return refusalFaults({ ok: false, status: 422, error }, [])
  const lines = error.items.map(({ loc, msg }) => `${loc.slice(2).join(', ')}${loc.length > 2 ? ': ' : ''}${msg}`)
  return { '': 'Nothing was imported.', csv: lines.join('\n') }
}

export const portfolioPage = page(path, 'Portfolio', {
  summary: 'Positions of the signed-in user with value, cost and gain in one currency.',
  access: 'user',
  question: question({
    currency: oneOf('currency of the values', targets, 'CAD').default('CAD'),
    cursor: text('next rows', 1000, 'bm90IGEgcmVhbCBvbmU').optional(),
    edit: text('the position that is edited', 64, 'pos_k3J0q2mXv1Zp').optional(),
    done,
    imported: integer('positions of the import', 0, 5000).optional(),
    ignored: integer('columns that the import did not read', 0, 1000).optional(),
  }),
  operations: ['list_positions', 'get_portfolio_summary', 'add_position', 'replace_position', 'remove_position', 'import_positions'],
  async render({ ask, question: { currency, cursor, edit, done, imported, ignored }, token, returned }) {
    const [listed, summary] = await Promise.all([
      ask('list_positions', { limit: rowsOfPage, ...(cursor === undefined ? {} : { cursor }) }),
      ask('get_portfolio_summary', { currency }),
    ])
    const positions = listed.ok ? exactly<AnswerOf<'list_positions'>>(listed).positions : []
    const edited = returned?.form === 'replace' ? String(returned.typed['id'] ?? '') : edit
    const position = edited === undefined ? null : (positions.find(({ id }) => id === edited) ?? null)
    const query = (changed: Readonly<Record<string, string>>): string =>
      `${path}?${new URLSearchParams({ currency, ...(cursor === undefined ? {} : { cursor }), ...changed })}`
    return {
      main: html`${accountHead('Portfolio', path, 'Your positions, valued with the last price that this service has. A value that is not known is shown as a dash and is in no sum.', done)}
${imported !== undefined && notice('info', importedWords(imported, ignored ?? 0))}
${linkTabs(
  'Currency of the values',
  targets.map(each => ({ label: each, href: query({ currency: each }), current: each === currency })),
)}
${section({ id: 'summary', title: `Value in ${currency}`, body: shown(summary, 'The value', (_value, answer) => summaryOf(exactly(answer))) })}
${faultList('remove', faultsIn(returned, 'remove'))}
${section({
  id: 'positions',
  title: 'Positions',
  lead: 'In the order in which you added them. Quantity and cost have the digits that you gave.',
  body: shown(listed, 'Positions', ({ next_cursor }) => [
    positionTable({ positions, summary: summary.ok ? exactly(summary) : null, currency, token, editOf: id => `${query({ edit: id })}#position` }),
    pager({
      first: cursor === undefined ? null : `${path}?currency=${currency}`,
      next: next_cursor === null ? null : query({ cursor: next_cursor }),
    }),
  ]),
})}
${edited !== undefined && listed.ok && position === null && notice('warn', 'The position to edit is not among the rows shown. It may have been removed.')}
${positionForm(position, token, returned, query({}))}
${importForm(token, returned)}`,
      modules: ['csv-file'],
    }
  },
  forms: {
    add: pageForm(Position, async (given, { ask }) => {
      const added = await ask('add_position', {}, { body: bodyOf(given), ...onceOf(given.once) })
      return added.ok ? { redirect: `${path}?done=position_added` } : { faults: positionFaults(added) }
    }),
    replace: pageForm(Position, async (given, { ask }) => {
      const replaced = await ask('replace_position', { id: given.id }, { body: bodyOf(given), ...onceOf(given.once) })
      return replaced.ok ? { redirect: `${path}?done=position_replaced` } : { faults: positionFaults(replaced) }
    }),
    remove: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const removed = await ask('remove_position', { id })
      return removed.ok ? { redirect: `${path}?done=position_removed` } : { faults: refusalFaults(removed, []) }
    }),
    import: pageForm(
      z.object({ csv: typed, once: z.string().max(64).default('') }),
      async ({ csv, once }, { ask }) => {
        if (csv.trim() === '') return { faults: { csv: 'Paste a CSV, or choose a file.' } }
        const made = await ask('import_positions', {}, { body: { csv }, ...onceOf(once) })
        if (!made.ok) return { faults: importFaults(made) }
        const { imported, ignored_columns } = made.value
        return { redirect: `${path}?done=imported&imported=${imported}&ignored=${ignored_columns.length}` }
      },
      { bytes: 4 * 1024 * 1024 },
    ),
  },
})

const importedWords = (imported: number, ignored: number): Content =>
  `${counted(imported, 'position')} from the CSV. ${ignored === 0 ? 'Every column was read.' : `${counted(ignored, 'column')} of the CSV ${ignored === 1 ? 'is' : 'are'} not part of a position and ${ignored === 1 ? 'was' : 'were'} left out.`}`
