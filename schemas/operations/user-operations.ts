// Operations on what belongs to a user, by file.

export const userOperations = [] as const
