// Call transcripts: captions of recordings that the operator has, and transcripts furnished as exhibits of current reports.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { AccessionNumber, Cik, Count, IsoDate, Sha256, Symbol, Text } from './values.ts'

/** The format that the words were read from. */
export const TranscriptFormat = z.enum(['webvtt', 'srt', 'json', 'text', 'exhibit']).meta({ column: 'VARCHAR' })
export type TranscriptFormat = z.infer<typeof TranscriptFormat>
/** ISO 639-1, of the languages whose words are stemmed. */
export const TranscriptLanguage = z.enum(['en', 'fr']).meta({ column: 'VARCHAR' })
export type TranscriptLanguage = z.infer<typeof TranscriptLanguage>

const transcriptTerms = terms('5 minutes', 'captions: the operator’s own files; exhibits: public domain (SEC EDGAR)')

export const transcriptChunks = defineDataset('transcript_chunks', 'Transcript chunks', transcriptTerms, {
  description:
    'One row per passage of a call: about 60 to 100 words with the time in the recording at which they begin and end. Of a transcript that was replaced by a shorter one, only rows whose captions_sha256 is that of chunk 0 are current.',
  facts: {
    subject: Text.describe('The company: the symbol that the manifest names, or the CIK of the filer of an exhibit'),
    video_id: Text.describe('Id of the recording; of an exhibit, accession number and file name'),
    chunk_idx: Count.describe('Place in the call, from 0'),
    chunks: Count.describe('Chunks of the whole transcript'),
    start_ms: Count.nullable().describe('Milliseconds from the start of the recording; null: the transcript has no times'),
    end_ms: Count.nullable().describe(
      'End of its last caption; a caption without an end lasts to the next one, the last one is counted from its start',
    ),
    speaker: Text.nullable().describe('The first speaker of the chunk, if the transcript names speakers'),
    text: Text, // the words of the chunk
    words: Count, // the number of words
    language: TranscriptLanguage.nullable().describe(
      'Stated by manifest or file, else found by the commonest words; null: neither English nor French',
    ),
    format: TranscriptFormat, // the format of the captions
    ticker: Symbol.nullable().describe('The symbol of the manifest; null for an exhibit'),
    cik: Cik.nullable().describe('The filer of an exhibit'),
    accession: AccessionNumber.nullable().describe('The filing that the exhibit came with'),
    video_url: Text.describe('Address of the recording or of the exhibit'),
    video_title: Text.nullable(), // the title of the recording
    uploader: Text.nullable(), // the publisher of the recording
    upload_date: IsoDate.describe('Day on which the recording was published, or the exhibit filed'),
    captions_sha256: Sha256.describe('Of the caption file or exhibit that the words were read from'),
  },
  rows: { key: ['subject', 'video_id', 'chunk_idx'], time: 'upload_date' },
})
export type TranscriptChunk = RowOf<typeof transcriptChunks>
