/**
 * Methods that every supported Node has and its types leave out. `latin1Slice` and its siblings are what `toString` and
 * `write` call; going to them directly saves a third of the time for short texts, which is most of a decoder's work.
 */
declare global {
  interface Buffer {
    latin1Slice(start: number, end: number): string;
    utf8Slice(start: number, end: number): string;
    base64Slice(start: number, end: number): string;
    latin1Write(text: string, offset: number, length: number): number;
    utf8Write(text: string, offset: number, length: number): number;
    base64Write(text: string, offset: number, length: number): number;
  }
  interface String {
    isWellFormed(): boolean;
  }
}

export {};
