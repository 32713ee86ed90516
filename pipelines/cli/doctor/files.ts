// Files of the lake and of the raw store as the catalogue has them.
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { lakePath, sha256OfFile } from '#warehouse/lake/open.ts'
import { describeDamage, findDamagedRecords } from '#warehouse/raw/pack.ts'
import { indexedRecords, rawFolder } from '#warehouse/raw/raw.ts'
import { count } from '../output.ts'
import { type Finding, ok, withDb, wrong } from './check.ts'

const lakeRemedy = 'crossfile repair makes it again from raw, crossfile repair --from PLACE takes it from a backup'
const rawRemedy = 'crossfile repair --from PLACE takes its records from a backup'
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
          lakeRemedy,
        ),
      )
  }
  const packs = await indexedRecords(db)
  for (const [pack, records] of packs) {
    const fault = await findDamagedRecords(
      rawFolder(config.dataFolder),
      pack,
      records.map(record => record.offset),
      signal,
    ).then(describeDamage, (error: unknown) => {
      signal.throwIfAborted()
      return codeOf(error)
    })
    if (fault !== null) findings.push(wrong(`raw/${pack} ${fault === 'ENOENT' ? 'is missing' : `is damaged: ${fault}`}`, rawRemedy))
  }
  if (findings.length > 0) return findings
  return [ok(`${count(files.length)} files of the lake have their SHA-256; ${count(packs.size)} raw packs have the SHA-256 of every record`)]
})
