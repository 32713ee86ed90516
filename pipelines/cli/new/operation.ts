// The skeleton of an operation over one dataset: its row, its builder, and a test that asks it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { type Access, areas, tags } from '#schemas/operations/operation.ts'
import { operations } from '#schemas/operations.ts'
import { withEntry } from './insert.ts'
import { type Names, namesOf } from './names.ts'
import { fillIn, type Skeleton, template } from './skeleton.ts'

export type OperationChoice = { readonly dataset: DatasetName; readonly path: string | null; readonly tag: string; readonly access: Access }

/** `root`: the repository. Throws `BadRequest` for an id, a path or a tag that does not fit the table of operations. */
export function operationSkeleton(root: string, id: Names, { dataset, path, tag, access }: OperationChoice): Skeleton {
  // The files of an operation are named by its id without the verb.
  const subject = namesOf('the subject of the operation', id.snake.replace(/^(?:get|list|search|find|run|check|calculate)_/, ''), '_')
  const { kebab, camel } = subject
  const address = path ?? `/api/v1/${kebab}`
  if (operations.some(each => each.id === id.snake))
    throw new BadRequest(`the operation ${id.snake} exists already`, { hint: 'GET /api/v1/data/catalog lists the operations' })
  if (!/^\/api\/v1(?:\/[a-z0-9-]+)+$/.test(address))
    throw new BadRequest(`path ${address.slice(0, 80)} is not a path`, { hint: 'write it as /api/v1/data/short-interest' })
  if (operations.some(each => each.method === 'GET' && each.path === address))
    throw new BadRequest(`GET ${address} is an operation already`, { hint: 'give another path with --path' })
  if (![...tags, ...areas].some(each => each === tag))
    throw new BadRequest(`there is no tag ${tag.slice(0, 40)}`, { hint: `one of ${[...tags, ...areas].join(', ')}` })
  const values = {
    ...subject,
    id: id.snake,
    path: address,
    tag,
    access,
    pascal: camel.charAt(0).toUpperCase() + camel.slice(1),
    ...ofDataset(root, dataset),
  }
  return {
    files: {
      [`schemas/operations/${kebab}.ts`]: template('operation-row', values),
      [`warehouse/answers/${kebab}.ts`]: template('operation-builder', values),
      [`warehouse/answers/${kebab}.test.ts`]: template('operation-test', values),
    },
    changes: {
      'schemas/operations/lake-operations.ts': withEntry(`${camel}Operations`, `./${kebab}.ts`, 'export const lakeOperations = [\n', '] as const\n'),
      'warehouse/answers/index.ts': withEntry(`${camel}Answers`, `./${kebab}.ts`, 'const answers = {\n', '} satisfies Answers\n'),
    },
  }
}

/** The parts of the templates that depend on the dataset: its files are found by the first column of its order, which is the parameter. */
function ofDataset(root: string, dataset: DatasetName): Readonly<Record<string, string>> {
  const { kebab, camel } = namesOf('dataset', dataset, '_')
  const [parameter = '', ...others] = datasetOf(dataset).order
  const isSymbol = parameter === 'symbol'
  // A dataset that `crossfile new dataset` made has a file of its name.
  const hasFile = existsSync(join(root, 'schemas', `${kebab}.ts`))
  const fixture = `fixtures/${kebab}/${kebab}.csv`
  const hasFixture = existsSync(join(root, fixture))
  return {
    dataset,
    dataset_kebab: kebab,
    parameter,
    parameter_type: isSymbol ? 'symbol' : 'text',
    question: isSymbol ? 'symbol()' : `text('${fillIn(`which ${parameter}`)}', 64, '${fillIn('an example')}')`,
    example: isSymbol ? 'GLPR.TO' : 'x',
    sorted: [parameter, ...others.map(column => `${column} desc`)].join(', '),
    facts: hasFile ? `${camel}.facts` : `datasets.${dataset}.facts`,
    facts_import: hasFile ? `import { ${camel} } from '../${kebab}.ts'` : "import { datasets } from '../index.ts'",
    file_import: hasFixture ? "import { readFileSync } from 'node:fs'\n" : '',
    text: hasFixture ? `readFileSync(new URL('../../${fixture}', import.meta.url), 'utf8')` : `'${fillIn('a document of the dataset')}'`,
  }
}
