/** The path of the packaged Node of this platform; undefined if there is none. */
export function packagedNode(root: string): string | undefined
