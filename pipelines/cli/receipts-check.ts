// `crossfile receipts check TEXT-FILE RECEIPT...`: which figures of a text the signed answers support.
import { readFileSync } from 'node:fs'
import { type ClaimFigure, type ClaimPlace, ReceiptCheckRequest } from '#schemas/claims.ts'
import { BadRequest } from '#schemas/errors.ts'
import { checkReceipts } from '#warehouse/assistant/check-receipts.ts'
import { findProof, unlessDamaged } from '#warehouse/store/receipts/log/find-proof.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { openReceiptLog } from './open-receipt-log.ts'
import { printJson, some } from './output.ts'
import { withReleases } from './with-releases.ts'

/** Exit code 0: every figure is supported; 1: at least one is not. Throws `BadRequest` for a file that cannot be read or is too long. */
export async function receiptsCheck(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 2, most: 21, what: 'a file with the text, and receipt ids' }
  const { values, rest } = readArguments('receipts check', commands['receipts check'].options, argv, about)
  const [file = '', ...ids] = rest
  const request = ReceiptCheckRequest.safeParse({ text: textOf(file), receipts: ids.map(id => id.trim().toLowerCase()) })
  if (!request.success) {
    const [issue] = request.error.issues
    throw new BadRequest(`${issue?.path[0] === 'text' ? file : `receipt ${ids[Number(issue?.path[1])] ?? ''}`}: ${issue?.message}`)
  }
  const { text, receipts } = request.data
  const found = await withDatabase(io, { write: false }, async ({ db }) => {
    const folder = await openReceiptLog(io, db)
    return await withReleases(io, db, contextOf =>
      checkReceipts({ db, contextOf, proofOf: async id => (await unlessDamaged(findProof(db, folder, id)))?.text ?? null }, text, receipts),
    )
  })
  if (values.json) printJson(io, found)
  else {
    for (const figure of found.figures) for (const line of linesOf(figure, text)) io.out(line)
    for (const name of found.names)
      if (name.status === 'unsupported') io.out(`${'name'.padEnd(12)}${placeIn(text, name.start)}  ${name.text}: no answer mentions it`)
    io.out(`${some(found.figures.length, 'figure')}: ${found.supported} supported, ${found.ambiguous} ambiguous, ${found.unsupported} unsupported`)
  }
  return found.supported === found.figures.length ? 0 : 1
}

function textOf(file: string): string {
  try {
    const bytes = readFileSync(file === '-' ? 0 : file)
    // Without the mark that some editors write at the beginning of a file.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (cause) {
    throw new BadRequest(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      hint: 'pass a text file in UTF-8, or - for standard input',
    })
  }
}

/** Line and column, from 1, as editors count them. */
function placeIn(text: string, start: number): string {
  const before = text.slice(0, start).split('\n')
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}
const shown = ({ receipt_id, pointer, value, unit }: ClaimPlace): string =>
  `${value}${unit === null ? '' : ` ${unit}`} at ${pointer === '' ? '/' : pointer} of ${receipt_id?.slice(0, 15)}…`

function linesOf(figure: ClaimFigure, text: string): string[] {
  const head = `${figure.status.padEnd(12)}${placeIn(text, figure.start)}  ${figure.text}`
  if (figure.binding !== null) return [`${head}  =  ${shown(figure.binding)}${figure.code === 'rounded' ? ' (rounded)' : ''}`]
  const more = figure.candidates_count - figure.candidates.length
  return [
    `${head}: ${figure.reason}`,
    ...figure.candidates.map(each => `${' '.repeat(12)}${shown(each)}`),
    ...(more > 0 ? [`${' '.repeat(12)}and ${some(more, 'other place')}`] : []),
  ]
}
