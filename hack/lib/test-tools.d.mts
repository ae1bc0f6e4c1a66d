export const toolsFolder: string;
export const toolNames: readonly string[];
export function toolPath(name: string): string;
export function getTool(name: string, report: (message: string) => void): Promise<string>;
