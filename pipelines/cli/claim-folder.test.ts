import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFolders } from '#fixtures/test-folder.ts'
import { claimFolder } from './claim-folder.ts'

const aFolder = testFolders('claim')

test('of starts in different modes at the same time, those of one mode continue', async () => {
  const dataFolder = join(aFolder(), 'data')
  const modes = ['bundled', 'live', 'bundled', 'live', 'bundled', 'live'] as const
  const outcomes = await Promise.allSettled(modes.map(mode => claimFolder({ dataFolder, mode })))
  const held = readFileSync(join(dataFolder, 'mode'), 'utf8').trim()
  expect(outcomes.map(({ status }) => status)).toEqual(modes.map(mode => (mode === held ? 'fulfilled' : 'rejected')))
  for (const each of outcomes) if (each.status === 'rejected') expect(String(each.reason)).toContain('the data folder holds the')
  expect(readdirSync(dataFolder)).toEqual(['mode'])
})
