// Converts rows to sealed files: spooled as NDJSON, staged, checked and linked into the lake, one file per dataset.
import { randomBytes } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { type Sealed, seal } from '#warehouse/store/lake/seal.ts'
import { readJsonSql, spoolRows, stage, versionKey } from '#warehouse/store/lake/stage.ts'
import type { RowsByDataset } from './types.ts'

export async function stageRows(writer: LakeWriter, rows: RowsByDataset): Promise<Sealed[]> {
  const sealed: Sealed[] = []
  for (const [name, list] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (list.length === 0) continue
    const dataset = datasetOf(name)
    const id = randomBytes(8).toString('hex')
    const spool = join(writer.stageFolder, `${name}-${id}.ndjson`)
    const parquet = join(writer.stageFolder, `${name}-${id}.parquet`)
    try {
      const spooled = await spoolRows(list, spool)
      writer.crashPoint?.('spooled')
      const file = await writer.connections.use(async connection => {
        const staged = await stage(connection, dataset, readJsonSql(dataset, spool), parquet, versionKey(dataset))
        if (staged.rows !== spooled) throw new Broken(`${name}: ${staged.rows} rows were staged of ${spooled}`)
        writer.crashPoint?.('staged')
        return await seal(writer.data, staged, 'new', writer.crashPoint)
      })
      sealed.push(file)
    } finally {
      // The remains of a failed attempt would keep a full disk full.
      for (const path of [spool, parquet]) {
        await unlink(path).catch(error => {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        })
      }
    }
  }
  return sealed
}
