// One request and its true answer per operation, of the bundled fictional universe: shown in OpenAPI and on the documentation page.
// examples.json is written by a test (api/examples.test.ts) that asks the whole service.
import written from './examples.json' with { type: 'json' }

export const examples = written
