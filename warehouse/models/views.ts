// Models as the analyst sees them: a view on the file of the newest build, by the model's name.
import { existsSync } from 'node:fs'
import { Damaged } from '#schemas/errors.ts'
import type { Remote, RemoteFile } from '../store/lake/remote.ts'
import type { Db } from '../store/postgres.ts'
import { models } from './model.ts'
import { findNewestBuild, modelFile } from './store.ts'

export type ModelView = {
  readonly name: string
  readonly comment: string
  readonly path: string
  readonly release: number
  /** The definition of a column. */
  readonly columnText: (column: string) => string
}

/**
 * The newest build of each model up to a release; its file is downloaded if only `remote` has it. One whose file is gone has no view. Throws
 * `Upstream` if the bucket cannot be read now.
 */
export async function modelViews(db: Db, data: string, release: number, remote: Remote | null = null): Promise<readonly ModelView[]> {
  const views: ModelView[] = []
  for (const model of models) {
    const build = await findNewestBuild(db, model, release)
    if (!build) continue
    const file = modelFile(data, model.name, build.sha256)
    const { path } = file
    if (await isHere(file, remote))
      views.push({
        name: model.name,
        comment: `${model.comment} Of release ${build.release}.`,
        path,
        release: build.release,
        columnText: model.columnText,
      })
  }
  return views
}

async function isHere(file: RemoteFile, remote: Remote | null): Promise<boolean> {
  if (existsSync(file.path) || remote === null) return existsSync(file.path)
  return await remote.fetch(file).then(
    () => true,
    error => {
      if (error instanceof Damaged) return false
      throw error
    },
  )
}
