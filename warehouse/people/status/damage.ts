// Known damage on the disk, as the status, /health and `crossfile status` report it.
import { findModelDamage } from '../../models/damage.ts'
import { modelDataset } from '../../models/folder.ts'
import { type DamagedFile, damageByDataset, findDamage, hasDamageTable } from '../../store/lake/damage.ts'
import type { Db } from '../../store/postgres.ts'
import { findRawDamage, rawComponent } from '../../store/raw/damage.ts'

export const modelComponent = (model: string): string => `model:${model}`

export type KnownDamage = {
  /** Lake files, for processes that hash them again. */
  readonly lake: readonly DamagedFile[]
  /** Everything, with `model NAME` or `raw` in place of a dataset. */
  readonly files: readonly { readonly dataset: string; readonly sha256: string; readonly reason: string; readonly found_at: string }[]
  readonly byComponent: ReadonlyMap<string, string>
}

/** Known damage; each affected component of the status with one sentence: `dataset:NAME`, `model:NAME` and `raw`. */
export async function findKnownDamage(db: Db): Promise<KnownDamage> {
  // A read-only command may run before the migration.
  if (!(await hasDamageTable(db))) return { lake: [], files: [], byComponent: new Map() }
  const [lake, models, raw] = [await findDamage(db), await findModelDamage(db), await findRawDamage(db)]
  const byComponent = new Map([...damageByDataset(lake)].map(([dataset, sentence]) => [`dataset:${dataset}`, sentence]))
  for (const [model, of] of Map.groupBy(models, each => each.model))
    byComponent.set(
      modelComponent(model),
      `${of.length === 1 ? 'a file' : `${of.length} files`} of its builds ${of.length === 1 ? 'is' : 'are'} damaged or missing; a worker builds it again within a minute (crossfile repair does it now)`,
    )
  if (raw.length > 0)
    byComponent.set(
      rawComponent,
      `${raw.length === 1 ? 'a document is' : `${raw.length} documents are`} damaged or missing, which no rebuild can use; crossfile doctor lists the packs, crossfile repair --from PLACE takes the documents from a backup`,
    )
  const files = [
    ...lake.map(({ dataset, sha256, reason, found_at }) => ({ dataset, sha256, reason, found_at })),
    ...models.map(({ model, ...rest }) => ({ dataset: modelDataset(model), ...rest })),
    ...raw.map(each => ({ dataset: rawComponent, ...each })),
  ]
  return { lake, files, byComponent }
}
