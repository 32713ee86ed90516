// The questions that README.md and docs/assistant.md show are answered as the pages state, follow-ups in italics included.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { clockOf } from '#fixtures/world/upstream.ts'
import type { AssistantAnswer, Conversation } from '#schemas/assistant.ts'
import type { CallOperation } from '#schemas/operation-calls.ts'
import { contextOf } from '../context/release-contexts.ts'
import { answerQuestion } from './answer-question.ts'
import { figuresOfProse } from './figures.ts'
import { lakeCalls } from './lake-calls.ts'

const root = join(import.meta.dirname, '..', '..')
const sectionOf = (file: string, title: string): string => {
  const [, after = ''] = readFileSync(join(root, file), 'utf8').split(`\n## ${title}\n`)
  return after.split('\n## ')[0] ?? ''
}
const pages = [
  { file: 'README.md', title: 'Ask it' },
  { file: 'docs/assistant.md', title: 'Examples' },
].map(({ file, title }) => ({ file, section: sectionOf(file, title) }))
/** `text *in italics*` in its two parts. */
const partsOf = (cell: string): readonly [string, string] => {
  const italic = /(?<!\*)\*([^*]+)\*(?!\*)/.exec(cell)?.[1] ?? ''
  return [cell.replace(`*${italic}*`, '').trim(), italic.trim()]
}
const rowsOf = (section: string): (readonly string[])[] =>
  section
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| Question'))
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )

const warehouse = await worldWarehouse()
const now = new Date(clockOf(warehouse.world))
let call: CallOperation
beforeAll(async () => {
  call = lakeCalls(await contextOf(await warehouse.lake(), null), now)
})
const ask = (question: string, conversation: Conversation | null): Promise<AssistantAnswer> =>
  answerQuestion({ question, conversation, profile: null, call, now, signal: new AbortController().signal, signed: false, monotonic: () => 0 })
/** The figures of `stated` that neither the answer nor its question contains. */
const missing = (stated: string, question: string, { answer }: AssistantAnswer): string[] => {
  const values = new Set(figuresOfProse(`${question}\n${answer}`).map(each => each.value))
  return figuresOfProse(stated).flatMap(({ text, value }) => (values.has(value) ? [] : [text]))
}

describe.each(pages)('the questions of $file', ({ section }) => {
  it('are ten', () => {
    expect(rowsOf(section).length).toBe(10)
  })
  it.each(rowsOf(section).map(row => [row[0] ?? '', row] as const))('%s', async (_name, [asked = '', stated = '', operations = '']) => {
    const [[question, next], [answer, nextAnswer]] = [partsOf(asked), partsOf(stated)]
    const first = await ask(question, null)
    expect([first.envelope.refused, missing(answer, question, first)]).toEqual([null, []])
    const called = first.envelope.calls.map(each => each.operation)
    for (const [, operation = ''] of operations.matchAll(/`(\w+)`/g)) expect(called).toContain(operation)
    if (next === '') return
    const second = await ask(next, first.envelope.subject)
    expect([second.envelope.refused, missing(nextAnswer, next, second)]).toEqual([null, []])
  })
})

it('the answer that README.md prints is the one of its question', async () => {
  const { section } = pages[0] as (typeof pages)[number]
  const question = /crossfile -- ask "([^"]+)"/.exec(section)?.[1] ?? ''
  const printed = /```text\n([\s\S]*?)\n```/.exec(section)?.[1] ?? '-'
  const { answer } = await ask(question, null)
  // The sources of quotes depend on the jobs that ran: the page prints … for them.
  for (const part of printed.split('…')) expect(answer).toContain(part.trim())
})

describe('the sizes of the sets of questions', () => {
  const page = readFileSync(join(root, 'docs', 'assistant.md'), 'utf8')
  const sizeOf = (name: string): number => (JSON.parse(readFileSync(join(root, 'fixtures', 'assistant', `${name}.json`), 'utf8')) as unknown[]).length

  it.each([
    ['corpus', /`fixtures\/assistant\/corpus\.json` has (\d+) questions/],
    ['corpus', /^\| corpus \| (\d+) \|/m],
    ['holdout', /^\| `holdout\.json`[^|]*\| (\d+) \|/m],
    ['second-holdout', /^\| `second-holdout\.json`[^|]*\| (\d+) \|/m],
  ])('%s: the page states its number of questions', (name, pattern) => {
    expect(Number(pattern.exec(page)?.[1])).toBe(sizeOf(name))
  })
})
