/** Whether an agent may work: judged by its contract alone, before any work; no table of names and versions. */

import { SkeinError } from '../../errors/index.ts';
import type { GetAgentInformationResponse } from '../../gen/skein/agent/v1/agent_pb.js';
import { PROTOCOL } from '../program/index.ts';
import { satisfies } from './range.ts';
import { describeFound, type ResolvedAgent } from './resolved.ts';

/**
 * Returns when the agent is admitted; capabilities that this skein does not know are nobody's business here.
 * @throws {SkeinError} SK1316 (no contract), SK1317 (protocol), SK1318 (no name or version, or another agent than the
 * reference names), SK1306 (another version than the reference asks for)
 */
export function admit(agent: ResolvedAgent, information: GetAgentInformationResponse): void {
  const { identity, found, place } = agent;
  const refuse = (code: 'SK1306' | 'SK1316' | 'SK1317' | 'SK1318', message: string): SkeinError =>
    new SkeinError(code, message, { ...(place && { place }) });
  const { contract, name, version } = information;
  if (contract === undefined) throw refuse('SK1316', `agent ${identity} is refused: it sent no contract`);
  if (contract.protocol !== PROTOCOL)
    throw refuse(
      'SK1317',
      `agent ${identity} is refused: its contract is of protocol ${contract.protocol}; this skein speaks ${PROTOCOL}`,
    );
  if (name === '' || version === '')
    throw refuse(
      'SK1318',
      `agent ${identity} is refused: it does not say its ${name === '' ? 'name' : 'version'}`,
    );
  // The name of an outside program does not hold the publisher, so the agent has to say it.
  const isNamed =
    found.kind === 'package' ||
    found.kind === 'executable' ||
    // A program that is several agents has to answer for the one that was asked about.
    (found.kind !== 'path' && contract.capabilities.includes('multi-agent/v1'));
  if (isNamed && name !== identity)
    throw refuse('SK1318', `${identity} is asked for, but ${describeFound(found)} is the agent ${name}`);
  const { range } = agent;
  const fits = range === undefined || satisfies(version, range);
  if (fits === undefined)
    throw refuse('SK1306', `\`${range}\` is no range of versions; agent ${identity} is ${version}`);
  if (!fits)
    throw refuse('SK1306', `agent ${identity} is ${version}, but \`${identity}:${range}\` is asked for`);
}
