// The pages of one area: their tabs, and the messages that follow an action.
import { oneOf } from '#schemas/operations/parameters.ts'
import { type Content, type Html, html } from '../html.ts'
import { notice } from './notice.ts'
import { linkTabs, pageHead } from './parts.ts'

/** `tabs`: labels by path. `messages`: what a page shows after an action led back to it, by the value of its parameter `done`. */
export function tabbedPages<const Path extends string, const Done extends string>(
  label: string,
  tabs: Readonly<Record<Path, string>>,
  messages: Readonly<Record<Done, string>>,
) {
  const links = Object.entries<string>(tabs)
  return {
    /** The parameter of the pages that names the message. */
    done: oneOf('the action before', Object.keys(messages) as [Done, ...Done[]]).optional(),
    /** Heading, tabs and the message after an action. */
    head: (title: Content, current: Path, lead?: Content, done?: Done): Html =>
      html`${pageHead(title, lead)}
${linkTabs(
  label,
  links.map(([href, text]) => ({ label: text, href, current: href === current })),
)}
${done !== undefined && notice('good', messages[done], { live: true })}`,
  }
}
