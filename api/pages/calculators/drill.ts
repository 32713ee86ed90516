// `/calculators/drill`: a release with drill results, read: the table drawn, flags marked on the text.
import { DrillInterpretRequest, depositTypes } from '#schemas/drill.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { number, orUnknown, unknown } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { section } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html, join } from '../html.ts'
import type { Faults } from '../page.ts'
import { counted, sentence } from '../words.ts'
import { calculatorPage, rulesSection, statusBadge } from './calculator.ts'

type Answer = AnswerOf<'interpret_drill'>
type Interval = Answer['intervals'][number]
const sampleText =
  'Hole GL-26-014 returned 12.5 m @ 3.2 g/t Au from 120.0 m, including 2.0 m @ 10.0 g/t Au from 124.0 m. Hole GL-26-015 returned 30.0 m grading 0.8 g/t Au and 0.21% Cu from 56.5 m. True widths are not known.'

export const drillPage = calculatorPage('/calculators/drill', 'Drill results', {
  summary: 'Drill results read from a text: intervals drawn as a table, grades in context, and flags marked on the text.',
  lead: 'Paste a release. Every interval is drawn with its grades and what follows from them; what is missing or unusual is marked on the text.',
  action: 'read',
  operation: 'interpret_drill',
  fields: [
    {
      name: 'text',
      label: 'Text of the release',
      kind: 'area',
      value: sampleText,
      help: 'Sentences, lists or tables; metric, imperial, English or French. The text is not stored.',
    },
    {
      name: 'deposit_type',
      label: 'Deposit type',
      kind: { options: depositTypes.map(each => [each, each === 'default' ? 'by depth' : each.replaceAll('_', ' ')] as const) },
      value: 'default',
      help: 'Its grade bands apply.',
    },
  ],
  start: { text: sampleText },
  request: DrillInterpretRequest,
  empty: { text: '' },
  faults: ({ text }): Faults => (text === '' ? { text: 'Paste the text of a release.' } : {}),
  result: (answer, typed) => result(answer, String(typed?.['text'] ?? sampleText).trim()),
})

function result(answer: Answer, text: string): Content {
  const { flags, checklist, unread, reading_guide, equivalents_reckoned_with } = answer
  return html`${section({
    id: 'intervals',
    title: counted(answer.count, 'interval'),
    lead: 'Lengths are core lengths unless a true width is stated. Parts are indented under the interval that includes them.',
    body: intervalTable(answer.intervals),
  })}
${section({
  id: 'text',
  title: 'The text with what was found',
  lead: 'Underlined: read as a result. Coloured: the place of a flag, by its number.',
  body: markedText(text, answer),
})}
${section({
  id: 'flags',
  title: counted(flags.length, 'flag'),
  body: table({
    caption: 'Flags by their number in the text',
    captionHidden: true,
    columns: [tight('#'), tight('Weight'), tight('Interval'), 'What'],
    rows: flags.map((each, at) => [
      html`<span id="${`flag-${at + 1}`}">${at + 1}</span>`,
      statusBadge(each.severity),
      each.interval_ref ?? 'the text',
      html`${sentence(each.explanation)} <code>${each.code}</code>`,
    ]),
    empty: 'Nothing unusual was found.',
  }),
})}
${section({
  id: 'checklist',
  title: 'What a written disclosure must state',
  lead: 'Requirements of National Instrument 43-101.',
  body: table({
    caption: 'Checklist',
    captionHidden: true,
    columns: ['Item', tight('Section'), tight('State'), 'Why'],
    rows: checklist.map(each => [each.item.replaceAll('_', ' '), each.section, statusBadge(each.status), sentence(each.explanation)]),
  }),
})}
${
  unread.length > 0 &&
  section({
    id: 'unread',
    title: `${counted(unread.length, 'figure')} not read as a result`,
    body: table({
      caption: 'Figures that were not read',
      captionHidden: true,
      columns: ['Reason', 'Details'],
      rows: unread.map(each => [each.reason.replaceAll('_', ' '), each.detail]),
    }),
  })
}
${rulesSection(
  answer,
  html`<p class="small">${sentence(reading_guide)}</p>${
    equivalents_reckoned_with.length > 0 &&
    table({
      caption: 'Equivalents are calculated with',
      columns: [tight('Metal'), numeric('Price, USD'), tight('Per'), numeric('Recovery')],
      rows: equivalents_reckoned_with.map(each => [
        each.metal,
        orUnknown(each.price_usd, value => number(value)),
        each.per,
        `${number(each.recovery_pct)}\u00a0%`,
      ]),
    })
  }`,
)}`
}

const flat = (intervals: readonly Interval[], depth = 0): (readonly [Interval, number])[] =>
  intervals.flatMap(each => [[each, depth] as const, ...flat(each.including, depth + 1)])

function intervalTable(intervals: readonly Interval[]): Html {
  return table({
    caption: 'Intervals',
    captionHidden: true,
    columns: [
      'Hole',
      numeric('From, m'),
      numeric('To, m'),
      numeric('Length, m'),
      numeric('True width, m'),
      'Grades',
      numeric('Grade × length'),
      numeric('Equivalent'),
      'Band',
      'Rest without parts',
    ],
    rows: flat(intervals).map(([each, depth]) => [
      html`${depth > 0 && html`<span class="soft">${'↳ '.repeat(depth)}including</span> `}${each.hole ?? unknown} <span class="soft">${each.ref}</span>`,
      orUnknown(each.from_m, value => number(value)),
      orUnknown(each.to_m, value => number(value)),
      number(each.length_m),
      each.true_width === null
        ? unknown
        : each.true_width.low_m === each.true_width.high_m
          ? number(each.true_width.low_m)
          : `${number(each.true_width.low_m)} to ${number(each.true_width.high_m)}`,
      join(
        each.grades.map(grade => `${grade.qualifier ?? ''}${number(grade.value)} ${grade.unit} ${grade.metal ?? ''}${grade.capped ? ' (cut)' : ''}`),
        html`<br>`,
      ),
      join(
        each.derived.grade_thickness.map(
          part => html`${number(part.value)} ${part.unit} ${part.metal}${part.reading !== null && html` <span class="soft">${part.reading}</span>`}`,
        ),
        html`<br>`,
      ),
      join(
        each.derived.equivalents.map(part => `${number(part.value)} ${part.unit} ${part.metal}`),
        html`<br>`,
      ),
      each.band.band === null
        ? html`<span class="soft">${each.band.reason}</span>`
        : html`${badge(each.band.band.replaceAll('_', ' '), 'plain')} <span class="soft">${each.band.deposit_type.replaceAll('_', ' ')}</span>`,
      join(
        each.derived.residual.map(
          part =>
            html`${part.grade === null ? unknown : number(part.grade)} ${part.unit} ${part.metal}${!part.consistent && html` ${badge('inconsistent', 'bad')}`}`,
        ),
        html`<br>`,
      ),
    ]),
    empty: 'No interval with a grade was found in the text.',
  })
}

/** The text in pieces that begin and end where a result or a flag does. Offsets count Unicode code points. */
function markedText(text: string, { intervals, flags }: Answer): Html {
  const characters = [...text]
  const spans = [
    ...flat(intervals).flatMap(([each]) => each.evidence.map(({ start, end }) => ({ start, end, flag: null as number | null }))),
    ...flags.flatMap((each, at) => each.evidence.map(({ start, end }) => ({ start, end, flag: (at + 1) as number | null }))),
  ].filter(({ start, end }) => start < end && end <= characters.length)
  const cuts = [...new Set([0, characters.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b)
  return html`<div class="document-text prose" tabindex="0" role="region" aria-label="The text with marks">${cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1] ?? characters.length
    const piece = characters.slice(start, end).join('')
    const covering = spans.filter(each => each.start <= start && each.end >= end)
    if (covering.length === 0) return piece
    const numbers = [...new Set(covering.flatMap(({ flag }) => flag ?? []))]
    const ending = numbers.filter(each => spans.some(span => span.flag === each && span.end === end))
    return html`<mark class="${numbers.length > 0 ? 'value flagged' : 'value'}">${piece}</mark>${ending.map(each => html`<sup><a href="#flag-${each}" aria-label="Flag ${each}">${each}</a></sup>`)}`
  })}</div>`
}
