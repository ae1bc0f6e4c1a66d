/**
 * Names of time zones, matched to the letter.
 * @see {@link https://www.iana.org/time-zones | IANA Time Zone Database}
 */

/** Older and second names, which the runtime knows but does not list. By what stands before the first slash. */
const otherNames: Readonly<Record<string, string>> = {
  '':
    'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland ' +
    'Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ' +
    'ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu',
  Africa: 'Asmara Timbuktu',
  America:
    'Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy ' +
    'Argentina/Mendoza Atikokan Atka Ensenada Fort_Wayne Indiana/Indianapolis Kentucky/Louisville Knox_IN ' +
    'Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel Shiprock Thunder_Bay Virgin ' +
    'Yellowknife',
  Antarctica: 'South_Pole',
  Asia:
    'Ashkhabad Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar Kathmandu Kolkata Macao ' +
    'Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon',
  Atlantic: 'Faroe Jan_Mayen',
  Australia: 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna',
  Brazil: 'Acre DeNoronha East West',
  Canada: 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon',
  Chile: 'Continental EasterIsland',
  Etc: 'Greenwich UCT UTC Universal Zulu',
  Europe: 'Belfast Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye',
  Mexico: 'BajaNorte BajaSur General',
  Pacific: 'Chuuk Johnston Kanton Pohnpei Samoa Yap',
  US: 'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific Samoa',
};

let names: ReadonlySet<string> | undefined;

function collectNames(): ReadonlySet<string> {
  const collected = new Set(Intl.supportedValuesOf('timeZone'));
  for (const [region, places] of Object.entries(otherNames)) {
    for (const place of places.split(' ')) collected.add(region === '' ? place : `${region}/${place}`);
  }
  for (const name of fixedOffsets()) collected.add(name);
  return collected;
}

/** `Etc/GMT+5` is five hours behind UTC: the sign is that of POSIX. */
function* fixedOffsets(): Generator<string> {
  for (const name of ['GMT', 'GMT0', 'GMT+0', 'GMT-0']) yield `Etc/${name}`;
  for (let hours = 1; hours <= 12; hours++) yield `Etc/GMT+${hours}`;
  for (let hours = 1; hours <= 14; hours++) yield `Etc/GMT-${hours}`;
}

export function isTimeZone(name: string): boolean {
  names ??= collectNames();
  return names.has(name);
}

/**
 * What is wrong with the name of a zone where one is looked up. No name means UTC, and `Local` the zone of the server.
 */
export function locationProblem(name: string): string | undefined {
  if (name === '' || name === 'Local') return undefined;
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\')) return 'time: invalid location name';
  return isTimeZone(name) ? undefined : `unknown time zone ${name}`;
}
