// Names in the client libraries of operations and parameters, and which operations the libraries have. The generator of the clients and the
// documentation use them.
import type { Operation } from './operation.ts'

/** `get_eod` gives `getEod`. */
export const camel = (snake: string): string => snake.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())
/** `get_eod` gives `GetEod`. */
export const pascal = (snake: string): string => camel(`_${snake}`)

const pythonWords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self options body'.split(
    ' ',
  ),
)
/** The name of a parameter in Python: `from` gives `from_`, `X-A` gives `X_A`. */
export const pythonName = (name: string): string => {
  const plain = name.replaceAll(/[^A-Za-z0-9_]/g, '_')
  return pythonWords.has(plain) || /^\d/.test(plain) ? `${plain}_` : plain
}
export const isPythonWord = (name: string): boolean => pythonWords.has(name)

/** Operations for browsers, crawlers, other servers and agents, which a program does not call. */
const leftOut = new Set(['get_openapi_yaml', 'report_csp', 'report_vitals', 'take_stripe_event', 'stream_chat', 'export_my_data_alias'])

/** Whether the client libraries have a method for the operation. */
export const hasClientMethod = ({ id, path, media_type, access, method }: Operation): boolean =>
  !leftOut.has(id) &&
  (path.startsWith('/api/') || path.startsWith('/health') || path.startsWith('/ping') || path === '/openapi.json') &&
  !['text/html', 'text/css', 'text/javascript'].some(type => media_type.startsWith(type)) &&
  access !== 'agent' &&
  !(method === 'POST' && path.includes('/public/'))
