// HTML pages: one frame, no script, one separate style sheet. Text of users is escaped here.

/** Text in HTML, attributes included. */
export function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}

/** The Content-Security-Policy of such a page: nothing runs, nothing is fetched but its style, forms go to this service alone. */
export const pagePolicy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** The corner of a signed-in page: who it is, the way to the account, and the way out. `token`: of the session's forms. */
export const cornerOf = (email: string, token: string): string =>
  `<form class="corner" method="post" action="/developer/sign-out"><input type="hidden" name="token" value="${escaped(token)}"><span class="who">${escaped(email)}</span><a href="/account/security">Your account</a><button type="submit" class="quiet">Sign out</button></form>`

/**
 * A whole page. `main` and `corner` are HTML. The referrer is sent to this service only. Without it, browsers
 * omit the origin of form posts, which distinguishes posts of other sites' pages.
 */
export function renderPage({ title, corner = '', main }: { readonly title: string; readonly corner?: string; readonly main: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/developer/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<nav aria-label="Site"><a class="brand" href="/developer">Crossfile</a><a href="/api/v1/public/docs">API documentation</a></nav>
${corner}
</header>
<main id="main">
${main}
</main>
</body>
</html>
`
}
