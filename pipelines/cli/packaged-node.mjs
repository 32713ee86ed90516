// The Node that the lockfile pins. Plain JavaScript, built-in modules only: it is read by whichever Node starts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The path of the packaged Node of this platform; undefined if there is none. @param {string} root */
export function packagedNode(root) {
  const windows = process.platform === 'win32'
  const names = [`node-${windows ? 'win' : process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
  return names.map(name => join(root, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node')).find(existsSync)
}
