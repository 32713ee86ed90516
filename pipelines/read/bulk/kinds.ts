// The archives of EDGAR that hold one document a member: what they are packed in, what their members are, and the addresses of
// those. Sizes and shapes: sec.gov/search-filings/edgar-application-programming-interfaces (nightly archives), sec.gov/Archives/edgar/Feed.
import type { DatasetName } from '#schemas/index.ts'
import { archiveCaps, nightlyCaps } from '../../fetch/sources/recorded.ts'
import type { ArchiveCaps } from '../../fetch/sources/unzip.ts'

export type ArchiveKind = {
  readonly name: string
  readonly packing: 'zip' | 'tar.gz'
  /** The dataset that a fault of the archive is reported for. */
  readonly dataset: DatasetName
  readonly caps: ArchiveCaps
  /** The name that a member has in its address; null if it is no document of this kind. */
  readonly memberName: (name: string) => string | null
  /** The form of a member from its beginning; null: members are not distinguished by it. */
  readonly formOf: ((head: Buffer) => string | null) | null
}

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
const named =
  (pattern: RegExp) =>
  (name: string): string | null =>
    pattern.test(baseName(name)) ? baseName(name) : null

/** `submissions.zip`: every filer's submissions file and its older pages, about a million members. */
export const submissionsArchive: ArchiveKind = {
  name: 'submissions',
  packing: 'zip',
  dataset: 'filings',
  caps: nightlyCaps,
  memberName: named(/^CIK\d{10}(?:-submissions-\d{3})?\.json$/),
  formOf: null,
}

/** `companyfacts.zip`: one file a filer with XBRL, about 20,000 members of up to 30 MB. */
export const companyFactsArchive: ArchiveKind = {
  name: 'companyfacts',
  packing: 'zip',
  dataset: 'filings',
  caps: nightlyCaps,
  memberName: named(/^CIK\d{10}\.json$/),
  formOf: null,
}

/** A day of EDGAR's dissemination: one submission a member, `<accession>.nc`, corrections as `.corr01`. */
export const dailyFeed: ArchiveKind = {
  name: 'feed',
  packing: 'tar.gz',
  dataset: 'filings',
  caps: { ...archiveCaps, members: 100_000, memberBytes: 268_435_456, totalBytes: 68_719_476_736 },
  memberName: named(/^\d{10}-\d\d-\d{6}\.(?:nc|corr\d{2})$/),
  formOf: head => /(?:^|\n)(?:<TYPE>|CONFORMED SUBMISSION TYPE:)[ \t]*([^\r\n<]{1,40})/.exec(head.toString('latin1'))?.[1]?.trim() ?? null,
}

/** The address of a member: the archive's, and its name in it. */
export const memberUrl = (archive: string, member: string): string => `${archive}#${member}`
/** The address of the list of an archive's members; `label` names the selection if not every member is read. */
export const manifestUrl = (archive: string, label: string | null): string => `${archive}#manifest${label === null ? '' : `:${label}`}`
