// The members of an archive on disk, one after another: at most one member is in memory.
import { open } from 'node:fs/promises'
import { gunzipped } from '../../fetch/sources/gunzip.ts'
import { readTar } from '../../fetch/sources/untar.ts'
import { type Member, type RefusedMember, readZip, zipFile } from '../../fetch/sources/unzip.ts'
import type { ArchiveKind } from '../../read/bulk/kinds.ts'

export type Wants = {
  /** Whether a member is wanted, by its address's name and, in a feed, its form; else the reason that it is counted under. */
  readonly form: (form: string) => boolean
  readonly leftOut: (reason: string) => void
  readonly refused: (member: RefusedMember) => void
}

/** The wanted members under the names that their addresses have. Throws `ArchiveFault` if the archive ends early or is damaged; earlier members are good. */
export async function* unpackArchive(path: string, kind: ArchiveKind, wants: Wants): AsyncGenerator<Member> {
  const isWanted = (name: string, head: Buffer | null): boolean => {
    if (kind.memberName(name) === null) {
      wants.leftOut('not_of_this_kind')
      return false
    }
    const form = kind.formOf && head ? (kind.formOf(head) ?? 'unknown') : null
    if (form === null || wants.form(form)) return true
    wants.leftOut(`form_not_wanted:${form}`)
    return false
  }
  const members =
    kind.packing === 'zip'
      ? zipMembers(path, kind, wants, name => isWanted(name, null))
      : readTar(gunzipped(path, kind.caps), kind.caps, wants.refused, (name, head) => isWanted(name, head))
  for await (const { name, bytes } of members) yield { name: kind.memberName(name) ?? name, bytes }
}

async function* zipMembers(path: string, kind: ArchiveKind, wants: Wants, isWanted: (name: string) => boolean): AsyncGenerator<Member> {
  const file = await open(path, 'r')
  try {
    yield* readZip(await zipFile(file), kind.caps, wants.refused, isWanted)
  } finally {
    await file.close()
  }
}
