export const fieldMeanings: Readonly<Record<string, string>> = {}
