// Data that is derived from the lake and can be rebuilt at any time: builds of models, and the analyst's warehouse.duckdb.

import { findDamagedBuilds } from '#warehouse/models/check.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { inspectPublication } from '#warehouse/store/lake/publication/inspect.ts'
import { inspectWarehouseFile } from '#warehouse/store/lake/views.ts'
import { some } from '../output.ts'
import { type Finding, ok, unchecked, withBucket, withDb, wrong } from './check.ts'

export const modelsCheck = withBucket('models', async (db, { config }) => {
  const remote = await openRemote(config)
  const { files, damaged } = await findDamagedBuilds(db, config.dataFolder, { whole: true, remote, objects: 'sizes' })
  const where = remote === null ? '' : `, and all have their size in ${remote.objects.address}`
  if (damaged.length === 0) return [ok(`${some(files, 'file of models has its SHA-256', 'files of models have their SHA-256')}${where}`)]
  const remedy =
    remote === null
      ? 'a running worker builds it again within a minute; crossfile repair does it now'
      : 'crossfile repair downloads it, uploads it from a whole file, or builds it again'
  return damaged.map(({ path, reason, model, release }) => wrong(`${path} (${model} of release ${release}): ${reason}`, remedy))
})

const publicationRemedy = 'crossfile lake publish writes it again'

export const publicationCheck = withBucket('delta logs', async (db, { config, signal }) => {
  const remote = await openRemote(config)
  const report = await inspectPublication(db, { data: config.dataFolder, remote }, signal)
  if (report === null) return [unchecked('another process writes them at this moment: run crossfile doctor again')]
  const where = remote === null ? 'lake' : remote.objects.address
  if (report.damaged.length > 0) return report.damaged.map(({ name, reason }) => wrong(`${where}/${name}: ${reason}`, publicationRemedy))
  const gone = report.gone === 0 ? '' : `; ${some(report.gone, 'older one was', 'older ones were')} not kept, because files of that time were merged`
  return [
    ok(`${some(report.logs, 'log', 'logs')} of datasets and ${some(report.manifests, 'manifest', 'manifests')} are as they were written${gone}`),
  ]
})

export const warehouseFileCheck = withDb('warehouse.duckdb', async (_db, { config }): Promise<Finding[]> => {
  const found = await inspectWarehouseFile(config.dataFolder)
  if (found.state === 'damaged') return [wrong(`it is damaged: ${found.reason}`, 'crossfile repair rewrites it, and so does the next release')]
  if (found.state === 'whole') return [ok(`it opens, with ${some(found.views, 'view')}`)]
  return [
    unchecked(
      found.state === 'missing'
        ? 'it does not exist: the next release writes it, and crossfile repair does it now'
        : 'another program has it open for writing',
    ),
  ]
})
