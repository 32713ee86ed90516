// Reads a PDF in a separate process, with limits of time, memory, pages and text. The process may read the files of this program and
// nothing else: no network, no other file, no other program. It is started for one document and ends with it, so that an idle service uses
// no memory for PDFs, and no data of one document remains for the next.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { maxPdfCharacters } from '#schemas/documents.ts'
import { BadRequest, type BodyFault, Upstream } from '#schemas/errors.ts'
import { openFairQueue, type Party } from '../people/users/fair-queue.ts'
import type { PrintedIssuer, PrintedSymbol } from './mentions.ts'

export type PdfLimits = {
  readonly pages: number
  /** Milliseconds of processor time: what a document takes, whatever else the machine does. */
  readonly ms: number
  /** Milliseconds from the start of the process to the result. */
  readonly wallMs: number
  /** Resident memory of the process, in units of 10^6 bytes. */
  readonly megabytes: number
}
export type ReadPdf = {
  readonly sha256: string
  readonly bytes: number
  readonly symbols: readonly PrintedSymbol[]
  readonly issuers: readonly PrintedIssuer[]
  /** The text of a JSON object: the members of `documentFacts` except `sha256` and `bytes`. */
  readonly body: Buffer
}
export type Progress = (done: number, of: number) => void
type Refused = { readonly reason: string; readonly found: string }
type Head =
  | { readonly progress: { readonly done: number; readonly of: number } }
  | { readonly refused: Refused }
  | { readonly read: { readonly symbols: PrintedSymbol[]; readonly issuers: PrintedIssuer[]; readonly bytes: number } }

/** Maximum length of the result of the process: more than 4,000,000 characters and their positions need. */
const mostOutput = 128 * 1024 * 1024
/** The process ends this long after its time is over, if its parent did not end it. */
const graceMs = 2_000
const program = fileURLToPath(new URL('./pdf-process.ts', import.meta.url))
const project = realpathSync(join(import.meta.dirname, '..', '..'))
/** The location of the library: below the project, or where a package manager stores it. */
const modules = realpathSync(join(fileURLToPath(import.meta.resolve('unpdf/pdfjs')), '..', '..', '..'))

/** Documents of one account, address and network: one is read and one waits, so that slow documents of one account leave a process for others. */
const quotas = { account: { running: 1, waiting: 1 }, address: { running: 1, waiting: 2 }, network: { running: 1, waiting: 4 } } as const

/**
 * A reader for one process: at most `at_once` documents at a time and `waiting` in the queue, with a share for each `party`. Throws 422
 * `validation_error` with the reason for a document that cannot be read, `TooMany` above a share, `Overloaded` if too many wait or a turn
 * did not come within `waitMs`, `Upstream` if the process cannot be started.
 */
export function openPdfReader(at_once: number, waiting: number, waitMs = 3_600_000) {
  const enter = openFairQueue({ what: 'documents', atOnce: at_once, waiting, waitMs, ...quotas })
  return async (
    data: Uint8Array,
    limits: PdfLimits,
    signal: AbortSignal,
    progress: Progress = () => {},
    party: Party | null = null,
  ): Promise<ReadPdf> => {
    checkIsPdf(data)
    const leave = await enter(party, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
    try {
      signal.throwIfAborted()
      return { sha256: createHash('sha256').update(data).digest('hex'), bytes: data.length, ...(await readInProcess(data, limits, signal, progress)) }
    } finally {
      leave()
    }
  }
}
export type PdfReader = ReturnType<typeof openPdfReader>

/** Node's permission model: the files of the program may be read; no other file, no network, no other program, no code from strings. */
export function sandboxFlags(): string[] {
  const allowed = [...new Set([project, modules])].map(folder => `--allow-fs-read=${folder}`)
  return ['--permission', ...allowed, '--allow-worker', '--disallow-code-generation-from-strings', '--no-warnings']
}

type Result = Pick<ReadPdf, 'symbols' | 'issuers' | 'body'>
function startReader(limits: PdfLimits) {
  const options = JSON.stringify({
    pages: limits.pages,
    characters: maxPdfCharacters,
    megabytes: limits.megabytes,
    ms: limits.ms,
    wallMs: limits.wallMs + graceMs,
  })
  const child = spawn(process.execPath, [...sandboxFlags(), program, options], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: project,
    // No settings and no secrets. Windows cannot start a program without this one.
    env: process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {},
  })
  // If the machine runs out of memory, Linux ends this process first.
  if (process.platform === 'linux' && child.pid !== undefined) writeFile(`/proc/${child.pid}/oom_score_adj`, '1000').catch(() => undefined)
  return child
}
function readInProcess(data: Uint8Array, limits: PdfLimits, signal: AbortSignal, progress: Progress): Promise<Result> {
  const child = startReader(limits)
  return new Promise((resolve, reject) => {
    let open = true
    const settle = (done: () => void): void => {
      if (!open) return
      open = false
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      child.kill('SIGKILL')
      done()
    }
    const fail = (error: unknown): void => settle(() => reject(error))
    const abort = (): void => fail(signal.reason)
    const timer = setTimeout(() => fail(tooBusy(limits)), limits.wallMs)
    signal.addEventListener('abort', abort, { once: true })
    const parts: Buffer[] = []
    let held = 0
    let result: Extract<Head, { read: object }>['read'] | null = null
    let errors = ''
    child.stderr.on('data', (part: Buffer) => {
      if (errors.length < 2_000) errors += part.toString('utf8')
    })
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part)
      held += part.length
      if (held > mostOutput) return fail(refusalOf({ reason: 'too_much_text', found: 'its result' }, limits))
      if (result === null) readHeads()
      if (result !== null && held >= result.bytes) {
        const { symbols, issuers, bytes } = result
        const body = Buffer.concat(parts).subarray(0, bytes)
        settle(() => resolve({ symbols, issuers, body }))
      }
    })
    /** Lines up to the one that announces the result, whose bytes follow it. */
    function readHeads(): void {
      let text = Buffer.concat(parts)
      for (let feed = text.indexOf(10); feed >= 0 && result === null; feed = text.indexOf(10)) {
        const head = JSON.parse(text.subarray(0, feed).toString('utf8')) as Head
        text = text.subarray(feed + 1)
        if ('progress' in head) progress(head.progress.done, head.progress.of)
        else if ('refused' in head) fail(refusalOf(head.refused, limits))
        else result = head.read
      }
      parts.splice(0, parts.length, text)
      held = text.length
    }
    child.on('error', cause =>
      fail(
        new Upstream('the reader of PDF documents cannot be started', {
          cause,
          retryAfterSeconds: 5,
          hint: 'send the document again in some seconds',
        }),
      ),
    )
    child.on('close', (code, killed) => {
      // A crash of the library is caused by the document; a process that never ran is a fault of this machine.
      const isOurs = /ERR_ACCESS_DENIED|ERR_MODULE_NOT_FOUND|bad option|SyntaxError/.test(errors)
      if (isOurs)
        fail(
          new Upstream('the reader of PDF documents does not run', {
            cause: new Error(errors.slice(0, 500)),
            hint: 'report it to the operator of this service',
          }),
        )
      else fail(refusalOf({ reason: 'damaged', found: `the reader ended with ${killed ?? `code ${code}`}` }, limits))
    })
    // A process that ends early closes its stdin.
    child.stdin.on('error', () => undefined)
    child.stdin.end(data)
  })
}

/** Throws 422 for bytes that are not a PDF, with what they look like. Like Adobe's readers, it searches for the mark in the first 1,024 bytes. */
function checkIsPdf(data: Uint8Array): void {
  const head = Buffer.from(data.subarray(0, 1024)).toString('latin1')
  if (head.includes('%PDF-')) return
  throw documentFault(`the file is no PDF: ${looksLike(data, head)}, expected %PDF- in its first 1,024 bytes`, 'send a PDF file')
}
const signs: readonly (readonly [beginning: string, name: string])[] = [
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['PK\x03\x04', 'a ZIP archive or an Office document'],
  ['\x1f\x8b', 'a gzip file'],
  ['\xd0\xcf\x11\xe0', 'an old Office document'],
  ['%!PS', 'PostScript'],
  ['{\\rtf', 'an RTF document'],
]
function looksLike(data: Uint8Array, head: string): string {
  if (data.length === 0) return 'it is empty'
  const markup = /^\s*<(?:!doctype|html|\?xml)/i.test(head) ? 'HTML or XML' : undefined
  const known = signs.find(([beginning]) => head.startsWith(beginning))?.[1] ?? markup
  return known === undefined ? 'its beginning is that of no known document' : `it looks like ${known}`
}

/** 422 about the file of a form. */
function documentFault(message: string, hint: string): BadRequest {
  const items: BodyFault[] = [{ loc: ['body', 'file'], msg: message, type: 'custom' }]
  return new BadRequest(message, { status: 422, code: 'validation_error', items, hint })
}

/** The document did not get the processor time that it may use: a matter of the machine, not of the document. */
const tooBusy = ({ wallMs }: PdfLimits): Upstream =>
  new Upstream(`the PDF was not read within ${wallMs / 1000} s, because the machine is busy`, {
    retryAfterSeconds: 10,
    hint: 'send the document again',
  })

function refusalOf({ reason, found }: Refused, limits: PdfLimits): BadRequest {
  if (reason === 'encrypted')
    return documentFault(
      'the PDF is encrypted and cannot be read without its password',
      'remove the encryption (print it to a new PDF) and send it again',
    )
  if (reason === 'too_many_pages')
    return documentFault(
      `the PDF has ${found} pages, at most ${limits.pages} are read`,
      `split it and send the parts, each of at most ${limits.pages} pages`,
    )
  if (reason === 'too_much_text')
    return documentFault(`the PDF has more text than is read: ${found}, at most ${maxPdfCharacters} characters`, 'split it and send the parts')
  if (reason === 'too_slow')
    return documentFault(
      `the PDF needs more than ${limits.ms / 1000} s of processor time to read`,
      'print it to a new PDF, or split it, and send it again',
    )
  if (reason === 'too_much_memory')
    return documentFault(
      `the PDF needs more memory than the ${limits.megabytes} MB that reading one may take (${found})`,
      'print it to a new PDF, or split it, and send it again',
    )
  return documentFault(`the PDF is damaged and cannot be read: ${found}`, 'print it to a new PDF, or get it again from its source')
}
