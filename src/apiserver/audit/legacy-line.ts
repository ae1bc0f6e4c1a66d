import { goQuote } from '../../machinery/go-quote.ts';
import type { AuditEvent } from './event.ts';
import { microTimeText } from './micro-time.ts';

/** The event as a line of text: `--audit-log-format=legacy`. It has a part of what the event says. */
export function legacyLine({ request: { facts }, at }: AuditEvent): string {
  const { user, sourceIps, userAgent, auditId, verb, requestUri, receivedMicros } = facts;
  const { impersonatedUser, objectRef, responseStatus, stage } = at;
  const hasUser = user !== undefined && user.name !== '';
  const pairs = {
    id: auditId,
    stage,
    ip: sourceIps[0] ?? '<unknown>',
    method: verb,
    user: hasUser ? user.name : '<none>',
    groups: hasUser && user.groups.length > 0 ? quoted(user.groups) : '<none>',
    as: impersonatedUser?.name ?? '<self>',
    asgroups: impersonatedUser === undefined ? '<lookup>' : quoted(impersonatedUser.groups),
    'user-agent': userAgent,
    namespace: objectRef === undefined || objectRef.facts.namespace === '' ? '<none>' : objectRef.facts.namespace,
    uri: requestUri,
    response: responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0),
  };
  // Fractions of a second end with their last digit that is not zero, as Go's RFC3339Nano has them.
  const time = microTimeText(receivedMicros).replace(/\.?0*Z$/, 'Z');
  return `${time} AUDIT: ${Object.entries(pairs)
    .map(([name, value]) => `${name}=${goQuote(value)}`)
    .join(' ')}`;
}

const quoted = (names: readonly string[]): string => names.map(goQuote).join(',');
