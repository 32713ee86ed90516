// The log of the worker and the command line (warehouse/log.ts).
export { createLog, type Level, type Log, oneLine } from '#warehouse/log.ts'
