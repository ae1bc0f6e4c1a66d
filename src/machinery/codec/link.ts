/**
 * Where the compiled functions of the types find each other. A type's function for one task is compiled when it is
 * first called; until then a stub stands in its place. Types refer to each other through their links, so recursion and
 * laziness need no further care.
 */
import type { SchemaRegistry } from '../schema.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import type { KeptFields, TypePlan } from './plan.ts';
import { Plans } from './plan.ts';

/** Reads the fields between `p` and `end` into `o`; up to `depth` levels deep. */
export type DecodeFunction = (b: Buffer, p: number, end: number, o: JsonObject, depth: number) => JsonObject;
/** Adds the structs that are always there. */
export type FillFunction = (o: JsonObject) => JsonObject;
/** Writes the fields in front of `p`, last one first, and returns where they begin. */
export type EncodeFunction = (b: Buffer, p: number, o: JsonObject, depth: number) => number;

/** What one run needs besides the value. */
export interface NormalizeContext {
  /** How many members the objects had: a text with more of them had a key twice. */
  members: number;
  /** Text of carried JSON that came as a value. */
  readonly raw: (value: JsonValue) => string;
}

/** Normalizes a clean JSON value; throws `notClean` for any other. */
export type NormalizeFunction = (o: JsonObject, context: NormalizeContext, depth: number) => JsonObject;

/** Writes the members of `v` from `o` on, with a comma after each. */
export type ToJsonFunction = (out: Buffer, o: number, v: JsonObject, depth: number) => number;
/** The same for the message from `p` to `end`. */
export type TranscodeFunction = (out: Buffer, o: number, b: Buffer, p: number, end: number, depth: number) => number;

export interface Compilers {
  decode(link: TypeLink, links: Links): DecodeFunction;
  fill(link: TypeLink, links: Links): FillFunction;
  encode(link: TypeLink, links: Links): EncodeFunction;
  normalize(link: TypeLink, links: Links): NormalizeFunction;
  toJson(link: TypeLink, links: Links): ToJsonFunction;
  transcode(link: TypeLink, links: Links): TranscodeFunction;
}

export class TypeLink {
  readonly plan: TypePlan;
  decode: DecodeFunction;
  fill: FillFunction;
  encode: EncodeFunction;
  normalize: NormalizeFunction;
  toJson: ToJsonFunction;
  transcode: TranscodeFunction;

  constructor(plan: TypePlan, links: Links, compilers: Compilers) {
    this.plan = plan;
    this.decode = (...args) => (this.decode = compilers.decode(this, links))(...args);
    this.fill = (...args) => (this.fill = compilers.fill(this, links))(...args);
    this.encode = (...args) => (this.encode = compilers.encode(this, links))(...args);
    this.normalize = (...args) => (this.normalize = compilers.normalize(this, links))(...args);
    this.toJson = (...args) => (this.toJson = compilers.toJson(this, links))(...args);
    this.transcode = (...args) => (this.transcode = compilers.transcode(this, links))(...args);
  }
}

export class Links {
  readonly plans: Plans;
  readonly #compilers: Compilers;
  readonly #byId = new Map<string, TypeLink>();

  constructor(schemas: SchemaRegistry, compilers: Compilers, kept?: KeptFields) {
    this.plans = new Plans(schemas, kept);
    this.#compilers = compilers;
  }

  of(id: string): TypeLink {
    let link = this.#byId.get(id);
    if (link === undefined) {
      link = new TypeLink(this.plans.of(id), this, this.#compilers);
      this.#byId.set(id, link);
    }
    return link;
  }
}
