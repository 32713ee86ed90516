// The words of names: in lower case, without accents and the ending of a possessive.
export const wordsOfName = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/['’]s\b/g, '')
    .split(/[^\p{L}\d]+/u)
    .filter(each => each !== '')
