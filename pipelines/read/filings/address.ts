// EDGAR's addresses and numbers, written and recognised in one place.

const accessionPattern = /(?<!\d)(\d{10})-?(\d{2})-?(\d{6})(?!\d)/

/** The accession number in a path or address, with dashes (`…/000032019320000101/…` and `0000320193-20-000101` alike); null without one. */
export function accessionIn(text: string): string | null {
  const match = accessionPattern.exec(text)
  return match ? `${match[1]}-${match[2]}-${match[3]}` : null
}

/** A CIK of ten digits from `320193`, `0000320193` or `CIK0000320193`; null if the text is no CIK. */
export function cikOf(text: string | number): string | null {
  const match = /^(?:CIK)?(\d{1,10})$/i.exec(String(text).trim())
  return match?.[1] === undefined ? null : match[1].padStart(10, '0')
}

/** The full submission text of a filing. EDGAR answers it under the CIK of every entity that the filing names. */
export const archiveUrl = (cik: string, accession: string): string => `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession}.txt`

/** True for Forms 3, 4 and 5 and their amendments. */
export const isOwnershipForm = (form: string): boolean => /^[345](\/A)?$/.test(form.trim())

/** The last part of a path or address, without `.gz`, query and fragment. */
export function fileName(path: string): string {
  const clean = (path.split(/[?#]/, 1)[0] ?? '').replace(/\.gz$/i, '')
  return clean.slice(clean.lastIndexOf('/') + 1)
}
