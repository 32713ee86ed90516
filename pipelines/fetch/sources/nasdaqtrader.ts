// Nasdaq Trader's symbol directory: every US listing in three pipe-separated files, complete each time. The last line gives the
// creation time, so a file without it was truncated, whatever its status.
import { type Answer, couldNotAsk, type Disguise, upstream } from './upstream.ts'

function disguised(answer: Answer): Disguise | null {
  if (answer.status !== 200 || answer.body.length === 0 || /^\s*</.test(answer.head)) return null
  if (!/^\s*\uFEFF?[A-Za-z ]+\|/.test(answer.head))
    return couldNotAsk('not_a_directory', 'the first line is not a pipe-separated header', { retry: true })
  const last = answer.tail.trimEnd().split('\n').at(-1) ?? ''
  if (/^File Creation Time: ?\d{8,14}:?\d{2}/.test(last)) return null
  return couldNotAsk('no_trailer', 'the last line is not "File Creation Time: ...", so the file was truncated', { retry: true })
}

export const nasdaqtrader = upstream('nasdaqtrader', 'Nasdaq Trader symbol directory', {
  hosts: ['www.nasdaqtrader.com'],
  licence: 'free to read; no grant to redistribute',
  limits: { perSecond: 1, burst: 3 },
  expects: () => 'text',
  disguised,
})

const folder = 'https://www.nasdaqtrader.com/dynamic/symdir'
/** Nasdaq's own listings. */
export const nasdaqListedUrl = `${folder}/nasdaqlisted.txt`
/** Listings of the other US exchanges. */
export const otherListedUrl = `${folder}/otherlisted.txt`
