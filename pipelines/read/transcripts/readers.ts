// Readers of the transcripts folder: caption files of four formats, recognised by name and content, and manifests.
import { createHash } from 'node:crypto'
import { Unreadable } from '#schemas/errors.ts'
import type { TranscriptFormat } from '#schemas/transcripts.ts'
import { TranscriptLanguage } from '#schemas/transcripts.ts'
import { languageOf } from '#warehouse/datasets/transcripts/words.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { headerOf } from '../csv/body.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { isBundle, openBundle } from './bundle.ts'
import { chunkCues } from './chunk.ts'
import type { Captions } from './cues.ts'
import { readJsonCaptions } from './json-captions.ts'
import { manifestColumns, parseManifest } from './manifest.ts'
import { withoutRepetition } from './rolling.ts'
import { readSrt } from './srt.ts'
import { readTimedText } from './timed-text.ts'
import { readWebVtt } from './webvtt.ts'

/** Addresses of the transcripts folder: `transcripts:` and the path below it. */
export const transcriptScheme = 'transcripts:'

type Format = Exclude<TranscriptFormat, 'exhibit'>
const readers: Readonly<Record<Format, (subject: string, bytes: Uint8Array) => Captions>> = {
  webvtt: readWebVtt,
  srt: readSrt,
  json: readJsonCaptions,
  text: readTimedText,
}

/** The format of a caption file by how it begins; its name decides between the two that begin with words or numbers. */
export function formatOf(name: string, captions: Uint8Array): Format {
  const start = decodeText(captions.subarray(0, 4096)).replace(/^\ufeff/, '')
  if (/^WEBVTT/.test(start) || /\.vtt$/i.test(name)) return 'webvtt'
  if (/^\s*[[{]/.test(start) && !/^\s*\[\s*[\d:.,]+\s*\]/.test(start)) return 'json'
  if (/\.srt$/i.test(name) || /(?:^|[\r\n])[^\r\n]*-->/.test(start)) return 'srt'
  return 'text'
}

/** Chunks of one call. Throws `Unreadable` if the file is broken: then none of it is used. */
export function parseTranscript(document: RawDocument): Parsed {
  const { entry, captions } = openBundle(document.url, document.body)
  const format = formatOf(entry.file, captions)
  const subject = `${format} ${document.url}`
  if (captions.byteLength === 0) throw new Unreadable('empty_file', `${subject}: the file is empty, expected captions`)
  const { cues, language: stated, skipped } = readers[format](subject, captions)
  const { cues: once, repeated } = withoutRepetition(cues)
  const chunks = chunkCues(once)
  const named = TranscriptLanguage.safeParse(stated?.slice(0, 2))
  const language = entry.language ?? (named.success ? named.data : stated === null ? languageOf(chunks.map(chunk => chunk.text).join(' ')) : null)
  const captions_sha256 = createHash('sha256').update(captions).digest('hex')
  // Published on its day, so it is known from the end of that day; if it is read on that day, from then on.
  const known = entry.date < document.retrieved_at.slice(0, 10) ? { known_from: `${entry.date}T23:59:59Z`, known_basis: 'published' as const } : {}
  return {
    facts: {
      transcript_chunks: chunks.map((chunk, chunk_idx) => ({
        subject: entry.ticker,
        video_id: entry.video_id,
        chunk_idx,
        chunks: chunks.length,
        ...chunk,
        language,
        format,
        ticker: entry.ticker,
        cik: null,
        accession: null,
        video_url: entry.video_url,
        video_title: entry.title,
        uploader: entry.uploader,
        upload_date: entry.date,
        captions_sha256,
        ...known,
      })),
    },
    refused: [],
    skipped: repeated === 0 ? skipped : { ...skipped, repeated_caption: repeated },
    follow: [],
  }
}

const isManifest = (url: string): boolean => url.startsWith(transcriptScheme) && /(?:[:/])manifest\.(?:csv|json)$/i.test(url)

export const transcriptReaders: readonly Reader[] = [
  reader('transcripts.manifest', 'transcript_chunks', {
    reads: isManifest,
    recognise: (path, head) =>
      /(?:^|\/)manifest\.csv$/.test(path) && manifestColumns.every(name => headerOf(head).includes(name)) ? `${transcriptScheme}${path}` : null,
    parse: parseManifest,
  }),
  reader('transcripts.captions', 'transcript_chunks', {
    reads: url => url.startsWith(transcriptScheme) && !isManifest(url),
    // A caption file does not identify the company; a file stored with its line of the manifest does.
    recognise: (path, head) => (isBundle(head) ? `${transcriptScheme}${path}` : null),
    parse: parseTranscript,
  }),
]
