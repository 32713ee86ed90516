// SEC EDGAR: what the client needs to know of it, and where it keeps what.
export * from './addresses.ts'
export { edgar } from './upstream.ts'
