// Texts as words of a shell.

/** Text in single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** Text as one word: in quotes if a shell would change it. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text))
