import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { describeSchema } from '#fixtures/schema-text.ts'

const { pool } = await testDatabase()

const head = `-- The structure that the migrations make: for reading, and compared by schema.test.ts. Never edited, never run.
-- Rewritten by: npm test -- warehouse/store/schema.test.ts -u\n\n`

test('schema.sql is what the migrations make', async () => {
  const text = head + (await describeSchema(pool))
  const hint = 'schema.sql is not what the migrations make; rewrite it with: npm test -- warehouse/store/schema.test.ts -u'
  await expect(text, hint).toMatchFileSnapshot('./schema.sql')
})
