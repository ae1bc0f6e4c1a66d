/**
 * `TracingConfiguration`: where spans go, and how many.
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/system-traces/ | Traces for system components}
 */
import type { GrpcAddress } from '../../grpc/client.ts';
import { aggregateText, type FieldError, invalid } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { parseYaml } from '../../machinery/json/yaml.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';

export interface TracingConfiguration {
  /** Of the collector (OTLP over gRPC, without TLS). */
  readonly collector: GrpcAddress;
  /** Of a million requests; 0: none. */
  readonly samplingRatePerMillion: number;
}

const groups = ['apiserver.config.k8s.io', 'apiserver.config.orch.io', 'apiserver.orch.io'];
const apiVersions = groups.flatMap((group) => ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`));
const fields = ['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion'];
/** The registered port of OTLP over gRPC. */
const defaultEndpoint = 'localhost:4317';
const million = 1_000_000;
const maxInt32 = 2 ** 31 - 1;

/** Throws an Error with upstream's message. */
export function readTracingConfiguration(text: string): TracingConfiguration {
  const configuration = checkTracing(decode(text) as TracingFields);
  if (Array.isArray(configuration))
    throw new Error(`failed to validate tracing configuration: ${aggregateText(configuration)}`);
  return configuration;
}

export interface TracingFields {
  readonly endpoint?: string | undefined;
  readonly samplingRatePerMillion?: number | undefined;
}

/** What its fields say, or what is wrong with them. */
export function checkTracing(fields: TracingFields): TracingConfiguration | FieldError[] {
  const { endpoint = defaultEndpoint, samplingRatePerMillion: rate = 0 } = fields;
  const errors: FieldError[] = [];
  const at = FieldPath.of('samplingRatePerMillion');
  if (rate < 0) errors.push(invalid(at, rate, 'sampling rate must be positive'));
  if (rate > million)
    errors.push(invalid(at, rate, 'sampling rate per million must be less than or equal to one million'));
  const collector = addressOf(endpoint);
  if (typeof collector === 'string') errors.push(invalid(FieldPath.of('endpoint'), endpoint, collector));
  if (errors.length > 0) return errors;
  return { collector: collector as GrpcAddress, samplingRatePerMillion: rate };
}

function decode(text: string): JsonObject {
  const refuse = (why: string): never => {
    throw new Error(`failed to read tracing config: unable to decode tracing configuration data: ${why}`);
  };
  const { value, problems } = parsed(text, refuse);
  if (!isObject(value))
    return refuse(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeOf(value)} into Go value of type ` +
        'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
  const { apiVersion, kind } = value;
  if (!apiVersions.includes(apiVersion as string) || kind !== 'TracingConfiguration')
    return refuse(
      `no kind ${goQuote(textOf(kind))} is registered for version ${goQuote(textOf(apiVersion))} in scheme ` +
        '"pkg/server/options/tracing.go:49"',
    );
  const unknown = Object.keys(value).filter((name) => !fields.includes(name));
  const strict = [...problems, ...unknown.map((name) => `unknown field ${goQuote(name)}`)];
  if (strict.length > 0) return refuse(`strict decoding error: ${strict.join(', ')}`);
  const { endpoint, samplingRatePerMillion: rate } = value;
  if (endpoint !== undefined && typeof endpoint !== 'string') return refuse('endpoint must be a string');
  if (rate !== undefined && !(Number.isInteger(rate) && Math.abs(rate as number) <= maxInt32))
    return refuse('samplingRatePerMillion must be an integer of 32 bits');
  return value;
}

function parsed(text: string, refuse: (why: string) => never): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(text);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const goTypeOf = (value: JsonValue): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;

/**
 * As gRPC names targets; a problem as text.
 * @see {@link https://github.com/grpc/grpc/blob/master/doc/naming.md | gRPC name resolution}
 */
function addressOf(endpoint: string): GrpcAddress | string {
  const [, scheme = 'dns', rest = endpoint] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(endpoint) ?? [];
  if (scheme === 'unix') return { path: rest };
  if (scheme === 'unix-abstract') return { path: `@${rest}` };
  if (scheme !== 'dns')
    return (
      `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  ` +
      'See https://github.com/grpc/grpc/blob/master/doc/naming.md'
    );
  const [, host, port = '443'] = /^\/?(\[[^\]]+\]|[^:/]+)(?::(\d{1,5}))?$/.exec(rest) ?? [];
  if (host === undefined || Number(port) > 65_535) return 'must be of the form host:port';
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
