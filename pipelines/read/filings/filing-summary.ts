// FilingSummary.xml, which EDGAR adds to a filing with XBRL: the tables that it renders (R2.htm and so on) with their names, and the
// document that each comes from. Small irregular XML: read by fast-xml-parser.
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { z } from 'zod'
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import type { Submission } from './sgml.ts'

type RenderedReport = {
  /** `R2.htm`; null for the book of all. */
  readonly file: string | null
  readonly name: string
  /** `Cover`, `Statements`, `Notes`, `Details` …; null if EDGAR gives none. */
  readonly category: string | null
  readonly role: string | null
}
export type FilingSummary = {
  readonly reports: readonly RenderedReport[]
  /** The filing's own documents, each with its form if it contains inline XBRL. */
  readonly documents: readonly { readonly file: string; readonly form: string | null }[]
}

const limit = 16 * 1024 * 1024
const isList = new Set(['Report', 'File'])
const Text = z.union([z.string(), z.number()]).transform(String)
const Report = z.object({
  HtmlFileName: Text.optional(),
  XmlFileName: Text.optional(),
  ShortName: Text,
  MenuCategory: Text.optional(),
  Role: Text.optional(),
})
const File = z.union([
  z.string().transform(name => ({ '#text': name, '@_doctype': undefined })),
  z.object({ '#text': Text, '@_doctype': Text.optional() }),
])
const Summary = z.object({
  FilingSummary: z.object({
    MyReports: z.object({ Report: z.array(Report).default([]) }).or(z.literal('').transform(() => ({ Report: [] }))),
    InputFiles: z
      .object({ File: z.array(File).default([]) })
      .or(z.literal('').transform(() => ({ File: [] })))
      .optional(),
  }),
})

export const isFilingSummary = (head: string): boolean => /^\s*(?:<\?xml[^>]{0,100}\?>\s*)?<FilingSummary[\s>]/.test(head)

/** Throws `Unreadable`: `too_large` (16 MiB), `doctype`, `malformed_xml`, `not_a_filing_summary`. */
export function parseFilingSummary(subject: string, text: string): FilingSummary {
  if (text.length > limit) throw new Unreadable('too_large', `${subject}: ${text.length} characters of XML, limit ${limit}`)
  // Entities of a document's own could grow without end; EDGAR writes none.
  if (/<!DOCTYPE/i.test(text)) throw new Unreadable('doctype', `${subject}: has a DOCTYPE, which no FilingSummary has`)
  const valid = XMLValidator.validate(text)
  if (valid !== true) throw new Unreadable('malformed_xml', `${subject}: line ${valid.err.line}: ${valid.err.msg}`)
  const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, parseAttributeValue: false, isArray: name => isList.has(name) })
  const read = Summary.safeParse(parser.parse(text))
  if (!read.success) {
    const [issue] = read.error.issues
    throw new Unreadable('not_a_filing_summary', `${subject}: ${issue?.path.join('.') ?? 'the document'}: ${issue?.message ?? 'other shape'}`)
  }
  const { MyReports, InputFiles } = read.data.FilingSummary
  return {
    reports: MyReports.Report.map(report => ({
      ...{ file: report.HtmlFileName ?? report.XmlFileName ?? null, name: report.ShortName },
      ...{ category: report.MenuCategory ?? null, role: report.Role ?? null },
    })),
    documents: (InputFiles?.File ?? []).map(file => ({ file: file['#text'], form: file['@_doctype'] ?? null })),
  }
}

/** The summary inside of a submission; null if it has none. */
export function summaryIn(subject: string, { documents }: Submission): FilingSummary | null {
  const part = documents.find(({ filename }) => /^FilingSummary\.xml$/i.test(filename ?? ''))
  return part === undefined ? null : parseFilingSummary(subject, decodeText(part.bytes).trimStart())
}
