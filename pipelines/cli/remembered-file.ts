// The file that remembers the bundled universe (remembered-universe.ts).
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const rememberedFile = (dataFolder: string): string => join(dataFolder, 'bundled.json')

/** True if an earlier start loaded a universe completely. Whether it is this version's, and still there, is decided later. */
export const isRemembered = (dataFolder: string): boolean => existsSync(rememberedFile(dataFolder))
