/** Which libraries expressions have in which version of Kubernetes. */
import type { Library } from '../check/declarations.ts';
import { authorizerLibrary } from './authorizer.ts';
import { cidrs, ips } from './addresses.ts';
import { conversions } from './conversions.ts';
import { formats } from './named-formats.ts';
import { lists } from './lists.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { quantities } from './quantity.ts';
import { regex } from './regex.ts';
import { sets } from './sets.ts';
import { standardFunctions } from './standard-functions.ts';
import { stringsVersion0, stringsVersion2 } from './strings.ts';
import { urls } from './urls.ts';

/** Minor version that this server speaks. */
export const newestVersion = 32;
/**
 * New expressions are written in the language of the version before, so that a server of that version, next to which
 * this one may run, can read them.
 */
export const compatibilityVersion = newestVersion - 1;

const always = 0;

const table: readonly { readonly library: Library; readonly since: number; readonly until?: number }[] = [
  ...[operators, conversions, standardFunctions, urls, regex, lists].map((library) => ({ library, since: always })),
  { library: stringsVersion0, since: always, until: 29 },
  { library: authorizerLibrary, since: 27 },
  { library: optionals, since: 28 },
  { library: quantities, since: 28 },
  { library: stringsVersion2, since: 29 },
  { library: sets, since: 29 },
  { library: ips, since: 30 },
  { library: cidrs, since: 30 },
  { library: formats, since: 31 },
];

export const librariesOf = (version: number): Library[] =>
  table.filter(({ since, until = Infinity }) => since <= version && version < until).map(({ library }) => library);
