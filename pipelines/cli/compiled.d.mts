export const packageProgram: string
export const simulatorProgram: string
export const universeFolder: string
export const programs: readonly string[]
export function compiledFolder(root: string): string
export function compiledName(program: string): string
export function recordFile(root: string): string
export function stateOf(file: string): readonly [changed: number, size: number] | null
export function sizesIn(folder: string, paths?: readonly string[]): Readonly<Record<string, number | null>>
export function currentFolder(root: string): string | null
export function ensureCompiled(root: string, node: string, say: (line: string) => void, patienceMs?: number): Promise<string | null>
export function compiledSibling(root: string, program: string): string | null
export function programFile(root: string, program: string): string
