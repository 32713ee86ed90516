// The true answer of each operation's example request, by operation: shown in OpenAPI and on the documentation page. A test asks the whole
// service with the bundled fictional universe and writes examples.json: `npm test -- api/examples.test.ts -u`.
import written from './examples.json' with { type: 'json' }

export const exampleAnswers: Readonly<Record<string, unknown>> = written
