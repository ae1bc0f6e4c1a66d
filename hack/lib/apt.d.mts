export interface Source {
  uri: string;
  suites: string[];
  components: string[];
  signedBy: string | undefined;
}
export function findDebianMirror(root?: string): { uri: string; signedBy: string | undefined } | undefined;
export function parseStanzas(text: string): Source[];
export function parseLines(text: string): Source[];
export function unpackDebianPackage(options: { suite: string; packageName: string; folder: string }): Promise<void>;
