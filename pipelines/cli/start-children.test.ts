// A program that is loaded before it may begin, and what becomes of it when it ends too early.
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { inherited } from '#fixtures/inherited.ts'
import { testFolder } from '#fixtures/test-folder.ts'
import { type Child, type Message, supervise } from './start-children.ts'

const root = join(import.meta.dirname, '..', '..')
const { folder, file } = testFolder('held')
const heldStart = pathToFileURL(join(root, 'warehouse', 'store', 'held-start.ts')).href
/** Reports the variable when it is released, and continues to run. */
file(
  'program.mjs',
  `import { untilReleased } from ${JSON.stringify(heldStart)}
process.on('message', () => {})
await untilReleased()
process.send({ origin: process.env.CROSSFILE_UPSTREAM_BASE ?? null, pid: process.pid })
`,
)
const children: Child[] = []
afterAll(async () => {
  for (const child of children) await child.stop()
})

function held(heldFor: Promise<Readonly<Record<string, string>>>): {
  child: Child
  lines: string[]
  messages: Message[]
  next(): Promise<Message>
} {
  const messages: Message[] = []
  let arrived = (): void => undefined
  const onMessage = (message: Message): void => {
    messages.push(message)
    arrived()
  }
  const lines: string[] = []
  const program = { name: 'program', file: relative(root, join(folder, 'program.mjs')), env: inherited, onMessage, heldFor }
  const child = supervise(program, (level, message) => void lines.push(`${level} ${message}`))
  children.push(child)
  let seen = 0
  const next = async (): Promise<Message> => {
    if (messages.length === seen) await new Promise<void>(resolve => (arrived = resolve))
    seen += 1
    return messages[seen - 1] as Message
  }
  return { child, lines, messages, next }
}

describe('a program that is held', () => {
  test('begins when it is released, with the variables that come then, and again after it was killed', async () => {
    const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, string>>>()
    const { lines, messages, next } = held(promise)
    expect(messages).toEqual([])
    resolve({ CROSSFILE_UPSTREAM_BASE: 'http://127.0.0.1:1' })
    const first = await next()
    expect(first['origin']).toBe('http://127.0.0.1:1')
    process.kill(Number(first['pid']), 'SIGKILL')
    const second = await next()
    expect(second).toEqual({ origin: 'http://127.0.0.1:1', pid: expect.any(Number) })
    expect(second['pid']).not.toBe(first['pid'])
    // The kernel sends this signal if the memory is used up.
    expect(lines).toEqual([expect.stringMatching(/^warn program ended \(SIGKILL\); starting it again \(.*memory.*CROSSFILE_DUCKDB_MEMORY\)$/)])
  })
  test('that is never released ends when it is stopped, and has begun nothing', async () => {
    const { child, messages } = held(new Promise(() => undefined))
    await child.stop()
    expect(messages).toEqual([])
  })
})
