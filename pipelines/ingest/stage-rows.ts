// Converts rows to files: spooled as NDJSON, staged and checked, one file per dataset. The commit adds its release to the rows and links
// the files into the lake.
import { randomBytes } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import type { Unsealed } from '#warehouse/store/lake/commit.ts'
import type { LakeWriter } from '#warehouse/store/lake/compact.ts'
import { sha256OfFile } from '#warehouse/store/lake/open.ts'
import { type Sealed, seal } from '#warehouse/store/lake/seal.ts'
import { readJsonSql, type Staged, spoolRows, stage, stageReleased, versionKey } from '#warehouse/store/lake/stage.ts'
import type { RowsByDataset } from './types.ts'

/** Rows as files without a release; `sha256` identifies their content, whatever release they get. */
export type StagedRows = Unsealed & {
  readonly content: readonly { readonly dataset: string; readonly sha256: string }[]
  /** Deletes the staged files. */
  discard(): Promise<void>
}

export async function stageRows(writer: LakeWriter, rows: RowsByDataset): Promise<StagedRows> {
  const files: { readonly staged: Staged; readonly sha256: string }[] = []
  const discard = async (): Promise<void> => {
    for (const { staged } of files) await remove(staged.path)
  }
  try {
    for (const [name, list] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (list.length === 0) continue
      const dataset = datasetOf(name)
      const id = randomBytes(8).toString('hex')
      const spool = join(writer.stageFolder, `${name}-${id}.ndjson`)
      const parquet = join(writer.stageFolder, `${name}-${id}.parquet`)
      try {
        const spooled = await spoolRows(list, spool)
        writer.crashPoint?.('spooled')
        const staged = await writer.connections.use(connection =>
          stage(connection, dataset, readJsonSql(dataset, spool), parquet, versionKey(dataset)),
        )
        if (staged.rows !== spooled) throw new Broken(`${name}: ${staged.rows} rows were staged of ${spooled}`)
        writer.crashPoint?.('staged')
        files.push({ staged, sha256: await sha256OfFile(parquet) })
      } catch (error) {
        await remove(parquet)
        throw error
      } finally {
        await remove(spool)
      }
    }
  } catch (error) {
    await discard()
    throw error
  }
  return {
    length: files.length,
    content: files.map(({ staged, sha256 }) => ({ dataset: staged.dataset.name, sha256 })),
    discard,
    async seal(release) {
      const sealed: Sealed[] = []
      for (const { staged } of files) sealed.push(await sealReleased(writer, staged, release))
      return sealed
    },
  }
}

async function sealReleased(writer: LakeWriter, staged: Staged, release: number): Promise<Sealed> {
  const path = staged.path.replace(/\.parquet$/, `-${release}.parquet`)
  try {
    const released = await writer.connections.use(connection => stageReleased(connection, staged, release, path))
    return await seal(writer, released, 'new')
  } finally {
    await remove(path)
  }
}

/** The remains of a failed attempt would keep a full disk full. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  })
}
