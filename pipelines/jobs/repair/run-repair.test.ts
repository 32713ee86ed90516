// The job `repair` over a command that prints what `crossfile repair --json` prints.
import { expect, test } from 'vitest'
import { runRepair } from './run-repair.ts'

const signal = (): AbortSignal => new AbortController().signal
function over(report: object | string, code: number) {
  const lines: string[] = []
  const script = `process.stdout.write(${JSON.stringify(typeof report === 'string' ? report : JSON.stringify(report))}); process.stderr.write('first\\nthe reason\\n'); process.exitCode = ${code}`
  return {
    lines,
    done: runRepair({ command: [process.execPath, '-e', script], log: (level, message) => lines.push(`${level} ${message}`), signal: signal() }),
  }
}
const repaired = {
  dataset: 'bars',
  file: 'a'.repeat(64),
  rows: 3,
  reason: 'its SHA-256 differs',
  result: 'rebuilt from raw, the same bytes',
  repaired: true,
}

test('a report without damage is a note', async () => {
  expect(await over({ files: 61, damaged: 0, repairs: [] }, 0).done).toBe('every file is whole: 61 hashed')
})
test('each repaired file is a line of the log', async () => {
  const { lines, done } = over({ files: 61, damaged: 1, repairs: [repaired] }, 0)
  expect(await done).toBe('1 damaged files repaired, 61 hashed')
  expect(lines).toEqual(['info bars aaaaaaaaaaaa: its SHA-256 differs; rebuilt from raw, the same bytes'])
})
test('a file that was not repaired fails the run with its reason', async () => {
  const left = { ...repaired, dataset: 'raw', result: 'NOT repaired: it needs a backup (--from)', repaired: false }
  await expect(over({ files: 61, damaged: 2, repairs: [repaired, left] }, 1).done).rejects.toThrow(
    '1 damaged file was not repaired, such as raw aaaaaaaaaaaa: NOT repaired: it needs a backup (--from)',
  )
})
test.each([
  ['', 3, 'repair ended with code 3: the reason'],
  ['no JSON', 1, 'repair reported nothing that can be read: the reason'],
] as const)('%j with code %i fails with the last line of the error output', async (report, code, message) => {
  await expect(over(report, code).done).rejects.toThrow(message)
})
test('a stopped run ends the command', async () => {
  const stop = new AbortController()
  const done = runRepair({ command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], log: () => {}, signal: stop.signal })
  stop.abort(new Error('the worker stops'))
  await expect(done).rejects.toThrow('the worker stops')
})
