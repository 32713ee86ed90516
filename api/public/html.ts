// Pages of accounts and keys: the frame of all pages, without script, because passwords and keys are typed and shown here.
import { trusted } from '../pages/html.ts'
import { type Person, renderLayout } from '../pages/layout.ts'
import { navigationOf } from '../pages/navigation.ts'
import { scriptlessPolicy } from '../pages/policy.ts'
import { pages } from '../pages/register.ts'

export { escaped } from '../pages/html.ts'

/** The Content-Security-Policy of such a page: no script, only its style sheet, and forms to this service only. */
export const pagePolicy = scriptlessPolicy

/** The account area of a signed-in page: the user, a link to the account, and the sign-out form. `token`: for the forms of the session. */
export const cornerOf = (email: string, token: string): Person => ({ email, token })

/** A whole page. `main` is HTML that was escaped when it was built. */
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
