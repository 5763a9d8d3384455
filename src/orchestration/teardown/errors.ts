/** The codes of teardown, SK1470 to SK1499: what each means, and what a person does about it. */
import type { ErrorTable } from '../../errors/index.ts';

export const teardownErrors: ErrorTable = {
  SK1470: {
    title: 'a service could not be stopped cleanly',
    remedy:
      "Read the service's last log lines; if anything of it still runs, `skein stop` finds it by its record.",
  },
  SK1471: {
    title: 'a service may still run after the teardown',
    remedy: 'Run `skein stop` again; it names what it cannot prove to be dead.',
  },
  SK1472: {
    title: 'the view of a teardown failed while it was going on',
    remedy: 'The teardown itself went on; report this with the cause shown.',
  },
};
