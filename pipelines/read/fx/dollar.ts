// How sources of stock quotes spell the US dollar in Canadian dollars. The Bank of Canada's rate is of one moment of the day, and a
// spread between two listings needs the rate of the quotes' moment.
export const dollarSpelling = { yahoo: 'CAD=X', eodhd: 'USDCAD.FOREX' } as const
