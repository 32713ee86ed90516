// SEC EDGAR: its description for the client, and its addresses.
export * from './addresses.ts'
export { edgar } from './upstream.ts'
