// A password typed on a terminal: not shown, mended by backspace, and nothing where none is typed.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askSecret } from './ask-secret.ts'

function terminal() {
  const raw: boolean[] = []
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) })
  let shown = ''
  const output = Object.assign(new PassThrough(), { isTTY: true })
  output.on('data', part => (shown += String(part)))
  return { input, output, raw, shown: () => shown }
}
const ask = ({ input, output }: ReturnType<typeof terminal>): Promise<string> =>
  askSecret('password: ', input as unknown as NodeJS.ReadStream, output as unknown as NodeJS.WriteStream)

test('what is typed is taken until Enter and never shown; the terminal is as before afterwards', async () => {
  const screen = terminal()
  const requested = ask(screen)
  for (const part of ['seven brow', 'nn\u007f ', 'ött', 'ers\u001b', '\r']) screen.input.write(part)
  expect(await requested).toBe('seven brown ötters')
  expect([screen.shown(), screen.raw]).toEqual(['password: \n', [true, false]])
})
test('Enter alone is no password', async () => {
  const screen = terminal()
  const requested = ask(screen)
  screen.input.write('\r')
  await expect(requested).rejects.toThrow('no password was given')
  expect(screen.raw).toEqual([true, false])
})
test('where there is no terminal, the first line counts', async () => {
  const input = new PassThrough()
  input.end('first line\nsecond\n')
  expect(await askSecret('', input as unknown as NodeJS.ReadStream)).toBe('first line')
})
