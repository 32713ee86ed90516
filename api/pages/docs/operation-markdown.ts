// The Markdown twin of an operation's page, for agents and for notes.
import type { Operation } from '#schemas/operations.ts'
import { type FieldRow, fieldsOf } from './fields.ts'
import { accessOf, errorRows, exampleAnswer, operationFacts, parameterRows } from './operation-parts.ts'
import type { Sample } from './samples.ts'
import { explained } from './words.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
const rows = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...lines].map(line => `| ${line.map(cell).join(' | ')} |`).join('\n')
/** A fence that is longer than every run of backticks in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(match => match[0].length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}${language}\n${text.trimEnd()}\n${mark}`
}

const fieldLines = (fields: readonly FieldRow[]): string =>
  rows(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ name, type, values, nullable, optional, meaning }) => [
      `\`${name}\``,
      `${values.length > 0 ? values.map(value => `\`${value}\``).join(', ') : type}${nullable ? ', or null' : ''}${optional ? ', may be absent' : ''}`,
      meaning === null ? '' : explained(meaning),
    ]),
  )

export function operationMarkdown(operation: Operation, base: string, samples: readonly Sample[]): string {
  const { summary, method, path, description, body, answer, success } = operation
  const parameters = parameterRows(operation)
  const bodyFields = body === null ? [] : fieldsOf(body, 'input')
  const answerFields = answer === null ? [] : fieldsOf(answer)
  const example = exampleAnswer(operation)
  const parts = [
    `# ${summary}`,
    `\`${method} ${base}${path}\` (${accessOf(operation).toLowerCase()})`,
    explained(description),
    rows(
      ['Property', 'Value'],
      operationFacts(operation).map(([name, value]) => [name, value]),
    ),
    '## Request',
    ...samples.map(({ label, code, language, note }) => `### ${label}\n\n${fenced(code, language)}${note === null ? '' : `\n\n${note}`}`),
    ...(parameters.length === 0
      ? []
      : [
          `## Parameters\n\n${rows(
            ['Name', 'In', 'Type', 'Meaning'],
            parameters.map(each => [
              `\`${each.name}\`${each.required ? ' (required)' : ''}`,
              each.place,
              `${each.values.length > 0 ? each.values.map(value => `\`${value}\``).join(', ') : each.type}${each.bounds === null ? '' : `, ${each.bounds}`}${each.standard === null ? '' : `, default \`${each.standard}\``}`,
              `${explained(each.meaning)}${each.example === null ? '' : ` Example: \`${each.example}\``}`,
            ]),
          )}`,
        ]),
    ...(bodyFields.length === 0 ? [] : [`## Body\n\n${fieldLines(bodyFields)}`]),
    `## Answer\n\nStatus ${success}.${example === null ? '' : `\n\n${fenced(example.text, example.language)}`}`,
    ...(answerFields.length === 0 ? [] : [`### Fields\n\n${fieldLines(answerFields)}`]),
    `## Errors\n\n${rows(
      ['Status', 'Code', 'Meaning'],
      errorRows(operation).map(each => [each.status, `\`${each.code}\``, each.meaning]),
    )}`,
  ]
  return `${parts.join('\n\n')}\n`
}
