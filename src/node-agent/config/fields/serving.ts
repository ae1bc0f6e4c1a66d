/** What the agent serves, and to whom. */
import { bool, duration, int, path, text, texts } from '../field.ts';

export const serving = {
  enableServer: bool(true, { flag: 'enable-server', help: 'Serve the API of the node agent.' }),
  address: text('0.0.0.0', { flag: 'address', help: 'Address to serve on. 0.0.0.0 or :: means every interface.' }),
  port: int(10250, { range: [1, 65535], flag: 'port', help: 'HTTPS port.' }),
  readOnlyPort: int(0, {
    range: [0, 65535],
    flag: 'read-only-port',
    withoutFile: 10255,
    help: 'Port of pods, statistics and metrics without TLS and authentication. 0 switches it off.',
  }),
  healthzPort: int(10248, {
    keepsZero: true,
    range: [0, 65535],
    flag: 'healthz-port',
    help: 'Port of /healthz. 0 switches it off.',
  }),
  healthzBindAddress: text('127.0.0.1', {
    flag: 'healthz-bind-address',
    help: 'Address that /healthz is served on without TLS and authentication.',
  }),
  tlsCertFile: path('', {
    flag: 'tls-cert-file',
    help: 'PEM file with the serving certificate, followed by the certificates of its issuers if there are any.',
  }),
  tlsPrivateKeyFile: path('', {
    flag: 'tls-private-key-file',
    help: 'PEM file with the private key of --tls-cert-file.',
  }),
  tlsCipherSuites: texts([], {
    flag: 'tls-cipher-suites',
    help: 'Cipher suites for TLS 1.2 and older, by their IANA names. Without it the defaults of the runtime.',
  }),
  tlsMinVersion: text('', {
    flag: 'tls-min-version',
    help: 'Oldest TLS version to accept: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.',
  }),
  rotateCertificates: bool(false, {
    flag: 'rotate-certificates',
    help: 'Ask the API server for a new client certificate before the present one expires.',
  }),
  serverTLSBootstrap: bool(false, {
    flag: 'rotate-server-certificates',
    gate: 'RotateKubeletServerCertificate',
    help: 'Ask the API server for the serving certificate, and for a new one before it expires.',
  }),
  authentication: {
    x509: {
      clientCAFile: path('', {
        flag: 'client-ca-file',
        help: 'PEM file of the authorities whose client certificates say who a caller is.',
      }),
    },
    webhook: {
      enabled: bool(true, {
        flag: 'authentication-token-webhook',
        withoutFile: false,
        help: 'Ask the API server whose a bearer token is.',
      }),
      cacheTTL: duration('2m', {
        range: [0, Infinity],
        flag: 'authentication-token-webhook-cache-ttl',
        help: 'How long the answer about a token counts.',
      }),
    },
    anonymous: {
      enabled: bool(false, {
        keepsZero: true,
        flag: 'anonymous-auth',
        withoutFile: true,
        help: 'Let callers without credentials in, as user system:anonymous of group system:unauthenticated.',
      }),
    },
  },
  authorization: {
    mode: text('Webhook', {
      oneOf: ['AlwaysAllow', 'Webhook'],
      flag: 'authorization-mode',
      withoutFile: 'AlwaysAllow',
      help: 'AlwaysAllow, or Webhook: the API server says what a caller may do.',
    }),
    webhook: {
      cacheAuthorizedTTL: duration('5m', {
        range: [0, Infinity],
        flag: 'authorization-webhook-cache-authorized-ttl',
        help: 'How long an answer counts that allows.',
      }),
      cacheUnauthorizedTTL: duration('30s', {
        range: [0, Infinity],
        flag: 'authorization-webhook-cache-unauthorized-ttl',
        help: 'How long an answer counts that refuses.',
      }),
    },
  },
  enableDebuggingHandlers: bool(true, {
    flag: 'enable-debugging-handlers',
    help: 'Serve logs, and run commands in containers.',
  }),
  enableSystemLogHandler: bool(true, { help: 'Serve the files of /var/log under /logs/.' }),
  enableSystemLogQuery: bool(false, {
    keepsZero: true,
    gate: 'NodeLogQuery',
    help: 'Answer queries for the logs of services under /logs/.',
  }),
  enableProfilingHandler: bool(true, { help: 'Serve profiles under /debug/pprof/.' }),
  enableDebugFlagsHandler: bool(true, { help: 'Serve PUT /debug/flags/v for the verbosity of the log.' }),
  enableContentionProfiling: bool(false, {
    flag: 'contention-profiling',
    help: 'Note what holds the event loop for 50 ms or longer, for /debug/pprof/block and mutex.',
  }),
  streamingConnectionIdleTimeout: duration('4h', {
    flag: 'streaming-connection-idle-timeout',
    help: 'How long a stream may be idle. 0 means without limit.',
  }),
};
