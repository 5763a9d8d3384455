/** The codes of readiness, SK1451 to SK1469: what each means, and what a person does about it. */
import type { ErrorTable } from '../../errors/index.ts';

export const readinessErrors: ErrorTable = {
  SK1451: {
    title: 'the run did not become ready in time',
    remedy:
      'Make the service serve what it declares (its last log lines say how far it came), or allow more time with --readiness-timeout.',
  },
  SK1452: {
    title: "the kernel's table of listeners cannot be read",
    remedy: 'Nothing has to be done: every endpoint is probed by itself instead, which costs a little more.',
  },
  SK1453: {
    title: 'it cannot be told whose an answer is',
    remedy:
      "Nothing has to be done where the service is a container, or another user's. Otherwise look who listens on the port, for example with `ss -ltnp`.",
  },
};
