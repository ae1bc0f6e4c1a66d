/** Values as JSON: what an expression made becomes a part of an object. */
import { createMap, type JsonValue } from '../../machinery/value.ts';
import { startWork, work } from './evaluation-limit.ts';
import { durationText, timestampText } from './time-text.ts';
import { CelError, Double, Duration, ListValue, MapValue, Optional, Timestamp, Uint, type Value } from './values.ts';

/** A value that is no JSON. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

/**
 * A value can name a long text or a list many times, which costs an expression nothing: characters of texts and keys
 * are counted where they are copied. As much as a request may bring.
 */
const maxCharacters = 3 * 1024 * 1024;

/** Of a value nested deeper no object can be made. */
const maxDepth = 256;

const charactersPerStep = 64;

/**
 * A new JSON value: times and durations are texts, bytes are base64.
 *
 * @throws NotJson for what JSON cannot say, Cancelled for what takes too long.
 */
export function toJson(value: Value): JsonValue {
  startWork();
  return new Conversion().convert(value, maxDepth);
}

class Conversion {
  #characters = 0;

  convert(value: Value, depth: number): JsonValue {
    work(1);
    if (depth === 0) throw new NotJson('the value is nested too deeply');
    if (value === null || typeof value !== 'object') return typeof value === 'string' ? this.#text(value) : value;
    if (value instanceof ListValue) return Array.from(value, (item) => this.convert(item, depth - 1));
    if (value instanceof MapValue) return this.#map(value, depth);
    return this.#scalar(value);
  }

  #map(map: MapValue, depth: number): JsonValue {
    const members = createMap();
    for (const key of map.keys()) {
      if (typeof key !== 'string') throw new NotJson(`map key ${JSON.stringify(String(key))} is not a string`);
      members[this.#text(key)] = this.convert(map.get(key)!, depth - 1);
    }
    return members;
  }

  #scalar(value: Value): JsonValue {
    if (value instanceof Double) return value.value;
    if (value instanceof Uint) return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : value.value;
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value.nanos);
    if (value instanceof Uint8Array) return this.#text(Buffer.from(value).toString('base64'));
    if (value instanceof CelError) throw new NotJson(value.message);
    if (value instanceof Optional && value.value === undefined) return null;
    throw new NotJson('a value of this type is not JSON');
  }

  #text(text: string): string {
    this.#characters += text.length;
    work(Math.floor(text.length / charactersPerStep));
    if (this.#characters > maxCharacters) throw new NotJson('the value is longer than a request may be');
    return text;
  }
}
