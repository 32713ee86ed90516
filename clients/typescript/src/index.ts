// The Crossfile client: one method for each operation, with pages, retries, an ETag cache and receipts that are verified offline.
import type { Answer, CallOptions, Values } from './caller.ts'
import { Operations, operationTable } from './operations.ts'

export type { Answer, CallOptions, ClientOptions } from './caller.ts'
export { CrossfileError, type Fault } from './errors.ts'
export { exactNumbers } from './exact-numbers.ts'
export * from './operations.ts'
export { type BundleKey, type Quorum, type Verdict, verifyBundle } from './receipts.ts'

export class Crossfile extends Operations {
  /**
   * A client that answers every data question as of an instant or from a release, with the same key and cache.
   * `crossfile.at({ release: 4711 })` always gets the same answers.
   */
  at(moment: { readonly asOf: string; readonly release?: never } | { readonly release: number; readonly asOf?: never }): Crossfile {
    const { asOf: _asOf, release: _release, ...rest } = this.options
    return new Crossfile({ ...rest, ...moment }, this.answers)
  }

  /** A client that is fixed to the release that is current now, so that several answers fit together. */
  async current(options: CallOptions = {}): Promise<Crossfile> {
    const { data } = await this.getHealth(options)
    const { release } = data as { readonly release?: number | null }
    if (typeof release !== 'number') throw new Error('the service has no release yet')
    return this.at({ release })
  }

  /**
   * The answer of an operation in another format, as bytes. `id` is the name of the operation in the documentation, for example `get_eod`;
   * `format` is `csv`, `excel`, `xlsx`, `parquet` or what else the operation offers.
   */
  async file(id: string, params: Values, format: string, options: CallOptions = {}): Promise<Answer<Uint8Array<ArrayBuffer>>> {
    const row = operationTable[id]
    if (row === undefined || row.method !== 'GET') throw new TypeError(`there is no operation ${id} that returns a file`)
    return await this.callAs(row, params, format, options)
  }
}
