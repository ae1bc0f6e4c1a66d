import { createMap, type JsonObject, type JsonValue } from '../value.ts';
import type { Node, Start } from './values.ts';

/** A collection that is being read. */
export interface Frame {
  readonly kind: 'blockSequence' | 'indentlessSequence' | 'blockMapping' | 'flowSequence' | 'flowMapping' | 'pair';
  readonly line: number;
  readonly start: Start | undefined;
  /** Of a list. */
  readonly items: JsonValue[];
  /** Of a mapping; undefined for a list. */
  readonly members: JsonObject | undefined;
  /** What comes next: `noValue` is a key of a flow mapping without a colon. */
  expected: 'first' | 'entry' | 'value' | 'noValue' | 'done';
  key: Node | undefined;
  /** Levels of lists and maps so far, this one included. */
  height: number;
}

const noItems: JsonValue[] = [];

export function createFrame(kind: Frame['kind'], line: number, start: Start | undefined): Frame {
  const isMap = kind === 'blockMapping' || kind === 'flowMapping' || kind === 'pair';
  const items = isMap ? noItems : [];
  const members = isMap ? createMap<JsonValue | undefined>() : undefined;
  return { kind, line, start, items, members, expected: 'first', key: undefined, height: 1 };
}
