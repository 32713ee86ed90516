// The receipt log over HTTP: its checkpoint, the proof of a receipt, and the tiles and entries as static files (C2SP tlog-tiles).
import { NotFound } from '#schemas/errors.ts'
import { findProof, newestCheckpoint } from '#warehouse/store/receipts/log/find-proof.ts'
import { getReceipt } from '#warehouse/store/receipts/store.ts'
import { readCheckpoint } from '#warehouse/store/transparency/checkpoint.ts'
import { parseTilePath, widthAt } from '#warehouse/store/transparency/tiles.ts'
import type { Answered, Handler } from '../handler.ts'
import type { Serving } from '../serving.ts'

const plain = (body: string): Answered => ({ kind: 'text', body, media_type: 'text/plain; charset=utf-8' })

export function receiptLogHandlers(serving: Serving) {
  const folder = serving.receiptLog

  const checkpoint: Handler<'get_receipt_checkpoint'> = async () => plain(await newestCheckpoint(serving.db))

  const proof: Handler<'get_receipt_proof'> = async question => {
    const { receipt_id } = await getReceipt(serving.db, question.receipt_id)
    const found = await findProof(serving.db, folder, receipt_id)
    if (found === null) throw new NotFound(`receipt ${receipt_id} waits for its place in the log`, { hint: 'ask again in a few seconds' })
    return plain(found.text)
  }

  /** The newest checkpoint, if the log has this name: another year is another log. */
  async function checkpointOf(year: string): Promise<string> {
    const note = await newestCheckpoint(serving.db)
    if (!readCheckpoint(note).origin.endsWith(`/receipts/${year}`))
      throw new NotFound(`there is no receipt log of ${year}`, { hint: 'the first line of /api/v1/data/receipts/checkpoint ends with its year' })
    return note
  }

  const checkpointFile: Handler<'get_receipt_log_checkpoint'> = async question => plain(await checkpointOf(question.year))

  const tileFile: Handler<'get_receipt_log_tile'> = async question => {
    const { size } = readCheckpoint(await checkpointOf(question.year))
    const path = `tile/${question.level}/${question.tile}`
    const tile = parseTilePath(path)
    // Only what a checkpoint covers: the worker may have written more, which it may write again with other content.
    const isCovered = tile !== null && tile.width <= widthAt(tile.level, tile.index, size)
    const bytes = isCovered ? await folder.readTile(tile) : null
    if (bytes === null)
      throw new NotFound(`the receipt log of size ${size} has no ${path.slice(0, 64)}`, {
        hint: 'paths follow C2SP tlog-tiles: tile/0/000 is the first full tile',
      })
    return { kind: 'text', body: bytes, media_type: 'application/octet-stream' }
  }

  return {
    get_receipt_checkpoint: checkpoint,
    get_receipt_proof: proof,
    get_receipt_log_checkpoint: checkpointFile,
    get_receipt_log_tile: tileFile,
  }
}
