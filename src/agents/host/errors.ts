/** The codes of the host's side of agents, SK1301 to SK1399: what each means, and what a person does about it. */
import type { ErrorTable } from '../../errors/index.ts';

export const agentErrors: ErrorTable = {
  SK1301: {
    title: 'no such agent',
    remedy: 'Correct the name, install its package in the workspace, or name its folder with --agent-path.',
  },
  SK1302: {
    title: 'an agent that cannot be executed',
    remedy: 'Name a program, and make it executable (chmod +x).',
  },
  SK1303: {
    title: 'skein.lock cannot be used',
    remedy: 'Correct skein.lock, or remove it: the next run writes it afresh.',
  },
  SK1304: {
    title: 'a changed agent under a locked version',
    remedy: 'Find out why the program changed; if it is meant to, remove its entry from skein.lock.',
  },
  SK1305: {
    title: 'a package that holds no agent',
    remedy: 'Give the package a `bin` of the agent, or install another version.',
  },
  SK1306: {
    title: 'an agent of another version than asked for',
    remedy: 'Install a version in the range, or change the range.',
  },
  SK1307: {
    title: 'no safe place for the socket of an agent',
    remedy: 'Set XDG_RUNTIME_DIR or TMPDIR to a folder of your own with a short path.',
  },
  SK1308: {
    title: 'an agent cannot be started',
    remedy: 'Run the command by hand; an agent says what it is and exits 2.',
  },
  SK1310: {
    title: 'no handshake in time',
    remedy:
      'Check that the agent prints `skein|1|unix:<path>` on stdout and flushes it; its own log may say more.',
  },
  SK1311: {
    title: 'an agent ended before its handshake',
    remedy: 'Read its last lines; run its command by hand.',
  },
  SK1312: {
    title: 'a handshake that cannot be read',
    remedy: 'Print one line `skein|<protocol>|unix:<path>` or `skein|<protocol>|dns:///127.0.0.1:<port>`.',
  },
  SK1313: {
    title: 'an agent of another protocol',
    remedy: 'Install a version of the agent that speaks protocol 1, or update skein.',
  },
  SK1314: {
    title: 'a handshake that points elsewhere',
    remedy: "Listen on the bootstrap line's socket, mode 0600, or on a port of 127.0.0.1.",
  },
  SK1315: {
    title: 'an agent that is never ready to serve',
    remedy: 'Answer grpc.health.v1.Health/Check with SERVING once the agent can take calls.',
  },
  SK1316: { title: 'an agent without a contract', remedy: 'Set `contract` in GetAgentInformationResponse.' },
  SK1317: {
    title: 'a contract of another protocol',
    remedy: 'Set `contract.protocol` to a protocol of the bootstrap line.',
  },
  SK1318: {
    title: 'an agent that is not what it should be',
    remedy: 'Install the agent that the reference names, or correct the reference.',
  },
  SK1319: {
    title: 'an ability that the agent lacks',
    remedy: 'Use an agent, or a version of it, that has the ability.',
  },
  SK1320: {
    title: 'an agent ended',
    remedy: 'Read its last lines; report the fault to the author of the agent.',
  },
  SK1321: {
    title: 'an agent that does not answer in time',
    remedy: 'Raise the deadline of the phase, or see in its log what it waits for.',
  },
  SK1322: {
    title: 'a call of an agent failed',
    remedy: 'Report the fault to the author of the agent, with its last lines.',
  },
  SK1323: {
    title: 'an agent refuses the token of its launch',
    remedy: 'Compare the metadata `skein-token` with the token of the bootstrap line, in constant time.',
  },
  SK1324: {
    title: 'a message above 16 MiB',
    remedy: 'Keep each message below 16 MiB; hand over what is larger as files.',
  },
  SK1325: {
    title: 'an answer that breaks the contract',
    remedy: 'Report the fault to the author of the agent.',
  },
  SK1326: {
    title: 'an unknown number in an enumeration',
    remedy: 'Update skein, or install a version of the agent for this one.',
  },
  SK1327: { title: 'a service failed', remedy: 'Read the last lines of the service.' },
  SK1328: {
    title: 'a method that the agent does not have',
    remedy: 'Use an agent, or a version of it, that has the method.',
  },
  SK1329: { title: 'an agent that was closed', remedy: 'Acquire the agent again.' },
  SK1330: { title: "a setting that the agent's spec does not have", remedy: 'Correct or remove the key.' },
  SK1331: {
    title: 'a setting of the wrong kind',
    remedy: 'Write the value in the form that the message names.',
  },
  SK1332: { title: 'a setting is missing', remedy: 'Add the key.' },
  SK1333: {
    title: "an agent's schema that cannot be used",
    remedy: 'Report the fault to the author of the agent.',
  },
  SK1334: {
    title: 'a stream of an agent broke off',
    remedy: 'It is opened again; report the fault to the author of the agent.',
  },
};
