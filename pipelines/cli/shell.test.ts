// Words of the commands that are printed to be pasted, read back by a shell.
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoted, shellWord } from './shell.ts'

it('a shell reads each word as it was, and a plain path has no quotes', () => {
  for (const text of ['data/warehouse.duckdb', "/srv/it's data", '/srv/ü #5% "x" $HOME [y]*', ''])
    for (const word of [quoted(text), shellWord(text)])
      expect(spawnSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' }).stdout, word).toBe(text)
  expect(shellWord('data/warehouse.duckdb')).toBe('data/warehouse.duckdb')
})
