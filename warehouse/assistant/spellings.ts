// Short forms of words, and common words that name neither a topic nor a company.

/** Short forms and contractions, each with the words that it means. */
export const spelledOut: Readonly<Record<string, string>> = {
  "what's": 'what is',
  "who's": 'who is',
  "where's": 'where is',
  "how's": 'how is',
  "when's": 'when is',
  "it's": 'it is',
  "that's": 'that is',
  "didn't": 'did not',
  "doesn't": 'does not',
  "isn't": 'is not',
  "i'm": 'i am',
  "i'd": 'i would',
  "i've": 'i have',
  "let's": 'let us',
  "there's": 'there is',
  ...Object.fromEntries(
    `whats what is;whos who is;wheres where is;hows how is;whens when is;thats that is;didnt did not;doesnt does not;isnt is not;dont do not;cant can not;wont will not;wasnt was not;im i am;ive i have;lets let us;
    wat what;wut what;wot what;wht what;u you;ur your;r are;y why;pls please;plz please;thx thanks;gonna going to;gotta got to;wanna want to;goin going;comin coming;doin doing;buyin buying;sellin selling;payin paying;
    tradin trading;rn right now;atm right now;asap now;w with;b4 before;tho though;abt about;btw by the way;bc because;cuz because;yr year;yrs years;qtr quarter;qtrs quarters;mth month;mths months;wk week;wks weeks;
    div dividend;divs dividends;divi dividend;divvy dividend;mkt market;mkts markets;mcap market cap;mgmt management;mgt management;govt government;avg average;amt amount;pct percent;approx approximately;info information;
    vs versus;est estimate;hist history;fin financial;mths months;esp especially;co company;cos companies;companys companies;company's company;corp corporation;txn transaction;txns transactions;fwd forward;
    statcan statistics canada;feds fed;fed's fed;boxing-day boxing day;lockup lock-up;lock-in lock-up;bn billion;mn million;52wk 52 week;52-wk 52 week;52w 52 week;10-yr 10 year;10yr 10 year;2-yr 2 year;2yr 2 year;
    firm company;firms companies;equities stocks;stonk stock;stonks stocks;ny new york;nyc new york;form4 form 4;form4s form 4;13ds 13d;13gs 13g;10ks 10-k;8ks 8-k`
      .split(';')
      .map(each => each.trim())
      .map(each => [each.slice(0, each.indexOf(' ')), each.slice(each.indexOf(' ') + 1)] as const),
  ),
}

/** Common words of questions. They are not part of a name, and a name next to one of them is complete. */
export const commonWords: ReadonlySet<string> = new Set(
  `able accord actual actually add added afford afraid ahead almost alone along already alright although altogether always am amazing among anyhow anytime anyway apart apparently appear appreciate apply aside
  ask asked asking aware away awesome awful back bad badly base based basically become became become becomes begin began behind belief believe below beside besides best better beyond bet bother bought bound brief
  briefly bring brought bunch busy call called calling came capable care careful carry case cause caught certain certainly chance change changing cheap check checking choose chosen claim clear clearly clever close
  collect comfortable common commonly complete completely concern concerned confirm confused confusing consider considered considering contain continue cool correct correctly count couple course cover crazy create
  curious current cut daily damn day-end deal dear decent decide decided deep definitely depend despite different differ difference differently difficult direct directly disclose discover done double doubt drive
  dumb dumping earlier early easily easy effect effort either end ending enough entire entirely especially estimate etc even evening eventually everybody everyone everything everywhere evidence exact except exist
  existing expect expected experience explain express extra fact fair fairly fall false familiar fancy far fast favourite feel felt few figure final finally fine firm firms fit fix folks follow follower following
  forget form former forth forward free fresh friend full fully fun further general generally gets getting given gives giving glad goes gone gonna good got great grab guess guy guys half hand handle handy happen
  happy hard harder hardest hardly head headed hear heard heavy hell help helpful hence hers high highly hint home hope hoping hot hour huge hurt idea ideally imagine immediately important impression include
  included including indeed indicate inside instance instant intend interest interested interesting involve job join judge jump jumped keen keep keeping kept keyed kind kinda knew knowing known lack large largely
  lately later latter lead least leave left lend less lesser lets letting level lie life light likely limit line link little live load local long longer looked looking lose losing loss lost love lovely low lower luck
  lucky main mainly major manage manner many mark massive material matter maybe mean meaning means meant measure meet memory mention mentioned mere merely mid middle mind mine minor minus miss missing mistake mix
  moment money morning mostly mother move moved multiple mum must name namely nasty near nearby nearly necessary need needed needs negative neither never nevertheless nice nicely night nobody nope normal normally
  note noted nothing notice nowadays nowhere obvious obviously occur occurred odd offhand often old once one ones online open opinion opposed option order ordinary original others otherwise ought ours outside overall
  owe owed paid pair particular particularly partly party pass passed past pay paying peek perfect perfectly perhaps personal personally picture piece place plain plan plenty plus pointer poor popular position
  possible possibly post potential potentially power prefer present presently pretty previous primarily prior private probably problem produce profit promise proper properly prove provide public publicly published
  publish pull pure purely purpose push put quick quickly quiet quite random rank rapid rapidly rare rarely rate rather reach read reading ready real realise realize reason reasonable reckon reckoned recall receive
  recent record refer referring regard regarding regardless regular regularly relate relation relevant remain remember remind report reported respect respectively rest result return reveal right rise rough roughly
  round run running rundown sadly safe sake saw scary search second secondly seconds seem seemed seeming seems seen self sell send sense sent separate serious seriously set setting several shall share sharp sharply
  shocking short shot showed showing shown shows side sign significant significantly similar similarly simple simply single sit situation size skip slight slightly slow slowly small smart sold sole solid solve
  sometime sometimes somewhat somewhere soon sorry sort sound source spare speak special specific specifically specify spot spread stand standing start started state stated stay steep steady step sticker stop
  straight strange strong stuff stupid subject such sudden suddenly suffer suggest suitable sum super support suppose supposed sure surely surprise surprising swear swing table take taken takes taking talk talking
  tank tanked tell telling tend term terms thank therefore thereby thinking thirdly thorough thoroughly though thought through throughout throw thus tiny together told tomorrow tonight took touch toward towards
  track traded tried tries trouble true truly trust truth try trying turn turned twice type typical typically ultimately unable understand unfortunately unless unlike unlikely usable use used useful user uses using
  usual usually utterly various vary vast verify versus via view visible visit wait walk wanted warn watch way wear weird well went whatever whatsoever whenever whereas wherever whether whichever while whole wholly
  whoever wide widely wild wise wish wonder wondering word words work working works worried worry worse worst wow write wrong yeah yep yet yours yourself zero hey everybody's folk mate dude bro sir madam team buddy`.split(
    /\s+/,
  ),
)
