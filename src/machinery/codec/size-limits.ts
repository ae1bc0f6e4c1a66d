/**
 * How many parts a document of some length may have. An empty object is sent in two bytes and takes up to half a
 * kilobyte of memory: without a bound, three megabytes would fill a heap. Objects with content stay far below.
 * @NOTE differs from upstream, which has no such bound.
 */
const anyNumber = 50_000;

/** Objects and lists in JSON and YAML: `"a":{},` is more than six characters. */
export const maxContainers = (length: number): number => anyNumber + Math.floor(length / 6);

/** Messages in protobuf. */
export const maxMessages = (length: number): number => anyNumber + Math.floor(length / 16);

export const tooManyContainers = 'document has too many objects and lists for its length';
