/** The workspace's name without the rest of it, for commands that need nothing else: no schema is loaded for it. */
import { resolve } from 'node:path';
import { SkeinError } from '../errors/index.ts';
import { readDocument } from './document.ts';
import { inFolder, readSource } from './files.ts';
import { workspaceFileName } from './find.ts';
import type { Json } from './model.ts';

/** `unnamed` where the file cannot be read or holds no name that is text, as in the model of a workspace with faults. */
export async function readName(root: string): Promise<string> {
  const value = await contentOf(inFolder(resolve(root), workspaceFileName));
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  const name = isMapping ? (value as { readonly [key: string]: Json })['name'] : undefined;
  return typeof name === 'string' ? name : 'unnamed';
}

async function contentOf(file: string): Promise<Json | undefined> {
  try {
    return (await readDocument(readSource(file))).document?.value;
  } catch (error) {
    // Whoever loads the workspace is told what is wrong with its file.
    if (error instanceof SkeinError) return undefined;
    throw error;
  }
}
