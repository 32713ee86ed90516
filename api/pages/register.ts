// The register of pages. To add one: a file that declares it with `page`, and a line here, in the order of the navigation.
import { answerPage } from './answer.ts'
import { companyPage } from './company/company.ts'
import { homePage } from './home/home.ts'
import { searchPage } from './home/search.ts'
import type { Page } from './page.ts'

export const pages: readonly Page[] = [homePage, searchPage, companyPage, answerPage]
