import { describe, expect, it } from 'vitest'
import { diffInThread } from './diff.ts'
import { paragraphsOf, type ReportInput, reportDiff, sectionCosine } from './report.ts'

const words = (name: string, count: number): string => Array.from({ length: count }, (_, at) => `${name}${(at * 7919) % 1009}`).join(' ')
const filing = (accession: string, names: readonly string[], count = 60) => ({
  cik: '0000990501',
  accession,
  company: null,
  factors: names.map(name => ({ group: null, heading: `Our ${name} may fail us.`, body: words(name, count) })),
})
const input = (old: readonly string[], recent: readonly string[], count?: number): ReportInput => ({
  chain: [filing('old', old, count), filing('new', recent, count)],
  old: 0,
  new: 1,
  oldText: null,
  newText: null,
  ids: true,
})

describe('a comparison in its thread', () => {
  it('gives the same result in a thread, several together in order', async () => {
    const inputs = [input(['plant', 'loan'], ['loan', 'tariff']), input(['plant'], ['plant']), input([], ['plant'])]
    expect(await Promise.all(inputs.map(diffInThread))).toEqual(inputs.map(each => reportDiff(each)))
  })
  it('the loop that asks goes on meanwhile', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `risk${at}x`)
    const comparison = diffInThread(input(names, names.toReversed(), 2_000))
    let turns = 0
    let done = false
    const ended = comparison.then(() => {
      done = true
    })
    while (!done) {
      await new Promise(resolve => setImmediate(resolve))
      turns += 1
    }
    await ended
    expect(turns).toBeGreaterThan(50)
  })
  it('an input that cannot be compared is an error of that one question', async () => {
    await expect(diffInThread({ ...input(['plant'], ['plant']), new: 7 })).rejects.toThrow()
    expect((await diffInThread(input(['plant'], ['plant']))).summary.unchanged).toBe(1)
  })
})

describe('a report of changes', () => {
  it('quotes at most 600 characters of a side and states how many hunks there are', () => {
    const report = reportDiff(input(['plant'], ['loan'], 400))
    expect(report.changes.map(change => [change.class, change.hunks_total])).toEqual([
      ['removed', 1],
      ['new', 1],
    ])
    for (const change of report.changes) {
      expect(change.hunks[0]?.truncated).toBe(true)
      for (const hunk of change.hunks) expect(Math.max(hunk.old_text.length, hunk.new_text.length)).toBeLessThanOrEqual(600)
    }
  })
  it('a rewritten factor is one removed and one new that name each other, counted as both', () => {
    const old = { group: null, heading: 'our plant may stop', body: `${words('kept', 30)} ${words('old', 50)}` }
    const recent = { group: null, heading: 'our plant may stop', body: `${words('kept', 30)} ${words('new', 50)}` }
    const chain = [old, recent].map((factor, at) => ({ cik: '0000990501', accession: `a${at}`, company: null, factors: [factor] }))
    const { summary, changes } = reportDiff({ chain, old: 0, new: 1, oldText: null, newText: null, ids: true })
    expect(summary).toMatchObject({ rewritten: 1, removed: 1, new: 1 })
    const [removed, added] = changes
    expect([removed?.class, added?.class]).toEqual(['removed', 'new'])
    expect([removed?.rewritten, added?.rewritten]).toEqual([added?.new[0]?.factor_id, removed?.old[0]?.factor_id])
    expect(removed?.old[0]?.factor_id).not.toBe(added?.new[0]?.factor_id)
  })
  it('the cosine of a section with itself is 1, with nothing in common 0', () => {
    expect(sectionCosine('We may fail, and fail again.', 'we MAY fail and fail again')).toBe(1)
    expect(sectionCosine('plant loan', 'tariff flood')).toBe(0)
    expect(sectionCosine('', 'tariff')).toBe(0)
  })
  it('paragraphs of other items have forty words and more, and lose none', () => {
    const text = ['Item 7. Discussion', words('a', 50), 'Short.', words('b', 60), 'Also short.'].join('\n')
    const parts = paragraphsOf(text)
    expect(parts.map(part => part.words)).toEqual([54, 62])
    const joined = parts.flatMap(part => `${part.heading} ${part.body}`.split(/\s+/)).filter(word => word !== '')
    expect(joined).toEqual(text.split(/\s+/))
  })
})
