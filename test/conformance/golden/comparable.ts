/** What recorded and actual answers are brought to before they are compared, because it is not determined upstream. */

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A diff of two Go structs, as go-cmp prints it: with blanks that may be ordinary ones or those that do not break. */
const structDiff = /\n[ \u00a0]{2}([a-z0-9]+\.[A-Z]\w*)\{\n[\s\S]*?\n[ \u00a0]{2}\}\n/g;

/** Of such a diff the type counts: this server shows what has changed, and nothing around it. */
export const withoutStructDiffs = (text: string): string => text.replace(structDiff, '\n$1\n');

/** What a build says about itself: every build has its own. */
const ofBuild = ['gitVersion', 'gitTreeState', 'compiler'];

/** The recorded server had no check of etcd: without it, --etcd-readycheck-timeout would be about nothing. */
const storeCheck = '[+]etcd-readiness ok\n';

export function comparable(body: unknown): unknown {
  if (typeof body === 'string') return body.replace(storeCheck, '');
  if (!isMembers(body)) return body;
  if (body['kind'] === 'Status') return withSortedCauses(body);
  if (!('gitVersion' in body)) return body;
  const version = /^v\d+\.\d+/.exec(String(body['gitVersion']))?.[0];
  return { ...body, ...Object.fromEntries(ofBuild.map((name) => [name, `${name} of ${version}`])) };
}

/** Upstream judges the members of a custom object in the order of a Go map. */
function withSortedCauses(status: Members): Members {
  const { details, message } = status;
  if (!isMembers(details) || !Array.isArray(details['causes']) || typeof message !== 'string') return status;
  const isCustom = String(details['group'] ?? '').endsWith('.example.com');
  if (!isCustom || details['causes'].length < 2) return status;
  const causes = details['causes'] as Members[];
  const shown = causes.map(textOf).join(', ');
  const sorted = causes.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  // The message has to have the causes in the order in which they are listed.
  const inOrder = message.replace(shown, sorted.map(textOf).join(', '));
  return { ...status, message: inOrder, details: { ...details, causes: sorted } };
}

const textOf = ({ field, message }: Members): string => `${String(field)}: ${String(message)}`;
