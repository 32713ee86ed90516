// A workshop's tables: made of datasets and of the caller's rows, read by later steps, gone when the work ends.
import { afterAll, expect, test } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'

const memory = await testLake()
afterAll(() => memory.close())
const lake = memory.at(1)

test('steps read datasets, rows of the caller and what earlier steps left', async () => {
  const found = await lake.scratch(async shop => {
    await shop.fill('given', { code: 'VARCHAR', date: 'DATE', price: 'DOUBLE' }, [
      { code: 'NA.TO', date: '2026-11-19', price: 1.5 },
      { code: "O'H", date: null, price: null },
    ])
    await shop.fill('given', { code: 'VARCHAR', date: 'DATE', price: 'DOUBLE' }, [{ code: 'TRUE', date: '2026-11-18', price: 2 }])
    await shop.table('listed', 'select symbol from symbols', {}, { symbols: 'all' })
    await shop.table('joined', 'with one as (select code from given where price > $least) select * from one', { least: 1 })
    return await shop.query('select code, (select count(*) from listed) as listed from joined order by code')
  })
  expect(found).toEqual([
    { code: 'NA.TO', listed: 0 },
    { code: 'TRUE', listed: 0 },
  ])
})
test('no table outlives the work, whether it ends or fails', async () => {
  await expect(
    lake.scratch(async shop => {
      await shop.fill('left', { n: 'INTEGER' }, [])
      throw new Error('stopped')
    }),
  ).rejects.toThrow('stopped')
  await lake.scratch(async shop => {
    await expect(shop.query('select * from "left"')).rejects.toThrow(/left/)
    // The name is free again, with other columns.
    await shop.fill('left', { text: 'VARCHAR' }, [{ text: 'a' }])
    expect(await shop.query('select text from "left"')).toEqual([{ text: 'a' }])
  })
})
