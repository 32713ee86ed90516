// Content-Security-Policy of pages. Nothing is loaded from another host, and nothing inline runs.

const common = "style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Pages for everybody: modules and data of this service. Trusted Types forbid every sink that turns text into HTML. */
export const pagePolicy = `default-src 'none'; script-src 'self'; connect-src 'self'; ${common}; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /api/v1/csp-report; report-to csp`
/** Pages where passwords and keys are typed or shown: no script at all. */
export const scriptlessPolicy = `default-src 'none'; ${common}`
