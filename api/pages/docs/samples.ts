// The example request of an operation as curl, Python, TypeScript and for spreadsheets. All are made from the row's example.

import { camel, hasClientMethod, pythonName } from '#schemas/operations/client-names.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import type { Operation } from '#schemas/operations.ts'
import { formatsOf } from '../../plugins/formats.ts'
import { parametersOf } from '../../plugins/openapi.ts'

export type Sample = {
  readonly id: 'curl' | 'python' | 'typescript' | 'spreadsheet'
  readonly label: string
  readonly language: string
  readonly code: string
  /** What the reader has to know in addition to the code. */
  readonly note: string | null
}
type Given = { readonly name: string; readonly value: string | number | boolean }

/** The parameters of the example request with the types of the description, those of the path first. */
export function exampleParameters(operation: Operation): Given[] {
  const [path = '', query = ''] = operation.example.request.split('?', 2)
  const inPath = requestedOperation([operation], `${operation.method} ${path}`)?.parameters ?? {}
  const types = new Map(parametersOf(operation).map(each => [String(each['name']), (each['schema'] as { type?: string }).type]))
  return [...Object.entries(inPath), ...new URLSearchParams(query)].map(([name, text]) => {
    const type = types.get(name)
    return { name, value: type === 'integer' ? Number(text) : type === 'boolean' ? text === '1' || text === 'true' : text }
  })
}

/** The samples of an operation. `base`: the address of the service. */
export function samplesOf(operation: Operation, base: string): Sample[] {
  const [python, typescript, spreadsheet] = [pythonSample(operation, base), typescriptSample(operation, base), spreadsheetSample(operation, base)]
  return [curlSample(operation, base), ...[python, typescript, spreadsheet].filter(each => each !== null)]
}

const sessionNote = 'SESSION is the access_token of POST /api/v1/auth/login: this operation belongs to a signed-in user, and no API key opens it.'
const keyNote = 'KEY is an API key. Make one on the page “API keys”.'

function noteOf({ access }: Operation): string | null {
  if (access === 'public') return null
  if (access === 'user') return sessionNote
  return access === 'admin' ? 'SESSION is the cookie of POST /api/v1/admin/login: this operation belongs to administrators.' : keyNote
}

/** Text in single quotes for a shell. */
const shell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function curlSample(operation: Operation, base: string): Sample {
  const { method, access, body, body_media, example } = operation
  const parts = [method === 'GET' ? 'curl' : `curl -X ${method}`]
  if (access === 'user') parts.push('-H "Authorization: Bearer $SESSION"')
  else if (access === 'admin') parts.push('--cookie "service_admin=$SESSION"')
  else if (access !== 'public') parts.push('-H "Authorization: Bearer $KEY"')
  // The transport of the agents' protocol answers only clients that read both media types.
  if (access === 'agent' && method === 'POST') parts.push("-H 'Accept: application/json, text/event-stream'")
  const [media = ''] = body_media
  if (body !== null && media === 'multipart/form-data') parts.push('-F file=@document.pdf')
  else if (body !== null && media === 'application/x-www-form-urlencoded')
    parts.push(...Object.entries((example.body ?? {}) as Record<string, unknown>).map(([name, value]) => `-d ${shell(`${name}=${String(value)}`)}`))
  else if (body !== null && example.body !== undefined)
    parts.push(
      `-H ${shell(`Content-Type: ${media}`)}`,
      `-d ${shell(typeof example.body === 'string' ? example.body : JSON.stringify(example.body, null, 2))}`,
    )
  parts.push(shell(base + example.request))
  return { id: 'curl', label: 'curl', language: 'sh', code: parts.join(parts.length <= 2 ? ' ' : ' \\\n  '), note: noteOf(operation) }
}

const isMultipart = ({ body, body_media }: Operation): boolean => body !== null && body_media[0] === 'multipart/form-data'

function pythonSample(operation: Operation, base: string): Sample | null {
  if (!hasClientMethod(operation) || operation.access === 'admin') return null
  const { id, access, body, example } = operation
  const given = exampleParameters(operation)
  const required = requiredNames(operation)
  const positional = given.filter(({ name }) => required.has(name)).map(({ value }) => pythonLiteral(value))
  const keywords = given.filter(({ name }) => !required.has(name)).map(({ name, value }) => `${pythonName(name)}=${pythonLiteral(value)}`)
  const bodies = body === null ? [] : [isMultipart(operation) ? 'open("document.pdf", "rb").read()' : pythonLiteral(example.body ?? {}, '    ')]
  const secret = access === 'public' ? '' : `, os.environ["${access === 'user' ? 'SESSION' : 'KEY'}"]`
  const prints = operation.answer === null && operation.success === 204 ? 'print(answer.status)' : 'print(answer.data)'
  const code = `${access === 'public' ? '' : 'import os\n\n'}from crossfile import Crossfile

with Crossfile(${JSON.stringify(base)}${secret}) as crossfile:
    answer = crossfile.${id}(${[...positional, ...bodies, ...keywords].join(', ')})
    ${prints}${rowsHint(operation, '#', `answer.to_pandas()`, `crossfile.${id}_rows(...)`)}
`
  return { id: 'python', label: 'Python', language: 'python', code, note: 'Package: crossfile-client, in clients/python.' }
}

function typescriptSample(operation: Operation, base: string): Sample | null {
  if (!hasClientMethod(operation) || operation.access === 'admin') return null
  const { id, access, body, example } = operation
  const given = exampleParameters(operation)
  const required = requiredNames(operation)
  const members = given.map(({ name, value }) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${typescriptLiteral(value)}`)
  const parameters = members.length === 0 ? [] : [`{ ${members.join(', ')} }`]
  const sent = body === null ? [] : [isMultipart(operation) ? 'form' : typescriptLiteral(example.body ?? {})]
  // The method takes the parameters first if one of them is required.
  const all = required.size > 0 ? [...parameters, ...sent] : [...sent, ...parameters]
  const options = [
    `baseUrl: ${typescriptLiteral(base)}`,
    ...(access === 'public' ? [] : [`apiKey: process.env.${access === 'user' ? 'SESSION' : 'KEY'}`]),
  ]
  const form = isMultipart(operation) ? "const form = new FormData()\nform.set('file', await openAsBlob('document.pdf'), 'document.pdf')\n" : ''
  const code = `${form === '' ? '' : "import { openAsBlob } from 'node:fs'\n"}import { Crossfile } from 'crossfile-client'

${form}const crossfile = new Crossfile({ ${options.join(', ')} })
const { data } = await crossfile.${camel(id)}(${all.join(', ')})
console.log(data)${rowsHint(operation, '//', null, `crossfile.${camel(id)}Rows(...)`)}
`
  return {
    id: 'typescript',
    label: 'TypeScript',
    language: 'ts',
    code,
    note: 'Package: crossfile-client, in clients/typescript. It has no dependencies.',
  }
}

/** A comment that names the ways to a table and to all rows, if the operation has them. */
function rowsHint({ rows, question }: Operation, mark: string, frame: string | null, iterator: string): string {
  const lines = [
    ...(rows !== null && frame !== null ? [`${mark} as a data frame: ${frame}`] : []),
    ...(rows !== null && 'cursor' in question.shape ? [`${mark} the rows of all pages: ${iterator}`] : []),
  ]
  const indent = mark === '#' ? '    ' : ''
  return lines.map(line => `\n${indent}${line}`).join('')
}

const requiredNames = (operation: Operation): ReadonlySet<string> =>
  new Set(
    parametersOf(operation)
      .filter(each => each['required'] === true)
      .map(each => String(each['name'])),
  )

/** Whether the rows are available as text at an address, which is what spreadsheets read. */
export const hasSpreadsheetForm = (operation: Operation): boolean =>
  operation.method === 'GET' &&
  operation.answer !== null &&
  ['public', 'session', 'key'].includes(operation.access) &&
  formatsOf(operation).includes('csv')

/** The address of the example as CSV; with a key in it for operations that need one. */
export function spreadsheetAddress(operation: Operation, base: string, key: string): string {
  const { request } = operation.example
  const keyed = operation.access === 'public' ? '' : `&apikey=${key}`
  return `${base}${request}${request.includes('?') ? '&' : '?'}format=csv${keyed}`
}

function spreadsheetSample(operation: Operation, base: string): Sample | null {
  if (!hasSpreadsheetForm(operation)) return null
  const [path = '', query = ''] = operation.example.request.split('?', 2)
  const fields = [...new URLSearchParams(query), ['format', 'csv'] as const].map(([name, value]) => `${mName(name)} = ${mText(value)}`)
  const headers = operation.access === 'public' ? '' : `,\n            Headers = [Authorization = "Bearer KEY"]`
  const code = `Google Sheets, LibreOffice Calc:
=IMPORTDATA("${spreadsheetAddress(operation, base, 'KEY').replaceAll('"', '""')}")

Excel: Data, From Other Sources, Blank Query, Advanced Editor:
let
    Response = Web.Contents(
        ${mText(base)},
        [
            RelativePath = ${mText(decodeURI(path).replace(/^\//, ''))},
            Query = [${fields.join(', ')}]${headers}
        ]
    ),
    Rows = Table.PromoteHeaders(Csv.Document(Response, [Delimiter = ",", Encoding = 65001]))
in
    Rows
`
  const note =
    operation.access === 'public'
      ? 'Google Sheets must reach the service. format=xlsx is a workbook with text, dates and numbers.'
      : 'A key in an address is half public: make one for this purpose and revoke it when you stop using it.'
  return { id: 'spreadsheet', label: 'Spreadsheet', language: '', code, note }
}

const mText = (text: string): string => `"${text.replaceAll('"', '""')}"`
const mName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `#${mText(name)}`)

/** A value as Python source. Objects are broken into lines. */
function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(each => pythonLiteral(each, inner)).join(', ')}]`
  const members = Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(each, inner)},\n`)
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}

/** A value as TypeScript source, text in single quotes. */
function typescriptLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[${value.map(each => typescriptLiteral(each, inner)).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${typescriptLiteral(each, inner)},\n`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}
