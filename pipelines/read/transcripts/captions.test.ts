// Caption files in the formats and with the faults in which they are found.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { Unreadable } from '#schemas/errors.ts'
import type { RawDocument } from '../parsed.ts'
import { bundleOf, openBundle } from './bundle.ts'
import { chunkCues } from './chunk.ts'
import type { Captions } from './cues.ts'
import { timeOf } from './cues.ts'
import { readJsonCaptions } from './json-captions.ts'
import { readManifest } from './manifest.ts'
import { formatOf, parseTranscript } from './readers.ts'
import { withoutRepetition } from './rolling.ts'
import { readSrt } from './srt.ts'
import { readTimedText } from './timed-text.ts'
import { readWebVtt } from './webvtt.ts'

type Read = (subject: string, bytes: Uint8Array) => Captions
const cuesOf = (read: Read, text: string | Buffer): (readonly [number, number | null, string, string | null])[] =>
  read('file', Buffer.from(text)).cues.map(cue => [cue.start_ms, cue.end_ms, cue.lines.join(' / '), cue.speaker] as const)
const refusal = (read: Read, text: string | Buffer): string => {
  try {
    read('file', Buffer.from(text))
  } catch (error) {
    if (error instanceof Unreadable) return `${error.reason}: ${error.message}`
    throw error
  }
  return 'read'
}

describe('times', () => {
  it.each([
    ['00:00:01.500', 1_500],
    ['00:01,250', 1_250],
    ['01:02:03', 3_723_000],
    ['123:00:00.000', 442_800_000],
    ['1:05', 65_000],
    ['75:00', 4_500_000],
  ])('%s is %i ms', (text, ms) => expect(timeOf(text)).toBe(ms))
  it.each(['1:2:3:4', '00:61.000', '01:75:00', 'ten', '', '12', '9999:00:00'])('"%s" is none', text => expect(timeOf(text)).toBeNull())
})

describe('WebVTT', () => {
  it('is read with byte order mark, CRLF, settings, identifiers, styles, notes, entities and voices', () => {
    const file =
      '\ufeffWEBVTT - a call\r\nLanguage: fr-CA\r\n\r\nSTYLE\r\n::cue{color:red}\r\n\r\nNOTE a comment\r\nof two lines\r\n\r\nid 7\r\n00:01.000 --> 00:03.500 align:start position:0%\r\n<v.loud Ann Roe><i>R&amp;D</i> co&#251;ts</v>\r\n\r\n100:00:00.000 --> 100:00:02.000\r\n<c.yellow>last</c>\r\n'
    const { cues, language, skipped } = readWebVtt('file', Buffer.from(file))
    expect(cues).toEqual([
      { start_ms: 1_000, end_ms: 3_500, lines: ['R&D coûts'], speaker: 'Ann Roe' },
      { start_ms: 360_000_000, end_ms: 360_002_000, lines: ['last'], speaker: null },
    ])
    expect([language, skipped]).toEqual(['fr', { comment_or_style: 2 }])
  })
  it('may leave out an end, or have one that is not after the start', () => {
    expect(cuesOf(readWebVtt, 'WEBVTT\n\n00:01.000 -->\none\n\n00:02.000 --> align:start\ntwo\n\n00:05.000 --> 00:04.000\nthree')).toEqual([
      [1_000, null, 'one', null],
      [2_000, null, 'two', null],
      [5_000, null, 'three', null],
    ])
  })
  it('is refused whole with the line that is broken', () => {
    expect(refusal(readWebVtt, 'WEBVTT\n\n00:01.000 --> 00:02.000\none\n\n00:0x.000 --> 00:03.000\ntwo')).toMatch(
      /^bad_time: .*line 6 is "00:0x\.000 --> 00:03\.000", expected/,
    )
    expect(refusal(readWebVtt, '1\n00:00:01,000 --> 00:00:02,000\nx')).toMatch(/^not_webvtt: .*line 1 is "1", expected WEBVTT/)
    expect(refusal(readWebVtt, 'WEBVTT\n\n00:01.000 --> 00:02.000\n<i></i>\n')).toMatch(/^no_captions/)
    expect(refusal(readWebVtt, Buffer.from([0x57, 0x45, 0x42, 0x56, 0x54, 0x54, 0x0a, 0x00]))).toMatch(/^not_text/)
  })
  it('sorts captions that are out of order, and counts them', () => {
    const { cues, skipped } = readWebVtt('file', Buffer.from('WEBVTT\n\n00:05.000 --> 00:06.000\nlater\n\n00:01.000 --> 00:02.000\nearlier'))
    expect([cues.map(cue => cue.lines[0]), skipped]).toEqual([['earlier', 'later'], { caption_out_of_order: 1 }])
  })
})

describe('SubRip', () => {
  it('is read with numbers, positions, override codes, and Windows-1252 bytes', () => {
    const file = Buffer.from(
      '1\r\n00:00:01,000 --> 00:00:02,500 X1:10 Y1:20\r\n{\\an8}<font color="#fff">R\xe9sultats</font>\r\nde 2026\r\n\r\n2\r\n00:00:03,000 -->\r\nJane Roe: Merci.\r\n\r\n3\r\n00:00:04,000 --> 00:00:05,000\r\n12\r\n',
      'latin1',
    )
    expect(cuesOf(readSrt, file)).toEqual([
      [1_000, 2_500, 'Résultats / de 2026', null],
      [3_000, null, 'Merci.', 'Jane Roe'],
      [4_000, 5_000, '12', null],
    ])
  })
  it('without any time is no SubRip file', () => expect(refusal(readSrt, '1\nhello\n')).toMatch(/^no_captions/))
})

describe('JSON captions', () => {
  it.each([
    [
      'the player of a video site',
      {
        events: [
          { tStartMs: 1200, dDurationMs: 800, segs: [{ utf8: 'good' }, { utf8: ' morning' }] },
          { tStartMs: 1900, aAppend: 1, segs: [{ utf8: '\n' }] },
        ],
      },
      [1_200, 2_000, 'good morning', null],
    ],
    ['lists of libraries', [{ text: 'good morning', start: 1.2, duration: 0.8 }], [1_200, 2_000, 'good morning', null]],
    [
      'speech recognition',
      { language: 'en', segments: [{ id: 0, start: 1.2, end: 2, text: ' good morning' }] },
      [1_200, 2_000, 'good morning', null],
    ],
    [
      'podcasts',
      { version: '1.0.0', segments: [{ speaker: 'Ann', startTime: 1.2, endTime: 2, body: 'good morning' }] },
      [1_200, 2_000, 'good morning', 'Ann'],
    ],
    [
      'milliseconds by name',
      { captions: [{ start_ms: 1200, end_ms: 2000, text: 'good morning', speaker: 'Ann' }] },
      [1_200, 2_000, 'good morning', 'Ann'],
    ],
  ])('are read as %s write them', (_name, document, expected) => expect(cuesOf(readJsonCaptions, JSON.stringify(document))).toEqual([expected]))
  it('of an unknown shape, or with a caption without a time, are refused', () => {
    expect(refusal(readJsonCaptions, '{"words":[{"w":"a","t":1}]}')).toMatch(/^unknown_shape: .*expected one of: events with tStartMs/)
    expect(refusal(readJsonCaptions, '{"segments":[{"start":"x","end":2,"text":"a"}]}')).toMatch(/^bad_caption: .*caption 1 has no time/)
    expect(refusal(readJsonCaptions, '{"segments":[')).toMatch(/^not_json/)
    expect(refusal(readJsonCaptions, '{"utterances":[{"start":250,"end":1450,"text":"a"}]}')).toMatch(/^unknown_shape/)
  })
})

describe('plain text with times', () => {
  it('has times in brackets, in front of words, or on lines by themselves', () => {
    expect(
      cuesOf(
        readTimedText,
        'Minutes\n\n[00:00:05] Ann Roe: Good morning.\nWelcome.\n\n(1:02) Thank you.\n1:10\nAt 10:30 a.m. we closed.\n0:30 left over\n',
      ),
    ).toEqual([
      [5_000, null, 'Good morning. / Welcome.', 'Ann Roe'],
      [62_000, null, 'Thank you.', null],
      [70_000, null, 'At 10:30 a.m. we closed. / 0:30 left over', null],
    ])
  })
  it('is refused without a time, and with a time in brackets that goes back', () => {
    expect(refusal(readTimedText, 'Good morning.')).toMatch(/^no_times/)
    expect(refusal(readTimedText, '[00:10] a\n[00:05] b')).toMatch(/^times_go_back: .*line 2/)
  })
})

describe('rolling captions', () => {
  /** A row: start and end in milliseconds, and the lines of the caption. */
  const once = (rows: readonly (readonly string[])[]): string[] => {
    const cues = rows.map(([start, end, text = '']) => ({ start_ms: Number(start), end_ms: Number(end), lines: text.split('/'), speaker: null }))
    return withoutRepetition(cues).cues.map(cue => cue.lines.join('/'))
  }
  it('show each line once', () => {
    expect(
      once(textTable`
        0    | 2000 | a b c
        2000 | 2010 | a b c
        2010 | 4000 | a b c/d e f
        4000 | 4010 | d e f
        4010 | 6000 | d e f/g h i
      `),
    ).toEqual(['a b c', 'd e f', 'g h i'])
  })
  it('of which words overlap while they are shown together lose the overlap', () => {
    expect(
      once(textTable`
        0    | 3000 | we are raising our
        2000 | 5000 | raising our guidance today
      `),
    ).toEqual(['we are raising our', 'guidance today'])
  })
  it('keep what a speaker really repeats', () => {
    expect(
      once(textTable`
        0    | 1000 | no
        1000 | 2000 | no
        2000 | 3000 | it was very good
        9000 | 9500 | it was very good
      `),
    ).toEqual(['no', 'no', 'it was very good', 'it was very good'])
  })
  it('that are listed twice count once', () =>
    expect(
      once(textTable`
        0 | 1000 | a b
        0 | 1000 | a b
      `),
    ).toEqual(['a b']))
})

describe('chunks', () => {
  const cue = (start: number, words: number, end: string, speaker: string | null = null) => ({
    start_ms: start * 1000,
    end_ms: start * 1000 + 900,
    lines: [`${Array.from({ length: words }, (_, at) => `w${at}`).join(' ')}${end}`],
    speaker,
  })
  it('end at the first end of a sentence after 60 words, and never beyond 100 where captions are short', () => {
    const cues = Array.from({ length: 40 }, (_, at) => cue(at, 10, at % 8 === 6 ? '.' : ''))
    const chunks = chunkCues(cues)
    expect(chunks[0]).toMatchObject({ start_ms: 0, end_ms: 6_900, words: 70 })
    expect(Math.max(...chunks.map(chunk => chunk.words))).toBeLessThanOrEqual(100)
    expect(chunks.reduce((sum, chunk) => sum + chunk.words, 0)).toBe(400)
  })
  it('end at a change of speaker and before a silence', () => {
    expect(chunkCues([cue(0, 20, '', 'Ann'), cue(1, 20, '', 'Bob'), cue(60, 5, '')]).map(chunk => [chunk.speaker, chunk.words])).toEqual([
      ['Ann', 20],
      ['Bob', 20],
      ['Bob', 5],
    ])
  })
  it('of a long caption all have its own times', () => {
    const chunks = chunkCues([{ start_ms: 1_000, end_ms: 90_000, lines: [`${'word '.repeat(130).trim()}.`], speaker: null }])
    expect(chunks.map(chunk => [chunk.start_ms, chunk.end_ms, chunk.words])).toEqual([
      [1_000, 90_000, 100],
      [1_000, 90_000, 30],
    ])
  })
})

describe('the manifest', () => {
  const read = (text: string, name = 'manifest.csv') =>
    readManifest({
      url: `transcripts:${name}`,
      source: 'transcripts',
      retrieved_at: '2026-11-20T09:00:00Z',
      status: 200,
      headers: {},
      sha256: '',
      body: Buffer.from(text),
    })
  const head = 'file,ticker,date,video_url,video_id,title,uploader,language'
  it('takes lines in any order of columns, and ids from addresses of video sites', () => {
    const { entries, refused } = read(
      'Title,FILE,Ticker,Video URL,date\r\n"Results, Q3",a.vtt,TSX:GLPR,https://www.youtube.com/watch?v=abc_DEF-123&t=5,2026-11-01\r\n,b.srt,brk.b,https://vimeo.com/12345678,2026-11-02\r\n',
    )
    expect(refused).toEqual([])
    expect(entries.map(each => [each.file, each.ticker, each.video_id, each.title])).toEqual([
      ['a.vtt', 'GLPR.TO', 'abc_DEF-123', 'Results, Q3'],
      ['b.srt', 'BRK-B', '12345678', null],
    ])
  })
  it('as JSON is a list, or an object with one', () => {
    const entry = { file: 'a.vtt', ticker: 'AAPL', date: '2026-11-01', video_url: 'https://x.example/a', video_id: 7 }
    expect(read(JSON.stringify([entry]), 'manifest.json').entries).toEqual(read(JSON.stringify({ transcripts: [entry] }), 'manifest.json').entries)
  })
  it.each([
    ['../x.vtt,AAPL,2026-11-01,https://x.example,v', 'file_outside', /line 2 has file "\.\.\/x\.vtt", expected a path below/],
    ['/etc/passwd,AAPL,2026-11-01,https://x.example,v', 'file_outside', /expected a path below/],
    ['a.vtt,not a symbol,2026-11-01,https://x.example,v', 'bad_symbol', /ticker "not a symbol", expected e\.g\. AAPL/],
    ['a.vtt,AAPL,11/01/2026,https://x.example,v', 'bad_date', /date "11\/01\/2026"/],
    ['a.vtt,AAPL,2026-12-01,https://x.example,v', 'date_ahead', /after the file was read/],
    ['a.vtt,AAPL,2026-11-01,javascript:alert(1),v', 'bad_video_url', /expected an address/],
    ['a.vtt,AAPL,2026-11-01,https://u:p@x.example,v', 'bad_video_url', /holds no password/],
    ['a.vtt,AAPL,2026-11-01,https://x.example,', 'no_video_id', /has no video_id/],
    ['a.vtt,AAPL,2026-11-01,https://x.example,v,,,de', 'unknown_language', /expected en or fr/],
  ])('refuses %s', (line, reason, about) => {
    const { entries, refused } = read(`${head}\n${line}\n`)
    expect(entries).toEqual([])
    expect(refused.map(each => each.reason)).toEqual([reason])
    expect(refused[0]?.detail).toMatch(about)
  })
  it('keeps the good lines where others are bad, and the first of two about one file or recording', () => {
    const { entries, refused } = read(
      `${head}\na.vtt,AAPL,2026-11-01,https://x.example,v\na.vtt,MSFT,2026-11-01,https://x.example,w\nb.vtt,AAPL,2026-11-01,https://x.example,v\n,AAPL,,,\nc.vtt,AAPL,2026-11-01,https://x.example,z\n`,
    )
    expect(entries.map(each => each.file)).toEqual(['a.vtt', 'c.vtt'])
    expect(refused.map(each => each.reason)).toEqual(['file_twice', 'video_twice', 'no_file'])
  })
})

it('a caption file with its line of the manifest is read and opened byte for byte', () => {
  const captions = Buffer.from('WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nGood morning, and thank you for the question\r\n')
  const entry = {
    file: 'a.vtt',
    ticker: 'AAPL',
    date: '2026-11-01',
    video_id: 'v',
    video_url: 'https://x.example/v',
    title: null,
    uploader: null,
    language: null,
  }
  const body = bundleOf(entry, captions)
  expect(Buffer.from(openBundle('x', body).captions).equals(captions)).toBe(true)
  const document: RawDocument = {
    url: 'transcripts:a.vtt',
    source: 'transcripts',
    retrieved_at: '2026-11-20T09:00:00Z',
    status: 200,
    headers: {},
    sha256: '',
    body,
  }
  const [row] = parseTranscript(document).facts.transcript_chunks ?? []
  expect(row).toMatchObject({
    subject: 'AAPL',
    language: 'en',
    start_ms: 1_000,
    end_ms: 2_000,
    known_from: '2026-11-01T23:59:59Z',
    captions_sha256: createHash('sha256').update(captions).digest('hex'),
  })
  expect(() => parseTranscript({ ...document, body: captions })).toThrow(/no line of a manifest/)
  expect(() => parseTranscript({ ...document, body: bundleOf(entry, Buffer.alloc(0)) })).toThrow(/the file is empty/)
})

it.each([
  ['x.vtt', 'anything', 'webvtt'],
  ['x.txt', 'WEBVTT\n', 'webvtt'],
  ['x.txt', ' [{"text":1}]', 'json'],
  ['x.txt', '[00:01] words', 'text'],
  ['x.txt', '1\n00:00:01,000 --> 00:00:02,000', 'srt'],
  ['x.json', '{"a":1}', 'json'],
] as const)('a file %s that begins with %j is %s', (name, text, format) => expect(formatOf(name, Buffer.from(text))).toBe(format))
