// Where the first key is printed: on a terminal, and nowhere else.
import { expect, it } from 'vitest'
import { shownKey } from './start.ts'

it('the first key is printed on a terminal only; a log file or a pipe gets the path of its file', () => {
  const config = { dataFolder: '/srv/data' }
  const [terminal, pipe] = [shownKey('cf_live_x', config, true), shownKey('cf_live_x', config, false)]
  expect(JSON.stringify(terminal)).toContain('cf_live_x')
  expect(JSON.stringify(pipe)).not.toContain('cf_live_x')
  expect(pipe.inCommand).toBe("$(cat '/srv/data/api-key')")
  for (const { line } of [terminal, pipe]) expect(line).toContain('tier prime')
})
