// Loads the TypeScript of this package where it is installed below node_modules, in which Node refuses to strip types. Loaded before the
// program in every process and thread by NODE_OPTIONS, which crossfile.mjs sets. In the repository Node does this itself.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    // Files of other packages keep Node's rule.
    if (!url.startsWith(root) || !/\.ts(?:\?|$)/.test(url) || url.slice(root.length).includes('node_modules/')) return nextLoad(url, context)
    const source = readFileSync(fileURLToPath(url), 'utf8')
    return { format: 'module', source: stripTypeScriptTypes(source, { mode: 'strip', sourceUrl: url }), shortCircuit: true }
  },
})
