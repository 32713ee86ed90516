// The manifest of a transcripts folder, `manifest.csv` or `manifest.json`: the call of each caption file. One line per file, with
// file,ticker,date,video_url[,video_id,title,uploader,language] in any order. `file` is relative to the manifest; `video_id` is optional
// for addresses of YouTube and Vimeo, which contain it.

import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { TranscriptLanguage } from '#schemas/transcripts.ts'
import { csvRows, fileName, isObject, jsonOf } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import type { Parsed, RawDocument, Refused } from '../parsed.ts'

/** Known facts of one caption file. */
export type TranscriptEntry = {
  readonly file: string
  readonly ticker: string
  readonly date: string
  readonly video_id: string
  readonly video_url: string
  readonly title: string | null
  readonly uploader: string | null
  readonly language: TranscriptLanguage | null
}
export type Manifest = { readonly entries: readonly TranscriptEntry[]; readonly refused: readonly Refused[] }

type Cells = Readonly<Record<string, string>>
type Fault = { readonly reason: string; readonly detail: string }

export const manifestNames = ['manifest.csv', 'manifest.json'] as const
export const manifestColumns = ['file', 'ticker', 'date', 'videourl'] as const
const longestText = 500

/** The id in an address of a known site. */
function idIn(url: URL): string | null {
  const host = url.hostname.replace(/^(?:www|m)\./, '')
  if (host === 'youtube.com') return url.searchParams.get('v') ?? /^\/(?:live|embed|shorts)\/([\w-]{6,20})/.exec(url.pathname)?.[1] ?? null
  if (host === 'youtu.be') return /^\/([\w-]{6,20})/.exec(url.pathname)?.[1] ?? null
  if (host === 'vimeo.com' || host === 'player.vimeo.com') return /\/(\d{5,12})(?:$|\/)/.exec(url.pathname)?.[1] ?? null
  return null
}

const quoted = (text: string | undefined): string => `"${(text ?? '').slice(0, 60)}"`

function entryOf(cells: Cells, retrieved: string): TranscriptEntry | Fault {
  const fault = (reason: string, detail: string): Fault => ({ reason, detail })
  const file = cells['file'] ?? ''
  const ticker = parseSymbol(cells['ticker'] ?? '')?.symbol
  const date = dayOf(cells['date'])
  const url = URL.parse(cells['videourl'] ?? '')
  const video_id = cells['videoid'] || (url && idIn(url))
  const language = cells['language'] ? TranscriptLanguage.safeParse(cells['language'].toLowerCase().slice(0, 2)) : null
  const long = (['file', 'videoid', 'videourl', 'title', 'uploader'] as const).find(name => (cells[name] ?? '').length > longestText)
  const odd = Object.entries(cells).find(([, value]) => /\p{Cc}/u.test(value) || !value.isWellFormed())
  if (file === '') return fault('no_file', 'names no file, expected the caption file, e.g. calls/q3.vtt')
  if (file.startsWith('/') || file.startsWith('\\') || /(?:^|[\\/])\.\.(?:[\\/]|$)|^[A-Za-z]:/.test(file))
    return fault('file_outside', `has file ${quoted(file)}, expected a path below the folder of the manifest`)
  if (ticker === undefined) return fault('bad_symbol', `has ticker ${quoted(cells['ticker'])}, expected e.g. AAPL, RY.TO or XYZ.V`)
  if (date === null)
    return fault('bad_date', `has date ${quoted(cells['date'])}, expected the day on which the recording was published as YYYY-MM-DD`)
  if (date > retrieved.slice(0, 10)) return fault('date_ahead', `has date ${date}, after the file was read on ${retrieved.slice(0, 10)}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return fault('bad_video_url', `has video_url ${quoted(cells['videourl'])}, expected an address that begins with https:// and holds no password`)
  if (!video_id) return fault('no_video_id', `has no video_id, and ${quoted(cells['videourl'])} is no address of YouTube or Vimeo that holds one`)
  if (language !== null && !language.success)
    return fault('unknown_language', `has language ${quoted(cells['language'])}, expected ${TranscriptLanguage.options.join(' or ')}, or nothing`)
  if (long !== undefined) return fault('too_long', `has a ${long} of ${cells[long]?.length} characters, expected at most ${longestText}`)
  if (odd !== undefined) return fault('control_character', `has a control character or half of a surrogate pair in ${odd[0]}`)
  return {
    file,
    ticker,
    date,
    video_id,
    video_url: url.href,
    title: cells['title'] || null,
    uploader: cells['uploader'] || null,
    language: language?.data ?? null,
  }
}

/** Rows of a JSON manifest: a list of objects, or `{"transcripts": [...]}`. */
function jsonRows(document: RawDocument): { readonly cells: Cells; readonly at: number }[] {
  const value = jsonOf(document)
  const list: TextJson | undefined = isObject(value) ? value['transcripts'] : value
  if (!Array.isArray(list))
    throw new Unreadable(
      'not_a_list',
      `${document.url}: found JSON without a list, expected [...] or {"transcripts": [...]} with one object for each file`,
    )
  return (list as readonly TextJson[]).map((item, index) => {
    if (!isObject(item)) throw new Unreadable('not_an_object', `${document.url}: entry ${index + 1} is not an object`)
    const cells = Object.entries(item).map(
      ([name, each]) => [name.replace(/[\s_-]/g, '').toLowerCase(), each === null ? '' : String(each).trim()] as const,
    )
    return { cells: Object.fromEntries(cells), at: index + 1 }
  })
}

/**
 * Reads a manifest: its valid lines, and the faults of the others. Of two lines about one file the first counts. Throws `Unreadable` if it
 * is not a manifest.
 */
export function readManifest(document: RawDocument): Manifest {
  const isJson = /\.json$/i.test(document.url)
  const word = isJson ? 'entry' : 'line'
  const rows = isJson ? jsonRows(document) : csvRows(document, manifestColumns)
  const entries = new Map<string, TranscriptEntry>()
  const calls = new Map<string, string>()
  const refused: Refused[] = []
  for (const { cells, at } of rows) {
    const read = entryOf(cells, document.retrieved_at)
    const refuse = ({ reason, detail }: Fault): void => {
      const subject = `${decodeURIComponent(fileName(document.url))} ${word} ${at}`
      refused.push({ dataset: 'transcript_chunks', reason, subject, detail: `${document.url}: ${word} ${at} ${detail}`, record: { ...cells } })
    }
    if ('reason' in read) {
      refuse(read)
      continue
    }
    const call = `${read.ticker} ${read.video_id}`
    if (entries.has(read.file)) refuse({ reason: 'file_twice', detail: `names ${quoted(read.file)} a second time; the first counts` })
    else if (calls.has(call))
      refuse({ reason: 'video_twice', detail: `names ${call} a second time, of ${quoted(calls.get(call))} before; the first counts` })
    else {
      entries.set(read.file, read)
      calls.set(call, read.file)
    }
  }
  return { entries: [...entries.values()], refused }
}

/** The manifest as a document: it has no rows, and its bad lines are held back. */
export function parseManifest(document: RawDocument): Parsed {
  return { facts: {}, refused: readManifest(document).refused, skipped: {}, follow: [] }
}
