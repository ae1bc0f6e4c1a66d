/** Bodies of requests: bytes to objects of the request's version, with upstream's errors. */
import type { TypeCodec } from '../../machinery/codec/index.ts';
import { readEnvelope } from '../../machinery/codec/envelope.ts';
import type { JsonBody } from '../../machinery/json/body.ts';
import { JsonSyntaxError, JsonTypeError } from '../../machinery/json/json-error.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { badRequest, plainError, type StatusError } from '../../machinery/status.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import { canonicalApiVersion, canonicalMediaType, usesOrchNames } from '../request/orch-names.ts';
import { bodyType, protobuf, yaml } from '../request/negotiation.ts';
import type { ApiRequest } from '../request/request.ts';
import { LargeBody } from './large-body.ts';
import type { EndpointContext } from './context.ts';
import { goType, groupOf, internalType } from './go-types.ts';
import { recordOptions } from './audit-objects.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { reportProblems } from './strict-decoding.ts';
import { jsonBody, type TextBody, yamlBody } from './text-body.ts';
import type { FieldValidation } from './write-parameters.ts';

export interface RequestBody {
  /** The normalized object, with the defaults of its version. A new object at every call. Throws 400. */
  decode(served: ServedResource, validation: FieldValidation, warn: (text: string) => void): KubeObject;
}

/** Reads the body; throws 413 and 415. */
export async function readBody(context: EndpointContext, request: ApiRequest): Promise<RequestBody> {
  const mediaType = bodyType(canonicalMediaType(request.header('content-type') ?? ''));
  const bytes = await readBytes(context, request);
  const decode =
    mediaType === protobuf ? decodeProtobuf : decodeText(mediaType === yaml ? await yamlBody(bytes) : jsonBody(bytes));
  return {
    decode(served, validation, warn) {
      const object = decode(context, served.servedVersion, bytes, validation, warn) as KubeObject;
      served.servedVersion.setDefaults(object);
      return object;
    },
  };
}

/** The whole body of a write. Throws 413, and `LargeBody` where another thread is to begin anew with it. */
export async function readBytes({ maxBodyBytes, bodyRead }: EndpointContext, request: ApiRequest): Promise<Buffer> {
  const { givenBody, exchange, largeBodyBytes } = request;
  const bytes = givenBody ?? (await exchange.readBody(maxBodyBytes));
  if (givenBody === undefined) bodyRead?.(request, bytes.length);
  if (largeBodyBytes !== undefined && bytes.length >= largeBodyBytes) throw new LargeBody(bytes);
  return bytes;
}

type Decode = (
  context: EndpointContext,
  servedVersion: ServedVersion,
  bytes: Buffer,
  validation: FieldValidation,
  warn: (text: string) => void,
) => JsonObject;

interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const decodeProtobuf: Decode = (context, servedVersion, bytes) => {
  let typeMeta: TypeMeta | undefined;
  try {
    const envelope = readEnvelope(bytes);
    typeMeta = completed(envelope, servedVersion);
    const codec = codecFor(context, servedVersion, typeMeta);
    const value = codec.decode(envelope.raw);
    checkKind(servedVersion, typeMeta);
    return value;
  } catch (error) {
    throw refused(error, servedVersion, typeMeta, bytes);
  }
};

const decodeText =
  (read: TextBody): Decode =>
  (context, servedVersion, bytes, validation, warn) => {
    let typeMeta: TypeMeta | undefined;
    try {
      const body = readKnown(read);
      if (servedVersion.custom !== undefined) requireTypeMeta(body.claimed, bytes);
      typeMeta = completed(body.claimed, servedVersion);
      if (servedVersion.custom !== undefined) checkVersion(servedVersion, typeMeta);
      const { value, problems } = codecFor(context, servedVersion, typeMeta).fromJson(body.document);
      checkKind(servedVersion, typeMeta);
      reportProblems(problems, validation, warn, (text) => {
        throw new Error(text);
      });
      return value;
    } catch (error) {
      throw refused(error, servedVersion, typeMeta, bytes);
    }
  };

/** What the document says it is; an error that comes before that has no kind to speak of. */
function readKnown(read: TextBody): { document: JsonBody; claimed: TypeMeta } {
  try {
    const document = read();
    return { document, claimed: document.typeMeta() };
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonTypeError)
      throw new Error(`couldn't get version/kind; json parse error: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A body without kind or apiVersion is of the kind that the path expects. */
function completed({ apiVersion, kind }: TypeMeta, servedVersion: ServedVersion): TypeMeta {
  const canonical = usesOrchNames(apiVersion) ? canonicalApiVersion(apiVersion) : apiVersion;
  if (canonical.split('/').length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  return {
    apiVersion: canonical === '' ? servedVersion.apiVersion : canonical,
    kind: kind === '' ? servedVersion.kind : kind,
  };
}

/** Objects without a type of their own have to say what they are. */
function requireTypeMeta({ apiVersion, kind }: TypeMeta, bytes: Buffer): void {
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${bytes.toString()}'`);
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${bytes.toString()}'`);
}

/** Decodes as what the body claims to be: a malformed Secret is that before it is no ConfigMap. */
function codecFor(
  { codecs, schemas }: EndpointContext,
  servedVersion: ServedVersion,
  { apiVersion, kind }: TypeMeta,
): TypeCodec {
  // Whether a custom object is of the right kind is found out when it is validated.
  if (apiVersion === servedVersion.apiVersion && (kind === servedVersion.kind || servedVersion.custom !== undefined))
    return servedVersion.codec;
  const typeId = schemas.ofKind(apiVersion, kind);
  if (typeId === undefined)
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ` +
        '"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    );
  return codecs.of(typeId);
}

function checkKind(servedVersion: ServedVersion, { apiVersion, kind }: TypeMeta): void {
  if (servedVersion.custom !== undefined) return;
  if (
    kind !== servedVersion.kind ||
    (groupOf(apiVersion) !== groupOf(servedVersion.apiVersion) &&
      servedVersion.convertible?.includes(apiVersion) !== true)
  ) {
    throw new Error(
      `converting (${goType(apiVersion, kind)}) to (${internalType(servedVersion.apiVersion, servedVersion.kind)}` +
        '): unknown conversion',
    );
  }
  checkVersion(servedVersion, { apiVersion, kind });
}

function checkVersion(servedVersion: ServedVersion, { apiVersion }: TypeMeta): void {
  if (apiVersion !== servedVersion.apiVersion && servedVersion.accepts?.includes(apiVersion) !== true)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (` +
        `${servedVersion.apiVersion})`,
    );
}

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

const summaryLength = 30;

/** 400 in upstream's words: with the kind when it is known, else with the beginning of the body. */
function refused(error: unknown, servedVersion: ServedVersion, typeMeta: TypeMeta | undefined, bytes: Buffer): unknown {
  if (!(error instanceof Error) || error.name === 'StatusError') return error;
  if (typeMeta !== undefined)
    return badRequest(
      `${typeMeta.kind} in version ${JSON.stringify(versionOf(typeMeta.apiVersion))} cannot be handled as ` +
        `a ${servedVersion.kind}: ${error.message}`,
      { cause: error },
    );
  return badRequest(
    `the object provided is unrecognized (must be of type ${servedVersion.kind}): ${error.message} (${summary(bytes)})`,
    { cause: error },
  );
}

function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, summaryLength);
  const more = bytes.length > summaryLength ? ' ...' : '';
  return (bytes[0] === 0x7b ? head.toString() : head.toString('hex')) + more;
}

/** A body that is an options object, such as DeleteOptions. Upstream answers its errors bare, with code 500. */
export async function decodeOptions(
  context: EndpointContext,
  request: ApiRequest,
  bytes: Buffer,
  kind: string,
): Promise<JsonObject> {
  const codec = context.codecs.of(`meta/v1.${kind}`);
  const mediaType = optionsType(request);
  try {
    if (mediaType === protobuf) {
      const envelope = readEnvelope(bytes);
      const options = codec.decode(envelope.raw);
      recordOptions(request, codec, kind, envelope.apiVersion, options);
      return options;
    }
    const { document, claimed } = readKnown(mediaType === yaml ? await yamlBody(bytes) : jsonBody(bytes));
    if (claimed.kind !== '' && claimed.kind !== kind) {
      throw new Error(
        `no kind ${JSON.stringify(claimed.kind)} is registered for ` +
          `version ${JSON.stringify(claimed.apiVersion)} in scheme ` +
          '"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
      );
    }
    const { value } = codec.fromJson(document);
    recordOptions(request, codec, kind, claimed.apiVersion, value);
    return value;
  } catch (error) {
    throw bare(error);
  }
}

const optionsType = (request: ApiRequest): string => bodyType(canonicalMediaType(request.header('content-type') ?? ''));

const bare = (error: unknown): StatusError | unknown =>
  error instanceof Error && error.name !== 'StatusError' ? plainError(error.message) : error;
