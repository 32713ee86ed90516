// Models as the analyst sees them: a view on the file of the newest build, by the model's name.
import { existsSync } from 'node:fs'
import type { Db } from '../store/postgres.ts'
import { models } from './model.ts'
import { findNewestBuild, modelPath } from './store.ts'

export type ModelView = { readonly name: string; readonly comment: string; readonly path: string; readonly release: number }

/** The newest build of each model up to a release; one whose file is gone has no view. */
export async function modelViews(db: Db, data: string, release: number): Promise<readonly ModelView[]> {
  const views: ModelView[] = []
  for (const model of models) {
    const build = await findNewestBuild(db, model, release)
    const path = build && modelPath(data, model.name, build.sha256)
    if (build && path && existsSync(path))
      views.push({ name: model.name, comment: `${model.comment} Of release ${build.release}.`, path, release: build.release })
  }
  return views
}
