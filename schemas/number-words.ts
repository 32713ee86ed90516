/** The numbers that texts write as words, from one to twelve. */
export const numberWords: Readonly<Record<string, number>> = Object.fromEntries(
  ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].map((word, place) => [word, place + 1]),
)
