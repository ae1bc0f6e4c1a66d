/**
 * How many parts a document of some length may have. An empty object takes two bytes to send and up to half a kilobyte
 * in memory, so that without a bound three megabytes would fill a heap. What has anything in it stays far below.
 * @NOTE differs from upstream, which has no such bound.
 */
const anyNumber = 50_000;

/** Objects and lists in JSON and YAML: `"a":{},` is more than six characters. */
export const maxContainers = (length: number): number => anyNumber + Math.floor(length / 6);

/** Messages in protobuf. */
export const maxMessages = (length: number): number => anyNumber + Math.floor(length / 16);

export const tooManyContainers = 'document has too many objects and lists for its length';
