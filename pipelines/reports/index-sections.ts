import type { Prose } from '../documents/prose.ts'
import type { Contents } from './contents.ts'
import type { FormItems } from './form-items.ts'
import type { HeadingLine } from './heading-lines.ts'
import type { LocatedItem } from './located.ts'

export function indexedItems(
  _prose: Prose,
  _form: string,
  _items: FormItems,
  _contents: Contents,
  _headings: readonly HeadingLine[],
  _found: readonly LocatedItem[],
): LocatedItem[] {
  return []
}
