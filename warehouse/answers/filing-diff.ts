// Changes in an item, usually risk factors, between two filings of an issuer: which two, and how they differ.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type Built, originsOf, type ReleaseContext } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { rounded } from '../context/rounded.ts'
import { findFilingVersions } from '../datasets/filings/filings.ts'
import { diffInThread } from '../rules/risk-factors/diff.ts'
import { type Chosen, choosePair, formsOf, hasContent, itemOfForm } from '../rules/risk-factors/pair.ts'
import { type DiffReport, paragraphsOf, type ReportedChange } from '../rules/risk-factors/report.ts'
import {
  type FoundFactor,
  type FoundSections,
  findRiskFactors,
  findSections,
  findSectionTexts,
  type SectionFiling,
} from '../rules/risk-factors/risk-factors.ts'
import { diffRules } from '../rulesets/rfdiff/rules.ts'
import { filingSources } from './filings.ts'
import { filingDiffPage } from './paged/filing-diff.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['filings', 'report_items', 'risk_factors', 'symbols', 'issuer_tickers', 'insider_filings'] as const
type Question = QuestionOf<'get_filing_diff'>
type Status = 'compared' | 'no_update' | 'not_required' | 'one_filing' | 'no_filing' | 'not_read' | 'not_covered'

const thresholds = {
  unchanged_from: diffRules.unchanged_from,
  modified_minor_from: diffRules.modified_minor_from,
  modified_from: diffRules.modified_from,
  rewritten_from: diffRules.rewritten_from,
  containment_from: diffRules.containment_from,
  moved_ranks: diffRules.moved_ranks,
  hunk_characters: diffRules.hunk_characters,
}

/** A side's factor as an answer identifies it. */
type Piece = Pick<FoundFactor, 'rank' | 'heading' | 'body' | 'words' | 'text_sha256'> & {
  readonly group: string | null
  readonly source_start: number | null
  readonly source_end: number | null
}
type Compared = {
  readonly report: DiffReport
  readonly old: readonly Piece[]
  readonly new: readonly Piece[]
}

export async function buildFilingDiff(context: ReleaseContext, question: Question): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'get_filing_diff', filters).after[0])
  const asOf = as_of ?? null
  const cik = issuerCik(context, question.ticker)
  const item = itemOfForm(question.form, question.item)
  const found = cik === null ? { filings: [], holders: [] } : await findSections(context.lake, cik, formsOf(question.form), item.stored, asOf)
  // Risk factors do not describe another item.
  const filings = item.factors ? found.filings : found.filings.map(filing => ({ ...filing, factors: 0 }))
  const chosen = choosePair(filings, question, diffRules)
  const compared =
    cik !== null && chosen.kind === 'pair' ? await compare(context, cik, { filings, holders: found.holders }, chosen, item.factors, asOf) : null
  const page = compared?.report.changes.slice(from, from + limit) ?? []
  const more = compared !== null && from + limit < compared.report.changes.length
  const diffCoverage = coverageOf(question, cik, chosen)
  const [old, recent] = [chosen.old, chosen.new]
  const used = [old, recent].flatMap(filing => filing ?? [])
  return {
    body: {
      ticker: question.ticker,
      cik,
      form: question.form,
      item: question.item,
      coverage: diffCoverage,
      no_update: diffCoverage.status === 'no_update',
      old: old && printedFiling(old, compared?.old.length),
      new: recent && printedFiling(recent, compared?.new.length),
      summary: compared?.report.summary ?? null,
      metrics: compared && printedMetrics(compared.report.metrics),
      ruleset: diffRules.ruleset,
      thresholds,
      warnings: chosen.warnings,
      count: page.length,
      changes: page.map(change => printedChange(change, compared as Compared, question.texts === true)),
      next_cursor: more ? encodeCursor('get_filing_diff', filters, context.lake.versionOf(datasets).release, [from + limit]) : null,
    },
    sources: filingSources(used),
    // The index and the header of a filing complete each other, and either may have written its row last.
    origins: async () => {
      const parties = filings.flatMap(({ accession }) =>
        [...new Set([...(cik === null ? [] : [cik]), ...found.holders])].map(each => ({ accession, cik: each })),
      )
      return originsOf([...filings, ...(await findFilingVersions(context.lake, parties, asOf))])
    },
    datasets,
  }
}

async function compare(
  context: ReleaseContext,
  cik: string,
  { filings, holders }: FoundSections,
  pair: Extract<Chosen, { kind: 'pair' }>,
  factors: boolean,
  asOf: string | null,
): Promise<Compared> {
  // Ids come from the whole chain up to the later of the two; paragraphs of other items have none.
  const later = Math.max(filings.indexOf(pair.old), filings.indexOf(pair.new))
  const chain = factors
    ? filings.slice(0, later + 1).filter(filing => filing.factors > 0 || filing === pair.old || filing === pair.new)
    : [pair.old, pair.new]
  const [rows, texts] = await Promise.all([
    factors
      ? findRiskFactors(
          context.lake,
          holders,
          chain.map(filing => filing.accession),
          asOf,
        )
      : [],
    findSectionTexts(context.lake, holders, [pair.old, pair.new], asOf),
  ])
  const pieces = new Map<string, Piece[]>(chain.map(filing => [filing.accession, factors ? [] : paragraphs(texts.get(filing.accession) ?? '')]))
  for (const row of rows) pieces.get(row.accession)?.push({ ...row, group: row.group_heading })
  for (const filing of [pair.old, pair.new]) if (pieces.get(filing.accession)?.length === 0) throw notSplit(filing)
  const report = await diffInThread({
    chain: chain.map(({ accession, company }) => ({ cik, accession, company, factors: (pieces.get(accession) as Piece[]).map(textOf) })),
    old: chain.indexOf(pair.old),
    new: chain.indexOf(pair.new),
    oldText: texts.get(pair.old.accession) ?? null,
    newText: texts.get(pair.new.accession) ?? null,
    ids: factors,
  })
  return { report, old: pieces.get(pair.old.accession) as Piece[], new: pieces.get(pair.new.accession) as Piece[] }
}
const textOf = ({ group, heading, body }: Piece) => ({ group, heading, body })

function paragraphs(text: string): Piece[] {
  return paragraphsOf(text).map((part, at) => ({ ...part, rank: at + 1, text_sha256: part.sha256, source_start: null, source_end: null }))
}

function notSplit(filing: SectionFiling): NotFound {
  return new NotFound(`filing ${filing.accession}: its section was found, but no risk factors or paragraphs were read from it`, {
    hint: 'name two other filings with old= and new=',
  })
}

/** Checks that a comparison is possible; throws if the answer would look like "nothing changed" although that is unknown. */
function coverageOf(question: Question, cik: string | null, chosen: Chosen): { readonly status: Status; readonly detail: string } {
  const { form, ticker } = question
  const what = question.item === '1A' ? 'the risk factors' : `item ${question.item}`
  if (cik === null)
    return {
      status: 'not_covered',
      detail: `${ticker} has no CIK: it does not file with the SEC as far as we know, so there is no ${form} to compare`,
    }
  if (chosen.kind === 'pair' && chosen.old.accession === chosen.new.accession) {
    throw new BadRequest(`filing-diff: ${chosen.new.accession} would be compared with itself`, {
      hint: 'name an earlier filing with old=, or a later one with new=',
    })
  }
  if (chosen.kind === 'pair')
    return { status: 'compared', detail: `${what} of ${chosen.new.accession} compared with those of ${chosen.old.accession}` }
  if (chosen.kind === 'unknown_accession') {
    throw new BadRequest(`filing-diff: ${chosen.accession} is no ${form} of ${ticker} that we hold`, {
      hint: `GET /api/v1/data/filings/search?ticker=${ticker}&form=${form} lists them`,
    })
  }
  if (chosen.kind === 'section_missing') {
    throw new NotFound(`filing ${chosen.filing.accession}: ${what} cannot be compared: ${missingText(chosen.filing)}`, {
      hint:
        chosen.others.length > 0
          ? `filings with that section: ${chosen.others.slice(0, 6).join(', ')}; name two with old= and new=`
          : 'no filing of this form that we hold has it',
    })
  }
  const detail = {
    no_update: `${chosen.new?.accession ?? ''} says that there were no material changes: ${chosen.new?.reason ?? ''}`,
    not_required: `${chosen.new?.accession ?? ''} does not give ${what}: ${chosen.new?.reason ?? ''}`,
    one_filing: `${chosen.new?.accession ?? ''} is the only ${form} of ${ticker} with ${what} that we hold: there is nothing to compare it with`,
    no_filing: `no ${form} of ${ticker} is known to us`,
    not_read: `${form} filings of ${ticker} are listed, but none of their documents has been read yet`,
  }[chosen.kind]
  return { status: chosen.kind, detail }
}

const missingText = ({ status, reason }: SectionFiling): string =>
  status === null ? 'it was not found in the document' : `its status is ${status}${reason === null ? '' : ` (${reason})`}`

const printedFiling = (filing: SectionFiling, factors: number | undefined) => ({
  accession: filing.accession,
  form: filing.form,
  filed_date: filing.filed_date,
  period_of_report: filing.period_of_report,
  status: filing.status ?? (hasContent(filing) ? 'full' : 'not_present'),
  reason: filing.reason,
  words: filing.words,
  factors: factors ?? filing.factors,
  text_sha256: filing.text_sha256,
  url: filing.url,
})

function printedMetrics({ sentences, ...metrics }: DiffReport['metrics']) {
  const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : rounded(part / whole))
  return {
    old_words: metrics.old_words,
    new_words: metrics.new_words,
    cosine: rounded(metrics.cosine),
    share_new: rounded(metrics.share_new),
    share_removed: rounded(metrics.share_removed),
    reading_order_change: rounded(metrics.reading_order_change),
    sentences: {
      ...sentences,
      unchanged_ratio: ratio(sentences.unchanged, sentences.new),
      added_ratio: ratio(sentences.added, sentences.new),
      removed_ratio: ratio(sentences.removed, sentences.old),
    },
  }
}

function printedChange(change: ReportedChange, compared: Compared, texts: boolean) {
  const named = (side: 'old' | 'new') =>
    change[side].map(({ at, factor_id }) => {
      const piece = compared[side][at] as Piece
      return {
        factor_id,
        rank: piece.rank,
        group: piece.group,
        heading: piece.heading,
        words: piece.words,
        sha256: piece.text_sha256,
        source_start: piece.source_start,
        source_end: piece.source_end,
        ...(texts ? { untrusted_text: `${piece.heading}\n${piece.body}` } : {}),
      }
    })
  return {
    class: change.class,
    similarity: change.similarity === null ? null : rounded(change.similarity),
    same_text: change.same_text,
    moved: change.moved,
    old: named('old'),
    new: named('new'),
    rewritten: change.rewritten,
    numbers: change.numbers,
    hunks: change.hunks,
    hunks_total: change.hunks_total,
  }
}

export const filingDiffAnswers = {
  get_filing_diff: { build: buildFilingDiff, page: filingDiffPage },
} satisfies Answers
