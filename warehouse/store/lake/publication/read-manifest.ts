// The published manifest of a release: from the folder of the lake, or from its bucket.
import { readFile } from 'node:fs/promises'
import type { Remote } from '../remote.ts'
import { sha256OfText } from './log-folder.ts'
import { logStoreOf } from './log-store.ts'
import { manifestName, manifestPath } from './steps.ts'

/**
 * True if `manifestPath` is the manifest with this SHA-256; one that only the bucket has is downloaded. False if it is not published yet,
 * or differs.
 */
export async function readManifest(
  { data, remote }: { readonly data: string; readonly remote: Remote | null },
  release: number,
  sha256: string,
): Promise<boolean> {
  const here = await readFile(manifestPath(data, release), 'utf8').catch(() => null)
  if (here !== null && sha256OfText(here) === sha256) return true
  if (remote === null) return false
  const there = await remote.objects.text(manifestName(release))
  if (there === null || sha256OfText(there) !== sha256) return false
  await logStoreOf({ data }).write(manifestName(release), there)
  return true
}
