import { isGateOn } from '../../api/feature-gates.ts';
import type { ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import type { ApiServerConfig } from '../config.ts';

/** What callers may not say of themselves to servers behind this one: whatever a front proxy of this one could say. */
export function forwardingOf({ authentication: { requestHeader }, featureGates }: ApiServerConfig): ForwardingOptions {
  const { usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = requestHeader ?? {};
  return {
    frontProxyHeaders: [...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()),
    frontProxyPrefixes: extraHeaderPrefixes.map((prefix) => prefix.toLowerCase()),
    tellUid: isGateOn('RemoteRequestHeaderUID', featureGates),
  };
}
