// The navigation follows from the register of pages.
import type { NavigationLink } from './layout.ts'
import type { Page } from './page.ts'

export const navigationOf = (pages: readonly Page[]): NavigationLink[] =>
  pages.flatMap(({ path, navigation }) => (navigation === null ? [] : [{ path, label: navigation }]))
