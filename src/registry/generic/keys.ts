/** Where objects lie in the store: `<prefix>/<storage prefix>[/<namespace>]/<name>`, as upstream has it. */
export interface KeyLayout {
  /** `/registry/pods/`; ends with a slash. */
  readonly prefix: string;
  readonly namespaced: boolean;
}

export const objectKey = (layout: KeyLayout, namespace: string, name: string): string =>
  layout.namespaced ? `${layout.prefix}${namespace}/${name}` : layout.prefix + name;
