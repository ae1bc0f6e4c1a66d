/**
 * A set of field paths as a trie. A node is a member of the set, has members below it, or both. Sets are immutable:
 * operations share what they do not change, and return an operand itself when the result equals it.
 */
import { compareElements, fieldElement, type PathElement } from './path-element.ts';

export interface FieldNode {
  readonly element: PathElement;
  /** The path that ends here is in the set. */
  readonly member: boolean;
  /** Never empty. */
  readonly children: FieldSet | undefined;
}

export type Path = readonly PathElement[];

export interface SetNotes {
  /** FieldsV1. */
  text: string | undefined;
  /** The type the set was last reconciled with, and what came of it. */
  reconciledWith: object | undefined;
  reconciled: FieldSet | undefined;
}

export class FieldSet {
  static readonly empty = new FieldSet([]);

  /** Sorted; each is a member or has children. */
  readonly nodes: readonly FieldNode[];
  /**
   * What others work out about the set, kept with it: sets are shared between the versions of an object, and a weak
   * map over all of them would cost more than it saves.
   */
  readonly notes: SetNotes = { text: undefined, reconciledWith: undefined, reconciled: undefined };

  /** Takes the nodes as they are: sorted by element, none twice, none empty. */
  constructor(nodes: readonly FieldNode[]) {
    this.nodes = nodes;
  }

  /** The set of some paths, each given by the names of its fields. */
  static ofFields(...paths: readonly (readonly string[])[]): FieldSet {
    return FieldSet.of(...paths.map((path) => path.map(fieldElement)));
  }

  static of(...paths: readonly Path[]): FieldSet {
    return FieldSet.unionOf(paths.map(pathSet));
  }

  /** In pairs, and those in pairs again: a set that takes in many, one after the other, is copied as often. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    let level = sets;
    while (level.length > 1)
      level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) =>
        level[2 * i]!.union(level[2 * i + 1] ?? FieldSet.empty),
      );
    return level[0] ?? FieldSet.empty;
  }

  get isEmpty(): boolean {
    return this.nodes.length === 0;
  }

  /** The node of an element, if there is one. */
  find(element: PathElement): FieldNode | undefined {
    const { nodes } = this;
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareElements(nodes[middle]!.element, element);
      if (order === 0) return nodes[middle];
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  has(path: Path): boolean {
    const last = path.length - 1;
    const set = path
      .slice(0, last)
      .reduce<FieldSet | undefined>((current, element) => current?.find(element)?.children, this);
    return last >= 0 && (set?.find(path[last]!)?.member ?? false);
  }

  /** Members first at each level, then below: the order in which upstream reports conflicts. */
  *paths(prefix: Path = []): Generator<Path> {
    for (const { element, member } of this.nodes) if (member) yield [...prefix, element];
    for (const { element, children } of this.nodes)
      if (children !== undefined) yield* children.paths([...prefix, element]);
  }

  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this;
    if (this.isEmpty) return other;
    return zip(this, other, (mine, theirs) =>
      mine === undefined ? theirs : theirs === undefined ? mine : bothNodes(mine, theirs),
    );
  }

  intersection(other: FieldSet): FieldSet {
    if (this === other || this.isEmpty) return this;
    if (other.isEmpty) return other;
    return choose(
      this,
      other,
      (mine, theirs) =>
        theirs &&
        node(mine, mine.member && theirs.member, theirs.children && mine.children?.intersection(theirs.children)),
    );
  }

  /** Without the paths of the other set; what is below a path of it stays. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return choose(this, other, (mine, theirs) =>
      theirs === undefined
        ? mine
        : node(
            mine,
            mine.member && !theirs.member,
            theirs.children ? mine.children?.difference(theirs.children) : mine.children,
          ),
    );
  }

  /** Without the paths of the other set and all below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return choose(this, other, (mine, theirs) => {
      if (theirs?.member) return undefined;
      return theirs?.children === undefined
        ? mine
        : node(mine, mine.member, mine.children?.recursiveDifference(theirs.children));
    });
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    return (
      this.nodes.length === other.nodes.length && this.nodes.every((mine, index) => sameNode(mine, other.nodes[index]!))
    );
  }
}

const pathSet = (path: Path): FieldSet =>
  path.reduceRight<FieldSet>(
    (below, element) => new FieldSet([{ element, member: below.isEmpty, children: below.isEmpty ? undefined : below }]),
    FieldSet.empty,
  );

const sameNode = (a: FieldNode, b: FieldNode): boolean =>
  a === b ||
  (a.element.text === b.element.text &&
    a.member === b.member &&
    (a.children ?? FieldSet.empty).equals(b.children ?? FieldSet.empty));

/** The node with this content; the old one when nothing changed, none when nothing is left. */
function node(old: FieldNode, member: boolean, children: FieldSet | undefined): FieldNode | undefined {
  const below = children === undefined || children.isEmpty ? undefined : children;
  if (old.member === member && old.children === below) return old;
  return member || below !== undefined ? { element: old.element, member, children: below } : undefined;
}

function bothNodes(mine: FieldNode, theirs: FieldNode): FieldNode | undefined {
  const children =
    mine.children === undefined
      ? theirs.children
      : theirs.children === undefined
        ? mine.children
        : mine.children.union(theirs.children);
  return node(mine, mine.member || theirs.member, children);
}

/** A set that is that much smaller looks its nodes up in the other: many managers own little of a large object. */
const muchSmaller = 16;

/** Keeps what `choice` makes of each node of the first set; the first set itself when that is all of it. */
function choose(
  a: FieldSet,
  b: FieldSet,
  choice: (mine: FieldNode, theirs: FieldNode | undefined) => FieldNode | undefined,
): FieldSet {
  if (a.nodes.length * muchSmaller >= b.nodes.length) return zip(a, b, (mine, theirs) => mine && choice(mine, theirs));
  const chosen: FieldNode[] = [];
  let same = true;
  for (const mine of a.nodes) {
    const kept = choice(mine, b.find(mine.element));
    if (kept !== mine) same = false;
    if (kept !== undefined) chosen.push(kept);
  }
  if (same) return a;
  return chosen.length === 0 ? FieldSet.empty : new FieldSet(chosen);
}

/** Walks two sets in order and keeps what `choose` returns; the first set itself when that is all of it. */
function zip(
  a: FieldSet,
  b: FieldSet,
  choose: (mine: FieldNode | undefined, theirs: FieldNode | undefined) => FieldNode | undefined,
): FieldSet {
  const [left, right] = [a.nodes, b.nodes];
  const chosen: FieldNode[] = [];
  let same = true;
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const order =
      i === left.length ? 1 : j === right.length ? -1 : compareElements(left[i]!.element, right[j]!.element);
    const mine = order <= 0 ? left[i++] : undefined;
    const theirs = order >= 0 ? right[j++] : undefined;
    const kept = choose(mine, theirs);
    if (kept !== mine) same = false;
    if (kept !== undefined) chosen.push(kept);
  }
  if (same) return a;
  return chosen.length === 0 ? FieldSet.empty : new FieldSet(chosen);
}
