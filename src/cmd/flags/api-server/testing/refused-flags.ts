/** Command lines that are refused, and the messages. */
import { expect } from 'vitest';

const overrideForm = 'invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

const etcd = '--store-servers=http://127.0.0.1:2379';

const externalSigner = ['--feature-gates=ExternalServiceAccountTokenSigner=true', '--service-account-issuer=a'];

const socketForm =
  'passed for `--service-account-signing-endpoint`, should be a valid location on the filesystem or must be ' +
  'prefixed with @ to name UDS in abstract namespace';

export const refusedFlags = [
  // Serving
  {
    argv: ['--secure-port=0'],
    problems: ['--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0'],
  },
  {
    argv: ['--secure-port=65536'],
    problems: ['--secure-port 65536 must be between 1 and 65535, inclusive. It cannot be turned off with 0'],
  },
  { argv: ['--tls-cert-file=a'], problems: ['missing filename for serving cert'] },
  { argv: ['--tls-private-key-file=a'], problems: ['missing filename for serving cert'] },
  { argv: ['--request-timeout=-1s'], problems: ['--request-timeout can not be negative value'] },
  { argv: ['--livez-grace-period=-1s'], problems: ['--livez-grace-period can not be a negative value'] },
  { argv: ['--shutdown-delay-duration=-1s'], problems: ['--shutdown-delay-duration can not be negative value'] },
  {
    argv: ['--shutdown-watch-termination-grace-period=-1s'],
    problems: ['shutdown-watch-termination-grace-period, if provided, can not be a negative value'],
  },
  {
    argv: ['--show-hidden-metrics-for-version=1.30'],
    problems: [
      "--show-hidden-metrics-for-version must be omitted or have the value '1.31'. Only the previous minor " +
        'version is allowed',
    ],
  },
  {
    argv: ['--allow-metric-labels=metric=a,b'],
    problems: [
      '--allow-metric-labels must have a list of kv pair with format ' +
        '`metricName,labelName=labelValue, labelValue,...`',
    ],
  },
  { argv: ['--min-request-timeout=-1'], problems: ['--min-request-timeout can not be negative value'] },
  {
    argv: ['--http2-max-streams-per-connection=-1'],
    problems: ['--http2-max-streams-per-connection can not be negative value'],
  },
  {
    argv: ['--tls-cipher-suites=TLS_NO_SUCH'],
    problems: ["Cipher suite TLS_NO_SUCH not supported or doesn't exist"],
  },
  { argv: ['--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256'], problems: [] },
  { argv: ['--tls-min-version=TLS12'], problems: ['unknown tls version "TLS12"'] },
  {
    argv: ['--tls-sni-cert-key=a'],
    problems: ['--tls-sni-cert-key "a" invalid, must be of format: cert,key[:domain,...]'],
  },
  {
    argv: ['--cors-allowed-origins=//a('],
    problems: [
      expect.stringContaining('--cors-allowed-origins has an invalid regular expression') as unknown as string,
    ],
  },
  {
    argv: ['--cors-allowed-origins=example.com$'],
    problems: [
      '--cors-allowed-origins has a regular expression that does not pin to start of host in the origin ' +
        'header: example.com$',
    ],
  },
  {
    argv: ['--cors-allowed-origins=//example.com'],
    problems: [
      '--cors-allowed-origins has a regular expression that does not pin to end of host in the origin ' +
        'header: //example.com',
    ],
  },
  { argv: ['--cors-allowed-origins=//example.com(:|$)'], problems: [] },
  {
    argv: ['--strict-transport-security-directives=max-age=x'],
    problems: [
      '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, ' +
        'includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
    ],
  },
  { argv: ['--goaway-chance=0.03'], problems: ['--goaway-chance can not be less than 0 or greater than 0.02'] },
  // Authentication
  {
    argv: ['--requestheader-username-headers=X-Remote-User, '],
    problems: ['empty value in "requestheader-username-headers"'],
  },
  {
    argv: ['--requestheader-uid-headers=X-Remote-Uid'],
    problems: ['--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled'],
  },
  { argv: ['--requestheader-uid-headers=X-Remote-Uid', '--feature-gates=RemoteRequestHeaderUID=true'], problems: [] },
  // Service accounts
  { argv: ['--service-account-issuer=a:b:c'], problems: [] },
  {
    argv: ['--service-account-issuer=https://['],
    problems: [`service-account-issuer "https://[" contained a ':' but was not a valid URL`],
  },
  {
    argv: ['--service-account-signing-key-file=k'],
    problems: ['--service-account-signing-key-file requires --service-account-issuer'],
  },
  {
    argv: ['--service-account-max-token-expiration=59m'],
    problems: ['the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'],
  },
  {
    argv: ['--service-account-jwks-uri=http://a'],
    problems: ['service-account-jwks-uri requires https scheme, parsed as: http://a'],
  },
  { argv: [...externalSigner, '--service-account-signing-endpoint=/e/an_b-d/efg.sock'], problems: [] },
  { argv: [...externalSigner, '--service-account-signing-endpoint=@ebc.eng.hij'], problems: [] },
  {
    argv: [...externalSigner, '--service-account-signing-endpoint=abc'],
    problems: [`invalid value "abc" ${socketForm}`],
  },
  {
    argv: [...externalSigner, '--service-account-signing-endpoint=@abc@'],
    problems: [`invalid value "@abc@" ${socketForm}`],
  },
  {
    argv: [...externalSigner, '--service-account-signing-endpoint=@abc.abc  .ae'],
    problems: [`invalid value "@abc.abc  .ae" ${socketForm}`],
  },
  {
    argv: [...externalSigner, '--service-account-signing-endpoint=/e /xyz'],
    problems: [`invalid value "/e /xyz" ${socketForm}`],
  },
  {
    argv: [
      '--service-account-signing-endpoint=@a',
      '--service-account-signing-key-file=k',
      '--service-account-key-file=k',
      '--service-account-issuer=a',
    ],
    problems: [
      "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with " +
        '`--service-account-signing-endpoint` (They are mutually exclusive)',
      'setting `--service-account-signing-endpoint` requires enabling ExternalServiceAccountTokenSigner feature gate',
    ],
  },
  {
    argv: ['--feature-gates=ExternalServiceAccountTokenSigner=true', '--service-account-signing-endpoint=@a'],
    problems: ['--service-account-signing-endpoint requires --service-account-issuer'],
  },
  // Storage
  {
    argv: ['--storage-backend=etcd2'],
    problems: ["--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'"],
  },
  {
    argv: ['--storage-media-type=foo'],
    problems: [
      '--storage-media-type "foo" invalid, allowed values: application/json, ' +
        'application/vnd.kubernetes.protobuf, application/yaml',
    ],
  },
  { argv: ['--etcd-certfile=/a'], problems: ['KeyFile and CertFile must both be present[key: , cert: /a]'] },
  {
    argv: ['--etcd-servers=ftp://a'],
    problems: ['--etcd-servers "ftp://a" invalid, must be of format: scheme://host:port'],
  },
  {
    argv: ['--store-servers=http://a:1/path'],
    problems: ['--store-servers "http://a:1/path" invalid, must be of format: scheme://host:port'],
  },
  { argv: [etcd, '--store-servers-overrides=foo'], problems: [`--store-servers-overrides ${overrideForm}`] },
  { argv: [etcd, '--etcd-servers-overrides=a/b/c#d'], problems: [`--etcd-servers-overrides ${overrideForm}`] },
  { argv: [etcd, '--etcd-servers-overrides=/events#'], problems: [`--etcd-servers-overrides ${overrideForm}`] },
  {
    argv: ['--store-servers-overrides=/events#http://a'],
    problems: ['--store-servers-overrides needs --store-servers: the embedded store has no servers to override'],
  },
  { argv: ['--watch-cache-sizes=foo'], problems: ['invalid value of watch cache size: foo'] },
  { argv: ['--watch-cache-sizes=pods#x'], problems: ['invalid size of watch cache size: pods#x'] },
  { argv: ['--watch-cache-sizes=pods#-1'], problems: ['watch cache size cannot be negative: pods#-1'] },
  { argv: ['--etcd-compaction-interval=-5s'], problems: ['--etcd-compaction-interval can not be negative value'] },
  { argv: ['--event-ttl=-5s'], problems: ['--event-ttl can not be negative value'] },
  { argv: ['--delete-collection-workers=0'], problems: ['--delete-collection-workers must be a positive number'] },
  {
    argv: ['--lease-reuse-duration-seconds=-1'],
    problems: ['--lease-reuse-duration-seconds can not be negative value'],
  },
  {
    argv: ['--apiserver-count=0'],
    problems: ["--apiserver-count should be a positive number, but value '0' provided"],
  },
  {
    argv: ['--endpoint-reconciler-type=foo'],
    problems: ['--endpoint-reconciler-type "foo" invalid, allowed values: lease, master-count, none'],
  },
  // Services
  { argv: ['--service-cluster-ip-range=foo'], problems: ['service-cluster-ip-range[0] is not a valid cidr'] },
  { argv: ['--service-cluster-ip-range=10.0.0.5'], problems: ['service-cluster-ip-range[0] is not a valid cidr'] },
  {
    argv: ['--service-cluster-ip-range=10.0.0.0/8'],
    problems: ['specified --service-cluster-ip-range is too large; for 32-bit addresses, the mask must be >= 12'],
  },
  {
    argv: ['--service-cluster-ip-range=fd00::/64'],
    problems: ['specified --service-cluster-ip-range is too large; for 128-bit addresses, the mask must be >= 108'],
  },
  {
    argv: ['--service-cluster-ip-range=10.0.0.0/24,fd00::/64'],
    problems: ['specified --service-cluster-ip-range[1] is too large; for 128-bit addresses, the mask must be >= 108'],
  },
  {
    argv: ['--service-cluster-ip-range=10.0.0.0/30'],
    problems: ['the service cluster IP range must be at least 8 IP addresses'],
  },
  {
    argv: ['--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24'],
    problems: ['--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family'],
  },
  {
    argv: ['--service-cluster-ip-range=10.0.0.0/24,fd00::/108,10.2.0.0/24'],
    problems: ['--service-cluster-ip-range must not contain more than two entries'],
  },
  {
    argv: ['--service-cluster-ip-range=10.0.0.0/24', '--advertise-address=fd00::1'],
    problems: ['service IP family "IPv4" must match public address family "IPv6"'],
  },
  {
    argv: ['--kubernetes-service-node-port=-1'],
    problems: [
      '--kubernetes-service-node-port -1 must be between 0 and 65535, inclusive. If 0, the Kubernetes master ' +
        'service will be of type ClusterIP',
    ],
  },
  {
    argv: ['--kubernetes-service-node-port=1000'],
    problems: ["kubernetes service port range 30000-32767 doesn't contain 1000"],
  },
  // Node agents
  {
    argv: ['--kubelet-client-key=/k'],
    problems: ['--nodeagent-client-certificate and --kubelet-client-key are to be given together'],
  },
  { argv: ['--nodeagent-timeout=0'], problems: ['--nodeagent-timeout must be greater than 0'] },
  { argv: ['--nodeagent-port=0'], problems: ['--nodeagent-port 0 must be between 1 and 65535'] },
  // Authorization
  { argv: ['--authorization-mode=foo'], problems: ['authorization-mode "foo" is not a valid mode'] },
  { argv: ['--authorization-mode=constructor'], problems: ['authorization-mode "constructor" is not a valid mode'] },
  { argv: ['--authorization-mode='], problems: ['at least one authorization-mode must be passed'] },
  {
    argv: ['--authorization-mode=AlwaysAllow,AlwaysAllow'],
    problems: ['authorization-mode ["AlwaysAllow" "AlwaysAllow"] has mode specified more than once'],
  },
  {
    argv: ['--authorization-mode=Node,ABAC'],
    problems: ["authorization-mode ABAC's authorization policy file not passed"],
  },
  {
    argv: ['--authorization-mode=Webhook'],
    problems: ["authorization-mode Webhook's authorization config file not passed"],
  },
  {
    argv: [
      '--authorization-policy-file=x',
      '--authorization-webhook-config-file=x',
      '--authorization-webhook-version=v2',
    ],
    problems: [
      'cannot specify --authorization-policy-file without mode ABAC',
      'cannot specify --authorization-webhook-config-file without mode Webhook',
      '--authorization-webhook-version "v2" invalid, allowed values: v1, v1beta1',
    ],
  },
  {
    argv: ['--authorization-config=x', '--authorization-mode=RBAC'],
    problems: [
      '--authorization-config can not be specified when --authorization-mode or ' +
        '--authorization-webhook-* flags are defined',
    ],
  },
  // Admission
  { argv: ['--enable-admission-plugins=Foo'], problems: ['enable-admission-plugins plugin "Foo" is unknown'] },
  {
    argv: ['--disable-admission-plugins=Foo,Priority'],
    problems: ['disable-admission-plugins plugin "Foo" is unknown'],
  },
  {
    argv: ['--enable-admission-plugins=Priority', '--disable-admission-plugins=Priority,PodSecurity'],
    problems: ['[Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
  },
  // Flow control
  { argv: ['--max-requests-inflight=-1'], problems: ['--max-requests-inflight can not be negative value'] },
  {
    argv: ['--max-mutating-requests-inflight=-1'],
    problems: ['--max-mutating-requests-inflight can not be negative value'],
  },
  {
    argv: ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'],
    problems: [
      'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; ' +
        'they must add up to something positive',
    ],
  },
  // Logs, APIs
  {
    argv: ['--peer-ca-file=x', '--peer-advertise-ip=192.0.2.1', '--peer-advertise-port=0'],
    problems: [
      '--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on',
      '--peer-advertise-ip requires UnknownVersionInteroperabilityProxy feature to be turned on',
      '--peer-advertise-port requires UnknownVersionInteroperabilityProxy feature to be turned on',
      '--peer-advertise-port: Invalid value: "0": must be a port',
    ],
  },
  {
    argv: ['--feature-gates=UnknownVersionInteroperabilityProxy=true'],
    problems: ['UnknownVersionInteroperabilityProxy feature requires StorageVersionAPI feature flag to be enabled'],
  },
  { argv: ['--logging-format=xml'], problems: ['--logging-format: Invalid value: "xml": Unsupported log format'] },
  {
    argv: ['--event-loop-stall-threshold=49ms'],
    problems: ['--event-loop-stall-threshold must be 0, or at least 50ms and less than 25 days'],
  },
  {
    argv: ['--event-loop-stall-threshold=-1s'],
    problems: ['--event-loop-stall-threshold must be 0, or at least 50ms and less than 25 days'],
  },
  { argv: ['-v=-1'], problems: ['-v, --v can not be negative value'] },
  { argv: ['--runtime-config=foo'], problems: ['runtime-config invalid key foo'] },
  // Several at once
  {
    argv: ['--secure-port=0', '--runtime-config=foo'],
    problems: [
      '--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0',
      'runtime-config invalid key foo',
    ],
  },
];
