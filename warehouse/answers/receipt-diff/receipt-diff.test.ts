import { expect, it } from 'vitest'
import { aStatementInput } from '#fixtures/receipts/vectors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { AnswerCause } from '#schemas/receipt-diff.ts'
import { buildStatement } from '../../store/receipts/statement.ts'
import { causesOf, restatementCauses, statementCauses } from './causes.ts'
import { changedValues } from './values.ts'

const changes = (before: string, after: string) => changedValues(parseExactly(before), parseExactly(after))

it('compares digits, names rows by what identifies them, and leaves out what every release changes', () => {
  expect(changes('{"price":1.50,"as_of":"a","release":1}', '{"price":1.5,"as_of":"b","release":2}')).toEqual([
    { path: 'price', kind: 'changed', before: '1.50', after: '1.5', row: null },
  ])
  const rows = (list: string): string => `{"bars":[${list}]}`
  const [one, two, three] = ['{"date":"2026-01-05","close":1}', '{"date":"2026-01-06","close":2}', '{"date":"2026-01-06","close":3}']
  expect(changes(rows(`${one},${two}`), rows(`${three}`)).map(({ path, kind, before, after }) => [path, kind, before, after])).toEqual([
    ['bars[date=2026-01-05]', 'removed', one, null],
    ['bars[date=2026-01-06].close', 'changed', '2', '3'],
  ])
  expect(changes(rows(''), rows(one))).toMatchObject([{ path: 'bars[date=2026-01-05]', kind: 'added', after: one }])
  expect(changes('{"tags":["a","b"]}', '{"tags":["a"]}')).toMatchObject([{ path: 'tags', before: '["a","b"]', after: '["a"]' }])
  // Without an identity, rows are compared by position.
  expect(changes('{"rows":[{"x":1},{"x":1}]}', '{"rows":[{"x":1},{"x":2}]}')).toMatchObject([{ path: 'rows[1].x' }])
  expect(changes('{"a":{"b":null}}', '{"a":{"c":0}}').map(each => [each.path, each.kind])).toEqual([
    ['a.b', 'removed'],
    ['a.c', 'added'],
  ])
})

it('names filings, rulesets, corrections, restatements and versions of the code, and nothing without evidence', () => {
  const accession = '0009990001-26-000099'
  const statement = (change: object) => buildStatement({ ...aStatementInput(), ...change })
  const causes: AnswerCause[] = statementCauses(
    statement({}),
    statement({
      transform: 'insider/2',
      schema: 'form4/2',
      sources: [
        { accession, sha256: '22'.repeat(32) },
        { source: 'EODHD', sha256: '33'.repeat(32) },
      ],
    }),
  )
  expect(causes.map(each => each.kind)).toEqual(['transform', 'schema', 'new_filing', 'new_document', 'absent_filing'])
  const restated = restatementCauses(
    [3, 4, 9].map(release => ({
      ex_date: '2026-05-19',
      actions: ['split:a:0'],
      reason: 'action',
      release,
      withdrawn: false,
      first_date: '2026-01-01',
      last_date: '2026-05-15',
    })),
    3,
    8,
  )
  expect(restated).toHaveLength(1)
  const kindsOf = (before: string, after: string): string[][] =>
    changes(before, after).map(change => causesOf(change, causes, restated).map(at => causes[at]?.kind ?? ''))
  expect(kindsOf('{"transactions":[]}', `{"transactions":[{"accession":"${accession}","line":1}]}`)).toEqual([['new_filing']])
  expect(kindsOf('{"transactions":[{"accession":"0009000001-26-000007","line":1}]}', '{"transactions":[]}')).toEqual([['absent_filing']])
  expect(kindsOf('{"ruleset":"insider@1"}', '{"ruleset":"insider@2"}')).toEqual([['ruleset']])
  expect(kindsOf('{"rows":[{"id":1,"shares":5}]}', '{"rows":[{"id":1,"shares":6,"corrected":[{"field":"shares"}]}]}')).toEqual([
    ['correction'],
    ['correction'],
  ])
  const bar = (date: string, close: number): string => `{"bars":[{"date":"${date}","adjusted_close":${close}}]}`
  expect(kindsOf(bar('2026-05-15', 2), bar('2026-05-15', 1))).toEqual([['restatement']])
  expect(kindsOf(bar('2026-05-19', 2), bar('2026-05-19', 1))).toEqual([[]])
  expect(kindsOf('{"bars":[]}', bar('2026-05-15', 1))).toEqual([[]])
})
