/** The system that we run on. */
import { darwin } from './darwin/index.ts';
import { linux } from './linux/index.ts';
import type { SystemFacts } from './system.ts';

export const system: SystemFacts = process.platform === 'darwin' ? darwin : linux;
