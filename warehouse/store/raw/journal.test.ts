// The journal of decisions after a power cut.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Decision, journalDecision, readJournal } from './decisions.ts'
import { journalName } from './journal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossfile-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const decisionOf = (fingerprint: string): Decision => ({
  fingerprint,
  dataset: 'bars',
  subject: 'AAA|2026-01-02',
  decision: 'released',
  at: '2026-11-20T10:00:00.000Z',
  note: 'operator:',
})

test('a decision after a line that a power cut tore is a line of its own', async () => {
  const place = { folder, objects: null }
  await journalDecision(place, decisionOf('f1'))
  appendFileSync(join(folder, journalName), JSON.stringify(decisionOf('f2')).slice(0, 30))
  expect(await readJournal(place)).toEqual([decisionOf('f1')])
  await journalDecision(place, decisionOf('f3'))
  expect(await readJournal(place)).toEqual([decisionOf('f1'), decisionOf('f3')])
})
test('a line that is not a decision is named with what to do', async () => {
  const place = { folder, objects: null }
  await journalDecision(place, decisionOf('f1'))
  appendFileSync(join(folder, journalName), '{}\n')
  await expect(readJournal(place)).rejects.toThrow('decisions.jsonl:2: not a decision')
})
