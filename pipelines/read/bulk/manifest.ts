// The manifest of an archive: its hash, the outcome of each member, and any faults. The raw store keeps it at the archive's address; it is
// written after the last member, so it marks the archive as done. The manifest and the members are enough for a rebuild.
import { z } from 'zod'
import { Unreadable } from '#schemas/errors.ts'
import { type DatasetName, datasetNames } from '#schemas/index.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { jsonOf } from '../filings/text.ts'
import { nothing, type Parsed, type Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { memberUrl } from './kinds.ts'

const Fault = z.strictObject({ reason: z.string().regex(/^[a-z0-9_]+$/), detail: z.string() })
export const Manifest = z.strictObject({
  archive: z.strictObject({ url: z.string(), sha256: z.string(), bytes: z.int(), retrieved_at: z.string() }),
  dataset: z.enum(datasetNames as [DatasetName, ...DatasetName[]]),
  /** True if the archive could be read to its end; its refused members are listed either way. */
  whole: z.boolean(),
  fault: Fault.nullable(),
  taken: z.int(),
  left_out: z.record(z.string(), z.int()), // by form, or `not_of_this_kind`
  refused: z.array(z.strictObject({ name: z.string(), ...Fault.shape })),
  refused_more: z.int(), // beyond the listed ones
  /** The path of the archive's bytes below the data folder, kept because not all of them were readable; null: every member is stored separately. */
  kept_at: z.string().nullable(),
  /** The lists of members (`name sha256 bytes` a line), in order. */
  parts: z.array(z.strictObject({ url: z.string(), sha256: z.string(), members: z.int() })),
})
export type Manifest = z.infer<typeof Manifest>

/** Refused members that are listed one by one; a hostile archive may hold millions. */
export const listedRefusals = 1000

export function parseManifest(document: Pick<RawDocument, 'url' | 'body'>): Manifest {
  const parsed = Manifest.safeParse(jsonOf(`manifest ${document.url}`, document.body))
  if (parsed.success) return parsed.data
  throw new Unreadable('not_a_manifest', `manifest ${document.url}: ${parsed.error.issues[0]?.message ?? 'other shape'}`)
}

const isList = (url: string): boolean => /#manifest[^/]*\.\d{5}$/.test(url)

/** The findings of the archive for the operator: its fault, and each member that was skipped because of a fault. */
export const manifestReader = reader('edgar.archive', 'filings', {
  reads: url => /#manifest(?::[\w.-]+)?$/.test(url) || isList(url),
  recognise: () => null,
  parse: (document): Parsed => {
    if (isList(document.url)) return nothing
    const { archive, dataset, fault, refused, refused_more, left_out, kept_at } = parseManifest(document)
    const where = kept_at === null ? '' : `; its bytes are kept as ${kept_at}`
    const finding = (reason: string, detail: string, subject: string): Refused => ({
      dataset,
      reason: `archive_${reason}`,
      detail,
      subject,
      record: { archive_sha256: archive.sha256, kept_at },
    })
    return {
      facts: {},
      refused: [
        ...(fault ? [finding(fault.reason, `${archive.url}: ${fault.detail}; what was read before it is taken${where}`, archive.url)] : []),
        ...refused.map(each =>
          finding(each.reason, `${archive.url}: member ${JSON.stringify(each.name)}: ${each.detail}${where}`, memberUrl(archive.url, each.name)),
        ),
      ],
      skipped: { ...left_out, ...(refused_more > 0 ? { refused_and_not_listed: refused_more } : {}) },
      follow: [],
    }
  },
})
