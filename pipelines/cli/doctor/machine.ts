// Disk, folders, database and clock.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { checkRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import { checkDataFolder } from '#warehouse/store/start-check/start-check.ts'
import { size } from '../output.ts'
import { type DoctorCheck, type Finding, ok, unchecked, withDb, wrong } from './check.ts'

/** Free space that ingestion may need within a day. */
const low = { bytes: 5e9, share: 0.05 }
const skewMs = 60_000

export const diskCheck: DoctorCheck = {
  name: 'disk',
  run: async ({ config }) => {
    if (!existsSync(config.dataFolder)) return [unchecked(`${config.dataFolder} does not exist`)]
    const { bavail, blocks, bsize } = await statfs(config.dataFolder)
    const free = bavail * bsize
    const found = `${size(free)} free of ${size(blocks * bsize)}`
    if (free < low.bytes && free < blocks * bsize * low.share)
      return [wrong(found, 'free space, or move the data folder to a larger disk (CROSSFILE_DATA)')]
    return [ok(found)]
  },
}

export const folderCheck: DoctorCheck = {
  name: 'folders',
  run: async ({ config }) => {
    if (!existsSync(config.dataFolder))
      return [
        wrong(`the data folder ${config.dataFolder} does not exist`, 'run crossfile start, or set CROSSFILE_DATA to the folder that has the data'),
      ]
    const faults = await checkDataFolder(config)
    return faults.length === 0 ? [ok(`${config.dataFolder} can be written`)] : faults.map(fault => wrong(fault.found, fault.remedy))
  },
}

/** The bucket of the lake, with a small object that is written, compared and deleted. */
export const bucketCheck: DoctorCheck = {
  name: 'bucket',
  run: async ({ config, db }) => {
    if (db !== null) await checkLakePlace(db, config.lake)
    if (config.lake === null) return []
    const faults = await checkRemote(config, true)
    return faults.length === 0
      ? [ok(`${config.lake} can be reached and honours conditional writes`)]
      : faults.map(fault => wrong(`${fault.setting}: ${fault.found}`, fault.remedy))
  },
}

export const databaseCheck: DoctorCheck = {
  name: 'database',
  run: async ({ db, databaseFault }) => {
    if (db === null)
      return [wrong(databaseFault?.message ?? 'it cannot be reached', databaseFault?.hint ?? 'crossfile start starts the embedded database')]
    const started = performance.now()
    const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
    return [ok(`PostgreSQL ${rows[0]?.version.split(' ')[0] ?? ''} answered in ${Math.max(1, Math.round(performance.now() - started))} ms`)]
  },
}

export const clockCheck = withDb('clock', async (db, { now }): Promise<Finding[]> => {
  const before = now().getTime()
  const { rows } = await sql<{ now: string; newest: string | null }>`
    select clock_timestamp() as now, (select max(committed_at) from release) as newest`.execute(db)
  const after = now().getTime()
  const database = Date.parse(rows[0]?.now ?? '')
  const skew = database < before ? before - database : database > after ? database - after : 0
  const remedy = 'set the clocks by NTP (timedatectl set-ntp true)'
  if (skew > skewMs) return [wrong(`this machine and the database differ by ${Math.round(skew / 1000)} s`, remedy)]
  const newest = rows[0]?.newest ?? null
  if (newest !== null && Date.parse(newest) > database + skewMs)
    return [wrong(`the newest release was committed at ${newest}, which is in the future`, remedy)]
  return [ok('matches the database')]
})
