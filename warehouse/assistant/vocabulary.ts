// Words of a question for the values that operations take: accounts, standards, states, provinces, countries.
const words = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(';')
      .map(each => each.trim())
      .filter(each => each !== '')
      .flatMap(each => {
        const [value = '', spellings = ''] = each.split('=')
        return [value, ...spellings.split(',')]
          .map(spelling => [spelling.trim().replaceAll('_', ' '), value.trim()])
          .filter(([spelling]) => spelling !== '')
      }),
  )

export const accounts =
  words(`rrsp=registered retirement savings plan,rrsps; spousal_rrsp=spousal rrsp; rrif=registered retirement income fund; tfsa=tax-free savings account,tax free savings account,tfsas;
  fhsa=first home savings account; resp=registered education savings plan; rdsp=registered disability savings plan; lira=locked-in retirement account; lif=life income fund; rpp=registered pension plan;
  non_registered=non-registered,nonregistered,non registered,taxable account,cash account,margin account,unregistered,regular account; ira=traditional ira,individual retirement account; roth_ira=roth,roth ira;
  401k=401(k); us_taxable=taxable account in the united states,taxable account in the us,taxable us account,us brokerage account,us taxable account; hsa=health savings account; corporate=holding company account,holdco,corporate account`)
export const standards = words(
  `aaoifi=aaoifi standard; djim=dow jones islamic,dow jones islamic market,dow jones,djimi; ftse=ftse shariah,ftse yasaar; msci=msci islamic; sp=s&p shariah,s&p,standard & poor's,sp shariah`,
)
export const states =
  words(`AL=alabama; AK=alaska; AZ=arizona; AR=arkansas; CA=california; CO=colorado; CT=connecticut; DE=delaware; FL=florida; GA=georgia; HI=hawaii; ID=idaho; IL=illinois; IN=indiana; IA=iowa; KS=kansas; KY=kentucky;
  LA=louisiana; ME=maine; MD=maryland; MA=massachusetts; MI=michigan; MN=minnesota; MS=mississippi; MO=missouri; MT=montana; NE=nebraska; NV=nevada; NH=new hampshire; NJ=new jersey; NM=new mexico; NY=new york state,new york resident,new york investor;
  NC=north carolina; ND=north dakota; OH=ohio; OK=oklahoma; OR=oregon; PA=pennsylvania; RI=rhode island; SC=south carolina; SD=south dakota; TN=tennessee; TX=texas; UT=utah; VT=vermont; VA=virginia; WA=washington state; WV=west virginia;
  WI=wisconsin; WY=wyoming; DC=district of columbia; PR=puerto rico`)
/** Two letters of a state are often words (OR, IN, ME): they are read only in questions about states. */
export const stateCodes: ReadonlySet<string> = new Set(Object.values(states))
export const provinces = words(
  `ON=ontario; QC=quebec,québec; BC=british columbia; AB=alberta; SK=saskatchewan; MB=manitoba; NB=new brunswick; NS=nova scotia; PE=prince edward island; NL=newfoundland; YT=yukon; NT=northwest territories; NU=nunavut`,
)
export const countries = words(
  `CA=canada,canadian,canadas; US=united states,u.s.,us,usa,american,america,us's; GB=united kingdom,britain,uk; DE=germany,german; FR=france,french; JP=japan,japanese; CN=china,chinese; MX=mexico,mexican; IN=india,indian; AU=australia,australian; BR=brazil`,
)
for (const table of [states, provinces, countries] as Record<string, string>[])
  for (const code of Object.keys(table)) if (/^[A-Z]{2}$/.test(code)) delete table[code]
