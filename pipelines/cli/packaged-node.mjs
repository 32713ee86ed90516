// The Node that the lockfile pins, as a package of this platform. Plain JavaScript: any Node may load it.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of a dependency; npm may install it next to this package. Null if it is not installed. */
function findPackage(root, name) {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(found)) return found
    if (dirname(folder) === folder) return null
  }
}

/** The program, or undefined if npm has none for this platform. `root` is the folder of package.json. */
export function packagedNode(root) {
  const windows = process.platform === 'win32'
  return [`node-${windows ? 'win' : process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
    .flatMap(name => findPackage(root, name) ?? [])
    .map(folder => join(folder, 'bin', windows ? 'node.exe' : 'node'))
    .find(existsSync)
}
