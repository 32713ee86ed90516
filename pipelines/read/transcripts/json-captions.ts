// Captions as JSON, in the shapes that players, archives and speech recognisers write. The shape is recognised by its members; one that is
// not listed here is refused, because a number of unknown unit is not a time.
import { Unreadable } from '#schemas/errors.ts'
import { type Captions, type Cue, captionsOf, cueOf, linesOf } from './cues.ts'

type Item = Readonly<Record<string, unknown>>
const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value)
const itemsIn = (value: unknown): readonly Item[] | null => (Array.isArray(value) && value.length > 0 && value.every(isItem) ? value : null)
const numberIn = (value: unknown): number | null =>
  typeof value === 'number' ? value : typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : null
const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)

type Shape = {
  readonly name: string
  /** The list of captions of a document of this shape; null for others. */
  readonly items: (document: unknown) => readonly Item[] | null
  readonly read: (item: Item) => {
    readonly start: number | null
    readonly end: number | null
    readonly text: string | null
    readonly speaker?: string | null
  }
  /** Milliseconds of one unit of its times. */
  readonly unit: 1 | 1000
}
const has = (items: readonly Item[] | null, ...names: readonly string[]): readonly Item[] | null =>
  items !== null && names.every(name => items.every(item => Object.hasOwn(item, name))) ? items : null
const member = (document: unknown, ...names: readonly string[]): unknown =>
  isItem(document) ? names.map(name => document[name]).find(value => Array.isArray(value)) : undefined
const listIn = (document: unknown): unknown =>
  Array.isArray(document) ? document : member(document, 'captions', 'cues', 'transcript', 'segments', 'utterances')

/** Reads a caption whose times and words are in members of these names. */
const named =
  (start: string, end: string, text: string): Shape['read'] =>
  item => ({ start: numberIn(item[start]), end: numberIn(item[end]), text: textIn(item[text]), speaker: textIn(item['speaker']) })

const shapes: readonly Shape[] = [
  {
    // The captions of YouTube's player (format json3): words of an event in segments, line breaks as events that append.
    name: 'events with tStartMs, dDurationMs and segs',
    items: document => {
      const events = itemsIn(member(document, 'events'))
      return events?.some(event => Object.hasOwn(event, 'tStartMs'))
        ? events.filter(event => Array.isArray(event['segs']) && event['aAppend'] !== 1)
        : null
    },
    read: event => {
      const start = numberIn(event['tStartMs'])
      const lasts = numberIn(event['dDurationMs'])
      const segments = event['segs'] as readonly unknown[]
      const text = segments.map(segment => (isItem(segment) ? (textIn(segment['utf8']) ?? '') : '')).join('')
      return { start, end: start !== null && lasts !== null ? start + lasts : null, text }
    },
    unit: 1,
  },
  {
    name: 'items with start_ms (milliseconds), end_ms and text',
    items: document => has(itemsIn(listIn(document)), 'start_ms', 'text'),
    read: named('start_ms', 'end_ms', 'text'),
    unit: 1,
  },
  {
    // Podcasting 2.0 transcripts.
    name: 'segments with startTime (seconds), endTime and body',
    items: document => has(itemsIn(member(document, 'segments')), 'startTime', 'body'),
    read: named('startTime', 'endTime', 'body'),
    unit: 1000,
  },
  {
    // Lists that libraries write from YouTube.
    name: 'items with text, start (seconds) and duration',
    items: document => has(itemsIn(listIn(document)), 'text', 'start', 'duration'),
    read: item => {
      const [start, lasts] = [numberIn(item['start']), numberIn(item['duration'])]
      return { start, end: start !== null && lasts !== null ? start + lasts : null, text: textIn(item['text']) }
    },
    unit: 1000,
  },
  {
    // Whisper and tools based on it: seconds with a fraction; elsewhere a list of utterances with `confidence` is in milliseconds.
    name: 'segments with start (seconds), end and text',
    items: document =>
      has(itemsIn(Array.isArray(document) ? document : member(document, 'segments', 'captions', 'cues', 'transcript')), 'start', 'end', 'text'),
    read: named('start', 'end', 'text'),
    unit: 1000,
  },
]

/** Reads JSON captions. Throws `Unreadable` for text that is not JSON, for an unknown shape, and for a caption without a time or words. */
export function readJsonCaptions(subject: string, bytes: Uint8Array): Captions {
  const text = linesOf(subject, bytes).join('\n')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw new Unreadable('not_json', `${subject}: expected JSON, found "${text.slice(0, 40)}" to "${text.slice(-20)}", which does not parse`, {
      cause,
    })
  }
  for (const { items, read, unit } of shapes) {
    const found = items(document)
    if (!found) continue
    const skipped: Record<string, number> = {}
    const cues = found.flatMap((item, at): Cue[] => {
      const { start, end, text: words, speaker } = read(item)
      if (start === null || words === null)
        throw new Unreadable(
          'bad_caption',
          `${subject}: caption ${at + 1} has ${start === null ? 'no time' : 'no words'}: ${JSON.stringify(item).slice(0, 80)}`,
        )
      const cue = cueOf(Math.round(start * unit), end === null ? null : Math.round(end * unit), words.split('\n'), speaker?.trim() || null)
      if (cue === null) skipped['empty_caption'] = (skipped['empty_caption'] ?? 0) + 1
      return cue ? [cue] : []
    })
    const language = isItem(document) ? textIn(document['language']) : null
    return captionsOf(subject, cues, language?.toLowerCase() ?? null, skipped)
  }
  throw new Unreadable('unknown_shape', `${subject}: JSON of an unknown shape, expected one of: ${shapes.map(shape => shape.name).join('; ')}`)
}
