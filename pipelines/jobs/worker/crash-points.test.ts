import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { crashPointsOf } from './crash-points.ts'

const module = JSON.stringify(new URL('./crash-points.ts', import.meta.url).href)

/** A process that passes some points with `text` armed, and says `alive` if it gets to the end. */
const passing = (text: string, ...points: readonly string[]) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { crashPointsOf } = await import(${module}); const point = crashPointsOf(${JSON.stringify(text)}); for (const name of ${JSON.stringify(points)}) point(name); console.log('alive')`,
    ],
    { encoding: 'utf8' },
  )

test('a process is killed at the n-th passing of the named point, and says where', () => {
  const done = passing('linked:2', 'linked', 'sealed', 'linked')
  expect(done.signal).toBe('SIGKILL')
  expect(done.stderr).toBe('crash point linked: SIGKILL\n')
})

test('any point counts for a star, and points that are not reached do nothing', () => {
  expect(passing('*:3', 'a', 'b').stdout).toBe('alive\n')
  expect(passing('*:3', 'a', 'b', 'c').signal).toBe('SIGKILL')
})

test('without the setting nothing happens, and a misspelt one is refused', () => {
  expect(() => crashPointsOf(undefined)('linked')).not.toThrow()
  for (const text of ['linked', 'linked:x', 'linked:1:explode', 'LINKED:1']) expect(() => crashPointsOf(text)).toThrow('is not point:n')
})
