// The result of one call of an operation.
export type Result = {
  readonly n: number
  readonly operation: string
  readonly tree: unknown
  readonly release: number | null
  readonly as_of: string | null
  readonly receipt_id: string | null
}
