/** `skein why SERVICE`: the chain from a service to the requirement that does not hold. */
import { serviceStateWord } from '../../control/index.ts';
import type { WhyLink } from '../../gen/skein/control/v1/control_pb.js';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { whyDocument } from '../view/documents.ts';
import { requirementText } from '../view/status-text.ts';
import { print, requireRun } from './live-run.ts';

export async function why(service: string, options: CommonOptions): Promise<ExitStatus> {
  const { client } = await requireRun(options.cwd);
  const { chain } = await client.why({ service });
  print(options, whyDocument(service, chain), whyText(service, chain));
  return exitStatus.done;
}

export function whyText(service: string, chain: readonly WhyLink[]): string {
  if (chain.length === 0) return `${service} is ready: every requirement holds`;
  return chain.map((link, depth) => `${'  '.repeat(depth)}${linkText(link)}`).join('\n');
}

function linkText(link: WhyLink): string {
  const head = `${link.service} is ${serviceStateWord(link.state)}`;
  if (link.failure !== '') return `${head}: ${link.failure}`;
  return link.requirement === undefined ? head : `${head}: waits for ${requirementText(link.requirement)}`;
}
