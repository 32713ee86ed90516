// Pages of accounts and keys: the frame of all pages, without script, because passwords and keys are typed and shown here.
import { trusted } from '../pages/html.ts'
import { type Person, renderLayout } from '../pages/layout.ts'
import { navigationOf } from '../pages/navigation.ts'
import { scriptlessPolicy } from '../pages/policy.ts'
import { pages } from '../pages/register.ts'

export { escaped } from '../pages/html.ts'

/** The Content-Security-Policy of such a page: nothing runs, nothing is fetched but its style, forms go to this service alone. */
export const pagePolicy = scriptlessPolicy

/** The corner of a signed-in page: who it is, the way to the account, and the way out. `token`: of the session's forms. */
export const cornerOf = (email: string, token: string): Person => ({ email, token })

/** A whole page. `main` is HTML that was escaped where it was built. */
export const renderPage = ({
  title,
  corner = null,
  main,
}: {
  readonly title: string
  readonly corner?: Person | null
  readonly main: string
}): string =>
  renderLayout({
    title,
    main: trusted(main),
    navigation: navigationOf(pages),
    person: corner,
    modules: null,
    indexed: false,
  }).toString()
