// `crossfile new`: the skeleton of a dataset, an operation or a source in this repository, for a developer to fill in.
import { join } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { type DatasetName, datasetNames } from '#schemas/index.ts'
import { accesses } from '#schemas/operations/operation.ts'
import { oneOf, readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { datasetSkeleton } from './new/dataset.ts'
import { namesOf } from './new/names.ts'
import { operationSkeleton } from './new/operation.ts'
import { type Skeleton, writeSkeleton } from './new/skeleton.ts'
import { sourceSkeleton } from './new/source.ts'

const root = join(import.meta.dirname, '..', '..')

/** A command takes one name. */
const one = { least: 1, most: 1, what: 'a name' } as const

export function newDataset(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('new dataset', commands['new dataset'].options, argv, one)
  return write(io, datasetSkeleton(namesOf('dataset', rest[0] ?? '', '_'), values.job ?? 'drop-in'), values.json, [
    'npm test -- fixtures/documentation/reference.test.ts -u   writes docs/reference/views.md',
  ])
}

export function newOperation(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('new operation', commands['new operation'].options, argv, one)
  const choice = {
    dataset: datasetIn(values.dataset),
    path: values.path ?? null,
    tag: values.tag ?? 'Reference',
    access: oneOf('--access', values.access ?? 'public', accesses),
  }
  return write(io, operationSkeleton(root, namesOf('operation', rest[0] ?? '', '_'), choice), values.json, [
    'npm test -- api/examples.test.ts -u   asks the example request and writes its answer to schemas/operations/examples.json',
  ])
}

export function newSource(argv: readonly string[], io: Io): number {
  const { values, rest } = readArguments('new source', commands['new source'].options, argv, one)
  if (values.host === undefined) throw new BadRequest('--host is missing', { hint: 'give the host of the documents as --host data.example.org' })
  return write(io, sourceSkeleton(namesOf('source', rest[0] ?? '', '-'), datasetIn(values.dataset), values.host), values.json, [])
}

function datasetIn(given: string | undefined): DatasetName {
  if (given === undefined) throw new BadRequest('--dataset is missing', { hint: 'name a dataset that exists; crossfile new dataset makes one' })
  return oneOf('--dataset', given, datasetNames)
}

function write(io: Io, skeleton: Skeleton, asJson: boolean, then: readonly string[]): number {
  const { written, changed } = writeSkeleton(root, skeleton)
  if (asJson) {
    io.out(JSON.stringify({ written, changed }))
    return 0
  }
  for (const file of written) io.out(`new      ${file}`)
  for (const file of changed) io.out(`changed  ${file}`)
  io.out('')
  for (const line of [
    'npm test -- fixtures/places.test.ts   lists the places to fill in',
    ...then,
    'npm run fix   formats the code; npm run check checks types',
  ])
    io.out(line)
  return 0
}
