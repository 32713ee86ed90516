// The published files of the receipt log for a command that opens the database only.

import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { LogFolder } from '#warehouse/store/receipts/log/folder.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import type { Io } from './io.ts'

/** Throws `BadRequest` if CROSSFILE_LAKE is not the place of the lake of the database, or its credentials are missing. */
export async function openReceiptLog(io: Pick<Io, 'config' | 'log'>, db: Db): Promise<LogFolder> {
  const config = io.config()
  await checkLakePlace(db, config.lake)
  return openLogFolder(config.dataFolder, await openRemote(config, io.log))
}
