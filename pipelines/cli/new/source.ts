// The skeleton of a source of a dataset that exists: its description, its addresses, its reader, its plan, its job, and a pair of fixtures.
import { BadRequest } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { upstreams } from '../../fetch/sources/index.ts'
import { withImport, withLines, withReaders } from './insert.ts'
import type { Names } from './names.ts'
import { fillIn, type Skeleton, template } from './skeleton.ts'

/** `host`: where the documents are. Throws `BadRequest` for a source or a host that is registered. */
export function sourceSkeleton(names: Names, dataset: DatasetName, host: string): Skeleton {
  const { kebab, camel, title } = names
  if (upstreams.has(kebab)) throw new BadRequest(`the source ${kebab} exists already`, { hint: 'docs/sources.md lists the sources' })
  if (!/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(host))
    throw new BadRequest(`host ${host.slice(0, 80)} is not a host name`, { hint: 'give it as --host data.example.org' })
  const other = [...upstreams.values()].find(each => each.hosts.includes(host))
  if (other) throw new BadRequest(`the host ${host} belongs to the source ${other.name}`, { hint: `add the reader to ${other.name}` })
  const plan = `${kebab}-documents`
  const columns = Object.keys(datasetOf(dataset).facts.shape).map(column => `      ${column}: textIn(row, '${column}'),`)
  const values = { ...names, dataset, host, plan, columns: columns.join('\n') }
  return {
    files: {
      [`pipelines/fetch/sources/${kebab}.ts`]: template('source-upstream', values),
      [`pipelines/fetch/sources/${kebab}.test.ts`]: template('source-test', values),
      [`pipelines/read/${kebab}.ts`]: template('source-reader', values),
      [`fixtures/${kebab}/${kebab}.json`]: '{ "data": [] }\n',
      [`fixtures/${kebab}/${kebab}.json.expected.json`]: `${JSON.stringify(
        { why: fillIn('why this document is here; add a row as usual and one for each odd case'), facts: {}, refused: [], skipped: {}, follow: [] },
        null,
        2,
      )}\n`,
    },
    changes: {
      'pipelines/fetch/sources/index.ts': (text, file) =>
        withLines(withImport(text, file, camel, `./${kebab}.ts`), file, `    ${camel},\n`, 'export const upstreams', '  ].map('),
      'pipelines/read/register.ts': withReaders(names),
      'pipelines/jobs/plans/plans.ts': (text, file) =>
        withLines(
          withImport(text, file, `${camel}Url`, `../../fetch/sources/${kebab}.ts`),
          file,
          `  // ${fillIn('the addresses of a window of days')}\n  ['${plan}', { first: ({ from, to, today }) => weekdays(from, to).map(date => dated(${camel}Url(date), date, today)) }],\n`,
          'export const plans',
          '])\n',
        ),
      'jobs.yaml': text => `${text.trimEnd()}\n${template('source-job', values)}`,
      'docs/sources.md': (text, file) =>
        withLines(
          text,
          file,
          // Behind the last row of the table of sources.
          `\n| \`${kebab}\` ${title} | ${fillIn('what it gives')} | nothing | enabled | 1 a second | ${fillIn('licence')} |`,
          '\n| `edgar` ',
          '\n\n',
        ),
    },
  }
}
