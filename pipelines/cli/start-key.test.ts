// Where the first key is printed: on a terminal, and nowhere else.
import { expect, it } from 'vitest'
import { shownKey } from './start.ts'

const config = { dataFolder: '/srv/data' }

it('the first key is printed on a terminal only; a log file or a pipe gets the path of its file', () => {
  const [terminal, pipe] = [shownKey({ text: 'cf_live_x' }, config, true), shownKey({ text: 'cf_live_x' }, config, false)]
  expect(JSON.stringify(terminal)).toContain('cf_live_x')
  expect(JSON.stringify(pipe)).not.toContain('cf_live_x')
  expect(pipe.inCommand).toBe("$(cat '/srv/data/api-key')")
  expect(shownKey({ text: 'cf_live_x' }, { dataFolder: "/srv/it's data" }, false).inCommand).toBe("$(cat '/srv/it'\\''s data/api-key')")
  for (const { line } of [terminal, pipe]) expect(line).toContain('tier prime')
})

it('a data folder without the text of the key gets its id and how to get another', () => {
  const { line, inCommand } = shownKey({ text: null, keyId: 'k_abc', last4: 'wxyz' }, config, true)
  expect(line).toContain('k_abc, which ends in wxyz; /srv/data/api-key lacks its text')
  expect(line).toContain('crossfile keys revoke k_abc')
  expect(inCommand).toBe('YOUR-KEY')
})
