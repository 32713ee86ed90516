// Commands for people who change the code.
import { type Command, group, json, valued } from './command.ts'

const details = [
  'Writes files with marked places into the repository that the command runs from, and adds them to the registers. Never overwrites a file.',
  'npm test -- fixtures/places.test.ts lists the places that are left. CONTRIBUTING.md describes what belongs where.',
]

export const developCommands = {
  new: {
    summary: 'write the skeleton of a dataset, an operation or a source into the code',
    usage: [
      'crossfile new dataset NAME',
      'crossfile new operation NAME --dataset DATASET',
      'crossfile new source NAME --dataset DATASET --host HOST',
    ],
    ...group('new dataset'),
  },
  'new dataset': {
    summary: 'write the skeleton of a dataset with its reader and fixtures',
    usage: ['crossfile new dataset NAME [--job JOB] [--json]'],
    details,
    options: { job: valued('JOB', 'the job of jobs.yaml that brings its documents (drop-in)'), json },
    examples: [['crossfile new dataset short_interest', 'read from short-interest*.csv in the drop-in folder']],
  },
  'new operation': {
    summary: 'write the skeleton of an operation of the API over one dataset',
    usage: ['crossfile new operation NAME --dataset DATASET [--path PATH] [--tag TAG] [--access ACCESS] [--json]'],
    details,
    options: {
      dataset: valued('DATASET', 'the dataset that it reads'),
      path: valued('PATH', 'its path (/api/v1/ and the name without its verb)'),
      tag: valued('TAG', 'its area in the description of the API (Reference)'),
      access: valued('ACCESS', 'public, session, key, user, admin or agent (public)'),
      json,
    },
    examples: [['crossfile new operation list_short_interest --dataset short_interest', 'GET /api/v1/short-interest']],
  },
  'new source': {
    summary: 'write the skeleton of a source with its reader, plan and job',
    usage: ['crossfile new source NAME --dataset DATASET --host HOST [--json]'],
    details,
    options: {
      dataset: valued('DATASET', 'the dataset that it feeds'),
      host: valued('HOST', 'the host of its documents'),
      json,
    },
    examples: ['crossfile new source finra-shorts --dataset short_interest --host data.example.org'],
  },
} as const satisfies Readonly<Record<string, Command>>
