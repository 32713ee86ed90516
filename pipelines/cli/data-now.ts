// The present instant for market data, for a command that otherwise needs no database.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { openAddress } from './database.ts'
import type { Io } from './io.ts'

/**
 * The frozen instant of an installation of the bundled universe, else the machine's clock. Only such an installation is opened; a
 * database that an older version left may not have the clock yet.
 */
export async function readDataNow(io: Io): Promise<Date> {
  const config = io.config()
  if (config.mode !== 'bundled' || (!config.databaseUrl && !existsSync(join(config.dataFolder, 'postgres')))) return io.now()
  const opened = await openAddress(io, { make: false })
  const { db, close } = connect(() => opened.url, { applicationName: 'crossfile cli', max: 1 })
  try {
    const { rows } = await sql<{ there: boolean }>`select to_regclass('data_clock') is not null as there`.execute(db)
    return rows[0]?.there ? dataNow(await findDataClock(db), io.now()) : io.now()
  } finally {
    await close()
    await opened.close()
  }
}
