// SEC EDGAR: fair access is at most 10 requests a second from one address over all machines, with a contact in the
// User-Agent. A client over the limit gets an HTML page, with 403 or 200, and is blocked for about ten minutes.
import { isHtml } from '../sniff.ts'
import { type Answer, couldNotAsk, type Disguise, doesNotExist, type Kind, upstream } from '../upstream.ts'

const blockSeconds = 600
const marker = /undeclared automated tool|request rate threshold exceeded|declare your traffic|exceeded the rate limit/i

/** The block page is about 2 to 6 kB; a filing that quotes its words is longer or not an HTML page. */
const isBlockPage = (answer: Answer): boolean => answer.body.length <= 32_768 && isHtml(answer.head) && marker.test(answer.head)

/** The store behind www.sec.gov answers in XML; for a day without an index (weekend, holiday) it returns AccessDenied, not NoSuchKey. */
const isMissingIndex = (answer: Answer): boolean =>
  /^\/Archives\/edgar\/(?:(?:daily|full)-index|Feed)\//.test(answer.url.pathname) &&
  !isHtml(answer.head) &&
  /<Error>\s*<Code>(?:AccessDenied|NoSuchKey)<\/Code>/.test(answer.head.slice(0, 1024))

function disguised(answer: Answer): Disguise | null {
  if (answer.status === 403 && isMissingIndex(answer)) return doesNotExist('no_index', 'EDGAR has no index at this address')
  if (answer.status === 403 || answer.status === 429 || isBlockPage(answer)) {
    const fault = /undeclared automated tool|declare your traffic/i.test(answer.head) ? 'does not accept the User-Agent' : 'reports too many requests'
    return couldNotAsk('sec_block_page', `the SEC ${fault} (status ${answer.status}); requests stop for ${blockSeconds} s`, { stop: blockSeconds })
  }
  return null
}

function expects(url: URL): Kind {
  const path = url.pathname.toLowerCase()
  if (path.includes('/xsl')) return 'html' // ownership XML rendered for people
  if (url.hostname === 'efts.sec.gov' || path.endsWith('.json')) return 'json'
  if (path.endsWith('.xml') || path.endsWith('.atom') || url.searchParams.get('output') === 'atom') return 'xml'
  if (/\.(?:zip|gz|z)$/.test(path)) return 'archive'
  if (/\.(?:idx|txt|nc)$/.test(path)) return 'text'
  return /(?:\.html?|\/)$/.test(path) ? 'html' : 'any'
}

const mebi = 1_048_576

export const edgar = upstream('edgar', 'SEC EDGAR', {
  hosts: ['www.sec.gov', 'data.sec.gov', 'efts.sec.gov'],
  licence: 'public domain (works of the United States government and public filings)',
  credential: 'contact',
  // 8 a second evenly spaced: 9 in any closed second as granted, which leaves one for network jitter.
  limits: { group: 'sec', perSecond: 8, burst: 1, concurrency: 4 },
  expects,
  disguised,
  // companyfacts.zip and submissions.zip are well above 1 GB; a filing with its pictures may pass 100 MB.
  caps: url => {
    if (expects(url) === 'archive') return { bodyBytes: 4096 * mebi, totalMs: 3_600_000 }
    return /^\/Archives\/edgar\/(?:data|full-index)\//.test(url.pathname) ? { bodyBytes: 256 * mebi } : {}
  },
})
