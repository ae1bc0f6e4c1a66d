/**
 * Which representation a client wants, and which one it sent.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources | API
 *   Concepts: representations}
 */
import { remembered } from '../../base/bounded-cache.ts';
import { notAcceptable, StatusError, unsupportedMediaType } from '../../machinery/status.ts';

export const json = 'application/json';
export const yaml = 'application/yaml';
export const protobuf = 'application/vnd.kubernetes.protobuf';

export type MediaType = typeof json | typeof yaml | typeof protobuf;

export interface Representation {
  readonly mediaType: MediaType;
  /** `Table`, `PartialObjectMetadata`, … of group meta.k8s.io; absent for the object itself. */
  readonly as?: string;
  /** Version of `as`: v1 or v1beta1. */
  readonly asVersion?: string;
  /** Indented JSON, for people. */
  readonly pretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const objectTypes: readonly MediaType[] = [json, yaml, protobuf];

/** What `as` a resource can be turned into, per media type; the caller knows (a Table has no protobuf encoding). */
export type Convertible = (as: string, group: string, version: string, mediaType: MediaType) => boolean;

/**
 * UTF-16 units of an Accept header that are looked at. Unauthenticated clients may send a mebibyte of it.
 * @NOTE differs from upstream, which reads all of it.
 */
const maxAcceptLength = 16_384;
/** Of a clause and its parameters. */
const clauseBytes = 400;

/** Clauses of an Accept header, best first (RFC 9110 section 12.5.1). */
export const parseAccept = remembered(parseClauses, {
  maxBytes: 1024 * 1024,
  maxKeyLength: 1024,
  bytesOf: ({ length }) => length * clauseBytes,
});

function parseClauses(header: string): readonly Clause[] {
  // What is cut in the middle is no clause.
  const read =
    header.length <= maxAcceptLength ? header : header.slice(0, header.lastIndexOf(',', maxAcceptLength - 1) + 1);
  const clauses = read
    .split(',')
    .map(parseClause)
    .filter((clause) => clause !== undefined);
  return clauses.length > maxInserted ? clauses.sort((a, b) => b.quality - a.quality) : insertedByRank(clauses);
}

/** Of longer headers upstream's order has no rule that a client could know. */
const maxInserted = 12;

/** Upstream's order: quality does not hold back a clause that is more exact than the one before it. */
function insertedByRank(clauses: readonly Clause[]): Clause[] {
  const sorted: Clause[] = [];
  for (const clause of clauses) {
    let at = sorted.length;
    while (at > 0 && goesBefore(clause, sorted[at - 1]!)) at--;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

const goesBefore = (a: Clause, b: Clause): boolean =>
  a.quality > b.quality ||
  (!a.type.startsWith('*') && b.type.startsWith('*')) ||
  (!a.type.endsWith('*') && b.type.endsWith('*'));

function parseClause(text: string): Clause | undefined {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  if (type === '') return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals > 0)
      parameters.set(
        part.slice(0, equals).trim().toLowerCase(),
        part
          .slice(equals + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      );
  }
  const quality = Number(parameters.get('q') ?? 1);
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}

export interface NegotiateOptions {
  readonly accept: string | undefined;
  readonly userAgent: string | undefined;
  readonly pretty: string | null;
  readonly convertible: Convertible;
  /** Adds the stream media types to those that the 406 lists; the answer is the same. */
  readonly isCollection: boolean;
  /** False for custom resources: only their metadata can be encoded as protobuf. Default true. */
  readonly hasProtobuf?: boolean;
}

/** The first clause that can be served. Throws 406. */
export function negotiate(options: NegotiateOptions): Representation {
  const { accept, isCollection } = options;
  const isAny = accept === undefined || accept === '';
  if (!isAny && !parseAccept(accept).some(({ type }) => type === '*/*' || objectTypes.includes(type as MediaType)))
    throw routeNotAcceptable(isCollection ? collectionTypes : objectTypes);
  const found = firstAcceptable(options);
  if (found === undefined) throw notAcceptable(objectTypes);
  return found;
}

/** The first clause that can be served, or undefined. */
export function firstAcceptable({
  accept,
  userAgent,
  pretty,
  convertible,
  hasProtobuf = true,
}: Omit<NegotiateOptions, 'isCollection'>): Representation | undefined {
  if (accept === undefined || accept === '') return { mediaType: json, pretty: wantsPretty(json, pretty, userAgent) };
  for (const { type, parameters } of parseAccept(accept)) {
    const mediaType = servedType(type);
    if (mediaType === undefined || !isServedForm(parameters)) continue;
    const isPretty =
      (mediaType === json && parameters.get('pretty') === '1') || wantsPretty(mediaType, pretty, userAgent);
    const representation = { mediaType, pretty: isPretty };
    if (!['as', 'g', 'v'].some((name) => parameters.has(name))) {
      if (mediaType === protobuf && !hasProtobuf) continue;
      return representation;
    }
    const [as = '', group = '', version = ''] = ['as', 'g', 'v'].map((name) => parameters.get(name));
    if (convertible(as, group, version, mediaType)) return { ...representation, as, asVersion: version };
  }
  return undefined;
}

const servedType = (type: string): MediaType | undefined =>
  objectTypes.find((candidate) => candidate === type) ??
  (type === '*/*' || type === 'application/*' ? json : undefined);

/** Whether a clause asks for no stream and no version of the server that there is not. */
const isServedForm = (parameters: ReadonlyMap<string, string>): boolean =>
  ['', 'watch'].includes(parameters.get('stream') ?? '') && ['', 'v1'].includes(parameters.get('sv') ?? '');

/** Representation of a Status, which must never fail for want of an acceptable type: then it is JSON for people. */
export function negotiateStatus(
  accept: string | undefined,
  userAgent: string | undefined,
  pretty: string | null,
): Representation {
  return firstAcceptable({ accept, userAgent, pretty, convertible: () => false }) ?? { mediaType: json, pretty: true };
}

const collectionTypes = [
  ...objectTypes,
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/** The refusal for a route none of whose types the client takes. */
export const routeNotAcceptable = (available: readonly string[]): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
    {},
  );

/** `?pretty=1` asks for it; browsers and command-line tools for people get it anyway. */
function wantsPretty(mediaType: MediaType, value: string | null, userAgent: string | undefined): boolean {
  if (mediaType !== json) return false;
  if (value !== null && value !== '') return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value);
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** Media type of a request body. Throws 415. */
export function bodyType(contentType: string | undefined): MediaType {
  if (contentType === undefined || contentType === '') return json;
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const found = objectTypes.find((candidate) => candidate === type);
  if (found === undefined) throw unsupportedMediaType(objectTypes);
  return found;
}
