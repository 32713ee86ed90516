// Transcripts of calls that issuers furnish as exhibits 99 of 8-K and 6-K. Nothing in a filing marks them, so an exhibit is recognised by
// its text: an operator's phrases, at least two more named speakers, at least four turns, and a mention of a call.
import { createHash } from 'node:crypto'
import { languageOf } from '#warehouse/datasets/transcripts/words.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission, SubmissionDocument } from '../filings/sgml.ts'
import { isCurrentForm } from '../reports/content.ts'
import { chunkTurns } from './chunk.ts'

type Turn = { readonly speaker: string; readonly text: string }

const operatorNames = /^(?:operator|conference operator|opérat(?:eur|rice)|coordonnat(?:eur|rice))$/i
/** What operators say, in English and French. */
const operatorPhrases =
  /\b(?:welcome to|question[- ]and[- ]answer|(?:first|next|last|final) question|please (?:go ahead|proceed|stand by)|you may (?:begin|now|proceed)|lines? (?:is|are)(?: now)? open|listen-only|concludes (?:today|the|our|this)|turn the (?:call|conference) over|bienvenue|(?:première|prochaine|dernière) question|période de questions|mode (?:d’|d')?écoute|à vous la parole)\b/i
const callPhrases =
  /\b(?:(?:conference|earnings|investor|results)\s+call|call\s+transcript|transcript\s+of|conférence\s+téléphonique|appel\s+conférence)\b/i
const fewestTurns = 4
const fewestSpeakers = 2

const nameWord = String.raw`(?:\p{Lu}[\p{L}.'’-]*|de|du|la|van|von|der|di|St\.)`
const inline = new RegExp(String.raw`^(?:<?[QA]\s*[-–—]\s*)?(${nameWord}(?:[ \u00a0]${nameWord}){0,4})(?:\s*[-–—,(][^:.!?]{0,80})?>?:\s+(?=\S)`, 'u')
const alone = new RegExp(String.raw`^(?:<?[QA]\s*[-–—]\s*)?(${nameWord}(?:[ \u00a0]${nameWord}){0,4})(?:\s*[-–—,(|][^:.!?]{0,100})?>?:?$`, 'u')

/** The paragraphs of a document with their speakers; a name counts as a speaker if it labels a turn at least twice, or is the operator's. */
function turnsOf({ text, blocks }: Prose): Turn[] {
  const lines = blocks
    .map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' ').trim())
    .filter(line => line !== '' && !/^(?:page )?\d{1,3}(?: of \d{1,3})?$/i.test(line))
  const named = (line: string): string | null => (inline.exec(line) ?? (line.length <= 120 ? alone.exec(line) : null))?.[1]?.trim() ?? null
  const counts = new Map<string, number>()
  for (const line of lines) {
    const name = named(line)
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const isSpeaker = (name: string | null): name is string =>
    name !== null && (operatorNames.test(name) || ((counts.get(name) ?? 0) >= 2 && name.includes(' ')))
  const turns: { speaker: string; text: string }[] = []
  for (const line of lines) {
    const name = named(line)
    const open = turns.at(-1)
    if (isSpeaker(name)) turns.push({ speaker: name, text: line.replace(inline, '') === line ? '' : line.replace(inline, '') })
    else if (open) open.text = open.text === '' ? line : `${open.text} ${line}`
  }
  // A name without words is a line of the list of participants.
  return turns.filter(turn => turn.text !== '')
}

/** True if the turns and the text are those of a call's transcript. */
function isCallTranscript(text: string, turns: readonly Turn[]): boolean {
  const operator = turns.filter(turn => operatorNames.test(turn.speaker))
  const others = new Set(turns.filter(turn => !operatorNames.test(turn.speaker)).map(turn => turn.speaker))
  return (
    turns.length >= fewestTurns && others.size >= fewestSpeakers && callPhrases.test(text) && operator.some(turn => operatorPhrases.test(turn.text))
  )
}

const isExhibit99 = (part: SubmissionDocument): boolean =>
  /^EX-99/i.test(part.type) &&
  part.bytes.byteLength > 0 &&
  part.wrapper === null &&
  !/\.(?:pdf|jpe?g|gif|png|xml|xlsx?|zip)$/i.test(part.filename ?? '')

function readTranscripts(submission: Submission, { accession, filed_date, subject_cik, filer_cik }: FilingContext): ContentRead {
  const cik = subject_cik ?? filer_cik
  const company = submission.header.entities.find(entity => entity.cik === cik)?.name ?? null
  const calls = submission.documents.filter(isExhibit99).flatMap((part, index) => {
    const source = decodeText(part.bytes)
    // Most exhibits are releases: they name no operator, and need no second look.
    if (!/\b(?:operator|coordonnat(?:eur|rice))|op(?:é|&eacute;|&#233;)rat(?:eur|rice)/i.test(source)) return []
    const prose = readProse(source)
    const turns = turnsOf(prose)
    if (!isCallTranscript(prose.text, turns)) return []
    const chunks = chunkTurns(turns)
    const language = languageOf(chunks.map(chunk => chunk.text).join(' '))
    const name = part.filename ?? `${part.type}-${index + 1}`
    return chunks.map((chunk, chunk_idx) => ({
      subject: cik ?? accession,
      video_id: `${accession}/${name}`,
      chunk_idx,
      chunks: chunks.length,
      ...chunk,
      language,
      format: 'exhibit' as const,
      ticker: null,
      cik,
      accession,
      video_url: `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${encodeURIComponent(name)}`,
      video_title: part.description ?? titleOf(prose),
      uploader: company,
      upload_date: filed_date,
      captions_sha256: createHash('sha256').update(part.bytes).digest('hex'),
    }))
  })
  return { facts: calls.length === 0 ? {} : { transcript_chunks: calls }, refused: [], skipped: {} }
}

/** The first line that names a call. */
function titleOf({ text, blocks }: Prose): string | null {
  for (const { start, end } of blocks.slice(0, 12)) {
    const line = text.slice(start, end).replace(/\s+/g, ' ').trim()
    if (line.length <= 200 && /\b(?:call|transcript|conférence)\b/i.test(line)) return line
  }
  return null
}

export const transcriptContent: ContentReader = { name: 'transcripts', takes: isCurrentForm, dataset: 'transcript_chunks', read: readTranscripts }
