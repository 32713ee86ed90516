// Files of the lake and of the raw store as the catalogue has them.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { lakePath, sha256OfFile } from '#warehouse/lake/open.ts'
import { recordEnd } from '#warehouse/raw/pack.ts'
import { rawFolder } from '#warehouse/raw/raw.ts'
import { count } from '../output.ts'
import { type Finding, ok, withDb, wrong } from './check.ts'

const remedy = 'restore it from a backup: crossfile restore PLACE --data FOLDER, then copy this file from there'
const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? (error as Error).message)

export const filesCheck = withDb('files', async (db, { config, signal }) => {
  const findings: Finding[] = []
  const files = [...(await loadCatalogue(db)).files.values()].flat()
  for (const file of files) {
    signal.throwIfAborted()
    const name = `lake/${file.dataset}/${file.bucket}/${file.sha256}.parquet`
    const found = await sha256OfFile(lakePath(config.dataFolder, file)).catch(codeOf)
    if (found !== file.sha256)
      findings.push(
        wrong(
          `${name} ${found === 'ENOENT' ? 'is missing' : found.length === 64 ? 'is damaged: its SHA-256 is not its name' : `cannot be read (${found})`}`,
          remedy,
        ),
      )
  }
  const { rows: packs } = await sql<{
    pack: string
    last: number
  }>`select pack, max(pack_offset)::float8 as last from raw_document group by pack order by pack`.execute(db)
  for (const { pack, last } of packs) {
    const path = join(rawFolder(config.dataFolder), pack)
    const fault = await stat(path)
      .then(() => recordEnd(rawFolder(config.dataFolder), pack, last))
      .then(() => null, codeOf)
    if (fault !== null) findings.push(wrong(`raw/${pack} ${fault === 'ENOENT' ? 'is missing' : `is cut: ${fault}`}`, remedy))
  }
  if (findings.length > 0) return findings
  return [ok(`${count(files.length)} files of the lake have their SHA-256; ${count(packs.length)} raw packs are there to their last record`)]
})
