export const toolsFolder: string;
export const toolNames: readonly string[];
export function isOptionalTool(name: string): boolean;
export function optionalToolFolder(name: string): string | undefined;
export function toolPath(name: string): string;
export function installedTool(name: string): string | undefined;
export function getTool(name: string, report: (message: string) => void): Promise<string>;
