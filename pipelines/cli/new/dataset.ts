// The skeleton of a dataset: its record, its reader for a CSV of the drop-in folder, and a pair of fixtures.
import { BadRequest } from '#schemas/errors.ts'
import { datasetNames } from '#schemas/index.ts'
import { withImport, withLines, withReaders } from './insert.ts'
import type { Names } from './names.ts'
import { fillIn, type Skeleton, template } from './skeleton.ts'

/** `job`: the job of jobs.yaml that brings the documents. Throws `BadRequest` for the name of a dataset that exists. */
export function datasetSkeleton(names: Names, job: string): Skeleton {
  const { snake, kebab, camel } = names
  if ((datasetNames as readonly string[]).includes(snake))
    throw new BadRequest(`the dataset ${snake} exists already`, { hint: 'docs/reference/views.md lists the datasets' })
  return {
    files: {
      [`schemas/${kebab}.ts`]: template('dataset-schema', names),
      [`pipelines/read/${kebab}.ts`]: template('dataset-reader', names),
      [`fixtures/${kebab}/${kebab}.csv`]: 'symbol,date,value\nGLPR.TO,2026-11-19,12.50\nGLPR.TO,2026-11-20,n/a\n',
      [`fixtures/${kebab}/${kebab}.csv.expected.json`]: expectedOf(names),
    },
    changes: {
      'schemas/index.ts': (text, file) =>
        withLines(
          withImport(text, file, camel, `./${kebab}.ts`),
          file,
          camel === snake ? `  ${snake},\n` : `  ${snake}: ${camel},\n`,
          'export const datasets = {\n',
          '} as const\n',
        ),
      'pipelines/read/register.ts': withReaders(names),
      'jobs.yaml': (text, file) => withDataset(text, file, job, snake),
    },
  }
}

/** jobs.yaml with the dataset added to a job's list. */
function withDataset(text: string, file: string, job: string, dataset: string): string {
  const start = text.indexOf(`\n  ${job}:\n`)
  if (start < 0) throw new BadRequest(`${file} has no job ${job}`, { hint: 'crossfile jobs lists the jobs' })
  const list = /\n {4}datasets:(?: \[([^\]]*)\]|(?:\n {6}- \w+)+)/.exec(text.slice(start))
  const at = start + (list?.index ?? 0) + (list?.[0].length ?? 0)
  if (!list) throw new BadRequest(`${file}: the job ${job} has no list of datasets`, { hint: `add datasets: [${dataset}] to it` })
  if (list[1] === undefined) return `${text.slice(0, at)}\n      - ${dataset}${text.slice(at)}`
  return `${text.slice(0, at - 1)}${list[1] === '' ? '' : ', '}${dataset}${text.slice(at - 1)}`
}

const expectedOf = ({ snake, kebab }: Names): string =>
  `${JSON.stringify(
    {
      why: fillIn('why this document is here: a row as usual, and a value that is no number'),
      facts: { [snake]: [{ symbol: 'GLPR.TO', date: '2026-11-19', value: '12.50' }] },
      refused: [
        {
          dataset: snake,
          reason: 'bad_value',
          subject: 'GLPR.TO',
          detail: `csv recorded:${kebab}.csv: line 3 has value "n/a"`,
          record: { symbol: 'GLPR.TO', date: '2026-11-20', value: 'n/a' },
        },
      ],
      skipped: {},
      follow: [],
    },
    null,
    2,
  )}\n`
