// The key that seals second factors.
import { openSealKey, type SealKey } from '#warehouse/people/admin/secret-key.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import type { UserTools } from './tools.ts'

/** The key that seals second factors, read on first use. */
export function sealKeyOf({ config }: Pick<UserTools, 'config'>): () => SealKey {
  let opened: SealKey | null = null
  return () => {
    opened ??= openSealKey(keysFolderOf(config.dataFolder))
    return opened
  }
}
