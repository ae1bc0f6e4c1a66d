import { bool, duration, file, float, int, optionalIp, optionalText, section, strings } from '../flag.ts';
import {
  http2Flags,
  listenFlags,
  servingCertificateFlags,
  socketSharingFlags,
  tlsFlags,
} from '../shared/secure-serving.ts';

export const serving = section('Serving', {
  ...listenFlags({ securePort: 6443 }),
  advertiseAddress: optionalIp('advertise-address', 'supported', {
    help:
      'Address under which members of the cluster reach this server; the kubernetes service points to it. ' +
      'Without it the bind address, or where that is unspecified the address of the default interface.',
  }),
  externalHostname: optionalText('external-hostname', 'supported', {
    help: 'Host name in URLs that this server hands out. Without it the advertised address.',
  }),
  ...servingCertificateFlags('apiserver', { certDir: '/var/run/orch' }),
  ...tlsFlags,
  ...http2Flags,
  corsAllowedOrigins: strings('cors-allowed-origins', 'supported', {
    help: 'Origins that browsers may call from: regular expressions matched against the Origin header.',
  }),
  strictTransportSecurityDirectives: strings('strict-transport-security-directives', 'supported', {
    help:
      'Directives of the Strict-Transport-Security header: max-age=SECONDS, includeSubDomains, preload. Without ' +
      'any the header is not sent.',
  }),
  ...socketSharingFlags,
  goawayChance: float('goaway-chance', 'supported', {
    help:
      'Share of HTTP/2 requests, 0 to 0.02, after which the client is asked to open a new connection, so that a ' +
      'load balancer spreads clients again.',
  }),
  enableAggregatorRouting: bool('enable-aggregator-routing', 'supported', {
    help:
      'Send requests for aggregated APIs, and calls of webhooks, to the endpoints of their service instead of its ' +
      'cluster IP.',
  }),
  aggregatorRejectForwardingRedirect: bool('aggregator-reject-forwarding-redirect', 'supported', {
    default: true,
    help: 'Do not pass redirects of an aggregated API server on to the client.',
  }),
  proxyClientCertFile: file('proxy-client-cert-file', 'supported', {
    help: 'Client certificate that proves this server to aggregated API servers.',
  }),
  proxyClientKeyFile: file('proxy-client-key-file', 'supported', { help: 'Private key of --proxy-client-cert-file.' }),
  peerAdvertiseIp: optionalIp('peer-advertise-ip', 'supported', {
    help:
      'Address under which the other API servers of this cluster reach this one, to pass requests on to it. Without ' +
      'it the advertised address.',
  }),
  peerAdvertisePort: optionalText('peer-advertise-port', 'supported', {
    help: 'Port that goes with --peer-advertise-ip. Without it the secure port.',
  }),
  peerCaFile: file('peer-ca-file', 'supported', {
    help: 'Authorities of the certificates of the other API servers of this cluster, for kubernetes.default.svc.',
  }),
  requestTimeoutMs: duration('request-timeout', 'supported', {
    default: '1m0s',
    help: 'How long a request may take that is not long-running; it is answered with 504 then.',
  }),
  minRequestTimeoutSeconds: int('min-request-timeout', 'supported', {
    default: 1800,
    help:
      'Watches without a timeout of their own end after a random time between this many seconds and twice as ' +
      'many, to spread load.',
  }),
  maxConnectionBytesPerSecond: int('max-connection-bytes-per-sec', 'supported', {
    help:
      'Limit of bytes per second, each way, for each stream to a node: exec, attach, port-forward, and proxied ' +
      'connections that change their protocol. Watches are not meant. 0 means none.',
  }),
  shutdownDelayMs: duration('shutdown-delay-duration', 'supported', {
    help: 'How long to go on serving after the signal to stop. /readyz fails at once, /livez and /healthz do not.',
  }),
  shutdownSendRetryAfter: bool('shutdown-send-retry-after', 'supported', {
    help:
      'When stopping, keep listening until running requests are answered; new ones get 429 with Retry-After and ' +
      'Connection: close.',
  }),
  shutdownWatchTerminationGracePeriodMs: duration('shutdown-watch-termination-grace-period', 'supported', {
    help:
      'When stopping, end watches one after the other within this time, and wait for them. 0 ends them all at ' +
      'once when everything else is answered.',
  }),
  livezGracePeriodMs: duration('livez-grace-period', 'supported', {
    help: 'How long the start may take at most: until then /livez counts unfinished start-up steps as healthy.',
  }),
});
