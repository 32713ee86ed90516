// Builds updates from sentences: one about the day, and one about each company with sentences of two rules or more. A pure function of the
// sentences and their receipts.
import { createHash } from 'node:crypto'
import type { UpdateRule, UpdateStatement } from '#schemas/updates.ts'
import { type DayWindow, longDay } from './day.ts'
import type { Draft } from './statements.ts'

export type Update = {
  readonly slug: string
  readonly date: string
  readonly ticker: string | null
  readonly category: 'daily' | 'issuer'
  readonly title: string
  readonly summary: string
  readonly body: string
  readonly llm_provider: string | null
  readonly statements: readonly UpdateStatement[]
  readonly release: number
  readonly rules: string
}
/** A sentence with the receipt of the answer that it refers to. */
export type SignedDraft = { readonly draft: Draft; readonly receipt_id: string }
export type Edition = { readonly release: number; readonly rules: string; readonly most: number }

const headings: Readonly<Record<UpdateRule, readonly [title: string, one: string, many: string]>> = {
  filing: ['Filings of note', 'filing of note', 'filings of note'],
  restatement: ['Amended and restated reports', 'amended or restated report', 'amended or restated reports'],
  insider_cluster: ['Insider clusters', 'insider cluster', 'insider clusters'],
  schedule_13d: ['Schedules 13D', 'Schedule 13D', 'Schedules 13D'],
  schedule_13g: ['Schedules 13G', 'Schedule 13G', 'Schedules 13G'],
  action: ['Corporate actions', 'corporate action', 'corporate actions'],
  price_restatement: ['Restated price histories', 'restated price history', 'restated price histories'],
  report_date: ['Confirmed report days', 'confirmed report day', 'confirmed report days'],
  offering: ['Offerings', 'offering document', 'offering documents'],
}

/** The updates of a day, the one about the whole day first; none without a sentence. */
export function writeUpdates(window: DayWindow, drafts: readonly SignedDraft[], edition: Edition): Update[] {
  if (drafts.length === 0) return []
  const byTicker = new Map<string, SignedDraft[]>()
  for (const each of drafts) if (each.draft.ticker !== null) byTicker.set(each.draft.ticker, [...(byTicker.get(each.draft.ticker) ?? []), each])
  const companies = [...byTicker].filter(([, some]) => new Set(some.map(each => each.draft.rule)).size >= 2).sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    update(window, drafts, edition, { slug: window.day, ticker: null, category: 'daily', about: 'Daily update' }),
    ...companies.map(([ticker, some]) =>
      update(window, some, edition, { slug: `${window.day}-${slugOf(ticker)}`, ticker, category: 'issuer', about: ticker }),
    ),
  ]
}

const slugOf = (ticker: string): string => ticker.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

type About = Pick<Update, 'slug' | 'ticker' | 'category'> & { readonly about: string }
function update(window: DayWindow, drafts: readonly SignedDraft[], { release, rules, most }: Edition, { about, ...names }: About): Update {
  const groups = new Map<UpdateRule, SignedDraft[]>()
  for (const each of drafts) groups.set(each.draft.rule, [...(groups.get(each.draft.rule) ?? []), each])
  const kept = [...groups].map(([rule, all]) => ({ rule, all, shown: all.slice(0, most) }))
  const title = `${about}, ${longDay(window.day)}`
  // Numbers of sentences, counted here, without an answer.
  const summary = `${kept.map(({ rule, all }) => `${all.length} ${headings[rule][all.length === 1 ? 1 : 2]}`).join(', ')}.`
  const sections = kept.map(
    ({ rule, all, shown }) =>
      `## ${headings[rule][0]}\n\n${shown.map(({ draft, receipt_id }) => `- ${escaped(draft.text)} [receipt](/api/v1/data/receipts/${receipt_id})`).join('\n')}\n${
        all.length > shown.length ? `- ${all.length - shown.length} more are not listed here.\n` : ''
      }`,
  )
  const foot = `Written by the rules ${rules} from release ${release}, of what was known by ${window.until}. Every figure is a reference to a signed answer. Research data, not investment advice.`
  return {
    ...names,
    date: window.day,
    title,
    summary,
    body: `# ${escaped(title)}\n\n${summary}\n\n${sections.join('\n')}\n---\n\n${foot}\n`,
    llm_provider: null,
    statements: kept.flatMap(({ shown }) =>
      shown.map(({ draft, receipt_id }) => ({
        rule: draft.rule,
        ticker: draft.ticker,
        text: draft.text,
        template: draft.template,
        claims: [...draft.claims],
        request: draft.source.request,
        receipt_id,
      })),
    ),
    release,
    rules,
  }
}

/** Text of filers and vendors in Markdown, escaped. */
const escaped = (text: string): string => text.replaceAll(/[\\`*_{}[\]|<>~]/g, each => `\\${each}`).replaceAll(/[\r\n]+/g, ' ')

/** SHA-256 over everything that is written: equal for equal sentences of an equal release. */
export function digestOf(written: Update): Buffer {
  const { slug, date, ticker, category, title, summary, body, llm_provider, statements, release, rules } = written
  return createHash('sha256')
    .update(JSON.stringify([slug, date, ticker, category, title, summary, body, llm_provider, statements, release, rules]))
    .digest()
}
