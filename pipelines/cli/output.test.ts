import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { commandLog, processIo, wantsColour } from './io.ts'
import { keptIo } from './kept-io.ts'
import { columnsOf, duration, paintState, paragraph, relative, size, table, wrapped, zoned } from './output.ts'
import { barText, createProgress, remaining } from './progress.ts'

test('a sentence is broken between words, behind its indent; without a width it stays one line', () => {
  const sentence = 'states keep the power to pursue fraud'
  expect(wrapped({ width: 24 }, sentence, 2)).toEqual(['  states keep the power', '  to pursue fraud'])
  expect(wrapped({ width: null }, sentence, 2)).toEqual([`  ${sentence}`])
  expect(wrapped({ width: 24 }, `a ${'x'.repeat(30)} b`)).toEqual(['a', 'x'.repeat(30), 'b'])
  expect(paragraph({ width: 24 }, sentence, '- ', '    ')).toEqual(['- states keep the power', '    to pursue fraud'])
  expect(paragraph({ width: null }, sentence, '- ', '    ')).toEqual([`- ${sentence}`])
})

describe('numbers and times', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [226_300, '226 kB'],
    [83_100_000_000, '83.1 GB'],
    [999_600, '1.0 MB'],
  ])('%i bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text))
  test.each([
    [850, '850 ms'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
    [270_000_000, '3 d 3 h'],
  ])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text))
  test('a moment is told from where the reader stands', () => {
    const now = new Date('2026-11-20T20:00:00Z')
    expect(relative(new Date('2026-11-20T19:56:57Z'), now)).toBe('3 min 3 s ago')
    expect(relative(new Date('2026-11-20T20:42:10Z'), now)).toBe('in 42 min')
    expect(relative(new Date('2026-11-20T20:00:01Z'), now)).toBe('just now')
  })
  test('the next run is shown on the clock of its exchange, summer time included', () => {
    expect(zoned(new Date('2026-07-06T23:00:00Z'), 'America/Toronto')).toBe('Mon 2026-07-06 19:00 EDT')
    expect(zoned(new Date('2026-11-23T04:30:00Z'), 'America/New_York')).toBe('Sun 2026-11-22 23:30 EST')
  })
})

describe('tables', () => {
  const columns = columnsOf('>id', 'subject', '*detail')
  test('numbers stand right, words left, and a log is never cut', () => {
    expect(
      table(keptIo(), columns, [
        [7, 'A', 'x'.repeat(300)],
        [1234, 'BRK-B', null],
      ]),
    ).toEqual(['   id  subject  detail', `    7  A        ${'x'.repeat(300)}`, '1,234  BRK-B    -'])
  })
  test('on a terminal the widest column gives way so that no line breaks', () => {
    const lines = table(keptIo({}, { width: 40 }), columns, [['1', 'A', 'x'.repeat(300)]])
    expect(lines.map(line => line.length <= 40)).toEqual([true, true])
    expect(lines[1]?.endsWith('…')).toBe(true)
  })
  test('a document cannot move the cursor or forge a line', () => {
    expect(table(keptIo(), columnsOf('a'), [['x\u001b[2J\r\ny']])).toEqual(['a', 'x [2J  y'])
  })
  test('colours go only to a terminal that wants them', () => {
    expect(paintState({ colour: false })('failed')).toBe('failed')
    expect(paintState({ colour: true })('failed')).not.toBe('failed')
    expect(stripVTControlCharacters(paintState({ colour: true })('done, 3 rows'))).toBe('done, 3 rows')
    expect([wantsColour(true, {}), wantsColour(true, { NO_COLOR: '1' }), wantsColour(true, { TERM: 'dumb' }), wantsColour(false, {})]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})

describe('progress', () => {
  /** A clock that is moved by hand. */
  const at = (io: ReturnType<typeof keptIo>) => {
    let ms = 0
    return { io: { ...io, now: () => new Date(ms) }, wait: (more: number) => (ms += more) }
  }
  test('a log gets one line per tenth and none for the steps between', () => {
    const kept = keptIo()
    const { io, wait } = at(kept)
    const progress = createProgress(io, 'fx', 'windows')
    for (let done = 0; done <= 200; done += 1) {
      progress.update({ done, total: 200 })
      wait(100)
    }
    expect(kept.output.err.length).toBe(10)
    expect(kept.output.err[0]).toBe('fx: 10%, 20/200 windows, about 18 s left')
    expect(kept.output.err.at(-1)).toBe('fx: 100%, 200/200 windows')
  })
  test('where nothing moves a log gets a line each half minute', () => {
    const kept = keptIo()
    const { io, wait } = at(kept)
    const progress = createProgress(io, 'fx', 'windows')
    for (let second = 0; second < 95; second += 1) {
      progress.update({ done: 1, total: 1000 })
      wait(1000)
    }
    expect(kept.output.err.length).toBe(3)
  })
  test('a resumed backfill is not credited with the pace of what was done before', () => {
    expect(remaining(900, 950, 1000, 50_000)).toBe(50_000)
    expect(remaining(900, 900, 1000, 50_000)).toBeNull()
  })
  test('the bar is full only at the end', () => {
    expect(barText(999, 1000)).toBe(`[${'#'.repeat(23)}·]  99%`)
    expect(barText(1000, 1000)).toBe(`[${'#'.repeat(24)}] 100%`)
    expect(barText(0, 0)).toContain('100%')
  })
  test('a terminal gets a redrawn line and no log lines', () => {
    const kept = keptIo({}, { terminal: true })
    createProgress(kept, 'reading', 'files').update({ done: 3, total: null, note: 'a.xml' })
    expect(kept.output.bars).toEqual(['reading 3 files, a.xml'])
    expect(kept.output.err).toEqual([])
  })
})

test('a command logs warnings, with CROSSFILE_LOG=debug everything, with silent nothing', () => {
  const lines = (level: 'info' | 'debug' | 'silent'): number => {
    const kept: string[] = []
    const log = commandLog(
      () => level,
      line => kept.push(line),
    )
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log(each, 'x')
    return kept.length
  }
  expect([lines('info'), lines('debug'), lines('silent')]).toEqual([2, 4, 0])
})

test('a noun behind a count is singular for 1: some() and not count()', () => {
  const sources = globSync('**/*.ts', { cwd: import.meta.dirname }).filter(name => !name.endsWith('.test.ts') && name !== 'output.ts')
  const wrong = sources.flatMap(name =>
    (readFileSync(join(import.meta.dirname, name), 'utf8').match(/\$\{count\([^`]*?\)\} (?:[a-z]+ ){0,2}[a-z]+s\b.*/g) ?? [])
      .filter(line => !/^\$\{[^`]*?\} of /.test(line))
      .map(line => `${name}: ${line}`),
  )
  expect(wrong).toEqual([])
  expect(sources.length).toBeGreaterThan(100)
})

describe('the output of the process', () => {
  const faultOf = (code: string): { exits: unknown[]; written: string } => {
    const before = { stdout: process.stdout.listeners('error'), stderr: process.stderr.listeners('error') }
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    try {
      processIo({}, () => {
        throw new Error('no settings are needed')
      })
      process.stdout.emit('error', Object.assign(new Error(`${code}: the fault`), { code }))
      return { exits: exit.mock.calls.flat(), written: write.mock.calls.map(([text]) => String(text)).join('') }
    } finally {
      for (const name of ['stdout', 'stderr'] as const)
        for (const listener of process[name].listeners('error'))
          if (!before[name].includes(listener)) process[name].off('error', listener as (error: Error) => void)
      exit.mockRestore()
      write.mockRestore()
    }
  }
  test('a full disk ends the command with one sentence and exit code 1', () =>
    expect(faultOf('ENOSPC')).toEqual({ exits: [1], written: 'crossfile: the output cannot be written: ENOSPC: the fault\n' }))
  test('a closed reader is no fault', () => expect(faultOf('EPIPE')).toEqual({ exits: [], written: '' }))
})
