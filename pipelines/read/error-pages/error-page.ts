// A web page with an error, among recorded documents: it belongs to no source's data, and is read as a failed
// request. Live responses never get this far: the client refuses a page in place of data (sniff.ts).
import { Upstream } from '#schemas/errors.ts'
import { excerpt, isHtml, windows } from '../../fetch/sources/sniff.ts'
import type { Reader } from '../parsed.ts'
import { reader } from '../reader.ts'

const title = /<title[^>]{0,200}>([^<]{0,300})/i
const refusal =
  /\b(?:error|[45]\d\d|not found|access denied|forbidden|unauthorized|too many requests|rate limit|blocked|captcha|robot|unavailable|just a moment|attention required|sign in|log ?in|pardon our interruption)\b/i

/** Last of all readers: it takes what no other reader recognises. */
export const errorPageReaders: readonly Reader[] = [
  reader('recorded.error-page', 'bars', {
    reads: () => false,
    matches: head => isHtml(head) && refusal.test(title.exec(head)?.[1] ?? ''),
    parse: document => {
      throw new Upstream(`${document.url}: a web page instead of data: "${excerpt(windows(document.body).head)}"`)
    },
  }),
]
