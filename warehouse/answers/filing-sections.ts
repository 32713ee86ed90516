// The sections of one filing, and a slice of one of them as filed.
import { NotFound } from '#schemas/errors.ts'
import type { Filing } from '#schemas/filings.ts'
import { type Built, originsOf, type ReleaseContext } from '../context/answer.ts'
import { findFilingEntities, findFilingVersions, findSections, type Section } from '../datasets/filings/filings.ts'
import { findRiskFactors } from '../rules/risk-factors/risk-factors.ts'
import { filingSources, unknownFiling } from './filings.ts'
import type { Answers, QuestionOf } from './types.ts'

/** What an answer about one filing states of it. */
export const headOf = ({ form, filed_date, company }: Filing) => ({ form, filed_date, company })

const datasets = ['filings', 'report_items', 'risk_factors'] as const

/** Null if the accession is not known. Throws `NotFound` with the existing sections if the filing lacks the item. */
async function buildFilingSections(context: ReleaseContext, question: QuestionOf<'get_filing_sections'>): Promise<Built | null> {
  const { accession, item, start, length } = question
  const as_of = question.as_of ?? null
  const entities = await findFilingEntities(context.lake, accession, as_of)
  const [first] = entities
  if (!first) return null
  const ciks = [...new Set(entities.map(each => each.cik))].sort()
  const items = await findSections(context.lake, ciks, accession, as_of)
  const sections = items.some(each => nameOf(each) === '1A') ? items : [...items, ...(await riskSection(context, ciks, accession, as_of))]
  const chosen = item === undefined ? undefined : longest(sections.filter(each => nameOf(each) === item))
  if (item !== undefined && chosen === undefined) {
    const held = sections.map(nameOf).join(', ')
    throw new NotFound(`${first.form} ${accession} has no item ${item} that was read`, {
      hint: held === '' ? 'no section of this filing was read; document_url of the filing is its text' : `its items are ${held}`,
    })
  }
  const whole = chosen === undefined ? [] : [...(chosen.text ?? '')]
  const end = Math.min(start + length, whole.length)
  return {
    body: {
      accession,
      ...headOf(first),
      count: sections.length,
      sections: sections.map(each => ({
        item: nameOf(each),
        part: each.part,
        title: each.title,
        status: each.status,
        words: each.words,
        characters: [...(each.text ?? '')].length,
        text_sha256: each.text_sha256,
        document: each.document,
      })),
      section:
        chosen === undefined
          ? null
          : {
              item: nameOf(chosen),
              start: Math.min(start, whole.length),
              end,
              characters: whole.length,
              next_start: end < whole.length ? end : null,
              untrusted_text: whole.slice(start, end).join(''),
            },
      known_from: first.known_from,
    },
    sources: filingSources([first]),
    origins: async () => originsOf([...items, ...(await findFilingVersions(context.lake, entities, as_of))]),
    datasets,
  }
}

/** The item's number; the risk factors of an annual information form are item 1A too. */
const nameOf = ({ item }: Pick<Section, 'item'>): string => (item === 'risk_factors' ? '1A' : item)

/** Parts I and II of a 10-Q may both have an item of a number: the longer one is the section. */
const longest = (sections: readonly Section[]): Section | undefined =>
  sections.reduce<Section | undefined>((held, each) => (held === undefined || each.words > held.words ? each : held), undefined)

/** The risk factors of a prospectus are one section, because it has no items. */
async function riskSection(context: ReleaseContext, ciks: readonly string[], accession: string, asOf: string | null): Promise<Section[]> {
  const factors = await findRiskFactors(context.lake, ciks, [accession], asOf)
  if (factors.length === 0) return []
  const text = factors.map(({ heading, body }) => `${heading}\n${body}`).join('\n\n')
  const words = factors.reduce((sum, factor) => sum + factor.words, 0)
  return [
    {
      item: '1A',
      part: null,
      title: null,
      status: 'full',
      words,
      text,
      text_sha256: null,
      document: null,
      accession,
      source: '',
      raw_sha256: '',
      known_from: '',
    },
  ]
}

export const filingSectionAnswers = {
  get_filing_sections: { build: buildFilingSections, missing: unknownFiling },
} satisfies Answers
