import { describe, expect, test } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { nearest } from '#schemas/nearest-name.ts'
import { dayOf, symbolsOf } from '../jobs/backfill/arguments.ts'
import { readArguments, wholeNumber } from './arguments.ts'

const options = { job: { value: 'NAME', about: '' }, limit: { value: 'N', about: '' }, json: { about: '' } } as const
const faultOf = (work: () => unknown): { message: string; hint: string | undefined } => {
  try {
    work()
  } catch (error) {
    if (error instanceof BadRequest) return { message: error.message, hint: error.hint }
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('options', () => {
  test('values are taken from both spellings, switches are off where they are not given', () => {
    expect(readArguments('runs', options, ['--job', 'fx', '--limit=5']).values).toEqual({ job: 'fx', limit: '5', json: false })
    expect(readArguments('runs', options, ['--json']).values).toEqual({ json: true })
  })
  test('an option that may stand several times gives a line for each', () => {
    const several = { state: { value: 'STATE', about: '', many: true } } as const
    expect(readArguments('runs', several, ['--state', 'NY', '--state=Washington, D.C.']).values).toEqual({ state: 'NY\nWashington, D.C.' })
  })
  test('the id of a key may begin with a hyphen, as an argument and as a value', () => {
    const id = `-${'Ab_-'.repeat(10)}xY`
    const read = readArguments('signing-keys revoke', options, [id, '--job', `-${id.slice(1)}`, '--json'], { most: 1 })
    expect([read.rest, read.values]).toEqual([[id], { job: id, json: true }])
    expect(readArguments('signing-keys revoke', options, ['-'.repeat(43)], { most: 1 }).rest).toEqual(['-'.repeat(43)])
    expect(faultOf(() => readArguments('runs', options, [`${id}z`])).message).toContain('no option')
  })
  test('the beginning of the id of a key may begin with a hyphen in a command that takes one', () => {
    const words = { most: 1, areKeyIds: true } as const
    expect(readArguments('signing-keys revoke', options, ['-aB_3-x7', '--job', 'now'], words)).toMatchObject({
      rest: ['-aB_3-x7'],
      values: { job: 'now' },
    })
    expect(faultOf(() => readArguments('signing-keys revoke', options, ['-x'], words)).message).toBe('signing-keys revoke: no option -x')
    expect(faultOf(() => readArguments('signing-keys revoke', options, ['--jobb', 'now'], words)).hint).toContain('did you mean --job?')
    expect(faultOf(() => readArguments('runs', options, ['-aB_3-x7'], { most: 1 })).message).toContain('no option -a')
  })
  test('an unknown option names the nearest and the page that helps', () => {
    expect(faultOf(() => readArguments('runs', options, ['--limt', '5']))).toEqual({
      message: 'runs: no option --limt',
      hint: 'did you mean --limit? (crossfile help runs)',
    })
    expect(faultOf(() => readArguments('runs', options, ['--colour'])).hint).toBe('crossfile help runs')
    expect(faultOf(() => readArguments('runs', options, ['-x'])).message).toBe('runs: no option -x')
    expect(faultOf(() => readArguments('runs', options, ['--__proto__=1'])).message).toContain('no option')
  })
  test.each([
    [['--job'], 'runs: --job needs a value (NAME)'],
    [['--job', '--json'], 'runs: --job needs a value (NAME)'],
    [['--job='], 'runs: --job needs a value (NAME)'],
    [['--json=yes'], 'runs: --json is a switch and takes no value'],
    [['--job', 'a', '--job', 'b'], 'runs: --job is given twice'],
    [['more'], 'runs: "more" is one argument too many'],
  ])('%j is refused: nothing that was typed is dropped in silence', (argv, message) => {
    expect(faultOf(() => readArguments('runs', options, argv)).message).toBe(message)
  })
  test('words that a command needs and does not get are named', () => {
    expect(faultOf(() => readArguments('run', {}, [], { least: 1, most: 1, what: 'the name of the job' })).message).toBe(
      'run: the name of the job is missing',
    )
    expect(readArguments('release', options, ['--json', '--', '-1'], { most: 2 }).rest).toEqual(['-1'])
  })
})

describe('values', () => {
  test('symbols become canonical, sorted and single; a CIK gets its ten digits', () => {
    expect(symbolsOf('ry.to, tsx:shop,BRK/B,ry.to,320193')).toEqual(['0000320193', 'BRK-B', 'RY.TO', 'SHOP.TO'])
    expect(symbolsOf(undefined)).toBeNull()
    expect(faultOf(() => symbolsOf(' , ')).message).toBe('--symbols names none')
    expect(faultOf(() => symbolsOf('AAPL,not a symbol at all')).message).toContain('"not a symbol at all" is not a symbol')
  })
  test('a day must exist', () => {
    expect(dayOf('--from', '2024-02-29')).toBe('2024-02-29')
    expect(faultOf(() => dayOf('--from', '2023-02-29')).message).toBe('--from 2023-02-29: expected a day such as 2026-03-31')
  })
  test('a number out of its limits says the limits', () => {
    const limits = { from: 1, to: 10, otherwise: 5 }
    expect([wholeNumber('--limit', undefined, limits), wholeNumber('--limit', '10', limits)]).toEqual([5, 10])
    for (const text of ['0', '11', '-1', '1e1', '3.5', ''])
      expect(faultOf(() => wholeNumber('--limit', text, limits)).message).toContain('expected a whole number from 1 to 10')
  })
  test('the nearest name is near, or the only one that begins so', () => {
    expect(nearest('stauts', ['start', 'status', 'runs'])).toBe('status')
    expect(nearest('quar', ['quarantine', 'keys'])).toBe('quarantine')
    expect(nearest('r', ['run', 'runs', 'rebuild'])).toBeNull()
    expect(nearest('xyzzy', ['start', 'status'])).toBeNull()
  })
})
