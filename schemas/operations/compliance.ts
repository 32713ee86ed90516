// Calculators over what is posted and a dated ruleset, or two: their answers carry personal figures, so that none is signed or kept.

export const complianceOperations = [] as const
