/** The table of commands. It loads the command line library alone; a command's own code is loaded when it is called. */
import { Argument, Command, CommanderError, Option } from '@commander-js/extra-typings';
import type { SkeinError } from '../errors/index.ts';
import {
  type CommonOptions,
  command,
  count,
  duration,
  examples,
  gather,
  moment,
  positive,
} from './common-options.ts';
import { isReaderGone } from './view/line-writer.ts';

/** Runs the command line, ends the process with the command's status. `script`: absolute path of what Node executes. */
export async function runProgram(argv: readonly string[], script: string): Promise<never> {
  let status = 2;
  let hasFailed = false;
  let lost: Error | undefined;
  // Commands that hold a run, or follow one, have listeners of their own.
  process.stdout.on('error', (error: Error) => {
    lost ??= error;
  });
  process.stderr.on('error', () => {
    // What is said there is lost, and nobody is left to hear that.
  });
  try {
    const program = commandTable(script, (result) => {
      status = result;
    });
    status = 0;
    if (argv[0] === '--version' || argv[0] === '-V') (await import('./commands/version.ts')).version();
    else await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    status = await failed(thrown, argv);
    hasFailed = status !== 0;
  }
  await flushed(process.stdout);
  // Standard streams forget their error once they have told it.
  lost ??= process.stdout.errored ?? undefined;
  // A reader that went away is no news for a command that only prints; and one failure is told, not two.
  if (lost !== undefined && !isReaderGone(lost) && !hasFailed)
    status = await failed(await unwritten(lost), argv);
  await flushed(process.stderr);
  process.exit(status);
}

/** Every command; `end` takes the status of the one that was called. */
export function commandTable(script: string, end: (status: number) => void): Command {
  const program = new Command('skein')
    .description('Runs a workspace of services in dependency order.')
    .option('-V, --version', 'print the version')
    .helpCommand(false)
    .showHelpAfterError(false)
    .addHelpText(
      'after',
      `${examples('skein run', 'skein run --detach --wait', 'skein status', 'skein stop')}
\nExit status: 0 done, 1 failed, 2 usage or an invalid workspace, 3 recovery required, 130 interrupted.`,
    );
  const commands = [
    run(script, end),
    status(end),
    logs(end),
    stop(end),
    start(end),
    restart(end),
    extend(end),
    why(end),
    events(end),
    graph(end),
    recover(end),
    clear(end),
  ];
  for (const each of commands) program.addCommand(each as unknown as Command);
  program.addCommand(supervise(end) as unknown as Command, { hidden: true });
  for (const each of [program, ...program.commands])
    each.exitOverride().configureOutput({ outputError: () => undefined });
  return program as unknown as Command;
}

type End = (status: number) => void;

function run(script: string, end: End): unknown {
  return command('run', 'Starts services, and what they depend on, and keeps them running.')
    .argument('[service...]', 'services to run; default: all')
    .addOption(
      new Option('--stand-alone', 'the service alone, without what it depends on').conflicts('excludeRoot'),
    )
    .option('--exclude-root', 'what the service depends on, without the service')
    .option('--exclude-service <service>', 'leave a service out, and what only it needs (repeatable)', gather)
    .addOption(
      new Option('--load-only', 'end once all is loaded').conflicts(['initOnly', 'untilExit', 'detach']),
    )
    .addOption(new Option('--init-only', 'end once all is initialised').conflicts(['untilExit', 'detach']))
    .option('--until-exit', 'end with the first service that ends')
    .option('--output-env <file>', "keep a service's environment in a file (0600; it holds secrets)")
    .option('--output-env-service <service>', 'whose environment; default: the first service')
    .option('-d, --detach', 'return, and leave the run to a supervisor')
    .option('--wait', 'a failure before the run is ready ends it; with --detach, return when it is ready')
    .addOption(
      new Option('--readiness-timeout <duration>', 'how long the run may take to be ready')
        .argParser(duration)
        .default(300_000, '5m'),
    )
    .option('--temporary-ports', 'ports that nothing else uses, new ones each run')
    .option('--port <service/endpoint=N>', 'port of an endpoint (repeatable)', gather)
    .addOption(
      new Option('--teardown-budget <duration>', 'how long each layer may take to stop')
        .argParser(duration)
        .default(15_000, '15s'),
    )
    .option('--fail-fast', 'end the run at the first failure (default without a terminal)')
    .option('--no-fail-fast', 'let the rest go on at a failure (default in a terminal)')
    .option('--agent-path <dir>', 'folder to look for agents in (repeatable)', gather)
    .option('--parallelism <n>', 'steps at once; default: as many as can be', positive)
    .addHelpText(
      'after',
      `${examples('skein run', 'skein run api worker', 'skein run --detach --wait', 'skein run --port api/http=8080', 'skein run --json | jq .', 'skein run api --exclude-root --output-env .env')}
\nCtrl-C stops the services in order; a second one hurries, a third one kills.
With --json stdout has one document a line: events, output of services, at last the receipt.`,
    )
    .action(async (services, options) =>
      end(await (await import('./commands/run.ts')).run(services, options, script)),
    );
}

function supervise(end: End): unknown {
  return new Command('__supervise')
    .argument('<request>')
    .action(async (request) => end(await (await import('./commands/supervise.ts')).supervise(request)));
}

function status(end: End): unknown {
  return command('status', 'Shows the run and its services.')
    .option('--last', 'how the last run ended, and its receipt')
    .addHelpText('after', examples('skein status', 'skein status --json', 'skein status --last'))
    .action(async (options) => end(await (await import('./commands/status.ts')).status(options)));
}

function logs(end: End): unknown {
  return command('logs', 'Shows the output of services, also of a run that has ended.')
    .argument('[service...]', 'services to show; default: all')
    .option('-f, --follow', 'go on until the run ends')
    .option('--since <duration or time>', 'output since then', moment, 0)
    .option('-n, --tail <lines>', 'the newest lines only', count)
    .option('--grep <pattern>', 'lines that match a regular expression')
    .addHelpText(
      'after',
      examples('skein logs', 'skein logs api --follow', 'skein logs --since 10m --grep error'),
    )
    .action(async (services, options) =>
      end(await (await import('./commands/logs.ts')).logs(services, options)),
    );
}

function stop(end: End): unknown {
  return command(
    'stop',
    'Stops the run, or services of it and what depends on them; also what a killed run has left.',
  )
    .argument('[service...]', 'services to stop; default: the whole run')
    .option('--only', 'these services alone, not what depends on them')
    .option('--all', 'every workspace of this user')
    .option('--teardown-budget <duration>', "how long each layer may take; default: the run's", duration)
    .addHelpText(
      'after',
      examples(
        'skein stop',
        'skein stop api',
        'skein stop db --only',
        'skein stop --all',
        'skein stop --json',
      ),
    )
    .action(async (services, options) =>
      end(await (await import('./commands/stop.ts')).stop(services, options)),
    );
}

function start(end: End): unknown {
  return command('start', 'Starts services of the run that were stopped, and what they need first.')
    .argument('<service...>', 'services to start')
    .addHelpText('after', examples('skein start api', 'skein start api worker --json'))
    .action(async (services, options) =>
      end(await (await import('./commands/start.ts')).start(services, options)),
    );
}

function extend(end: End): unknown {
  return command(
    'extend',
    'Reads the workspace again: what is new in it joins the run, what is gone leaves it.',
  )
    .argument('[service...]', 'services to run besides; a run of all services takes in every one by itself')
    .addHelpText(
      'after',
      `${examples('skein extend', 'skein extend worker', 'skein extend --json')}
\nWhat runs is not restarted. A workspace that does not load changes nothing.`,
    )
    .action(async (services, options) =>
      end(await (await import('./commands/extend.ts')).extend(services, options)),
    );
}

function restart(end: End): unknown {
  return command('restart', 'Starts a service again with a new process.')
    .argument('<service>', 'service to start again')
    .addHelpText('after', examples('skein restart api', 'skein restart shop/api --json'))
    .action(async (service, options) =>
      end(await (await import('./commands/restart.ts')).restart(service, options)),
    );
}

function why(end: End): unknown {
  return command('why', 'Says why a service is not ready, down to what is at fault.')
    .argument('<service>', 'service to explain')
    .addHelpText('after', examples('skein why api', 'skein why api --json'))
    .action(async (service, options) => end(await (await import('./commands/why.ts')).why(service, options)));
}

function events(end: End): unknown {
  return command('events', 'Shows what happens in the run, from its beginning until it ends.')
    .option('--no-follow', 'what has happened so far only')
    .addHelpText('after', examples('skein events', 'skein events --json', 'skein events --no-follow'))
    .action(async (options) => end(await (await import('./commands/events.ts')).events(options)));
}

function graph(end: End): unknown {
  return command('graph', 'Shows the services and what depends on what; needs no run.')
    .argument('[service...]', 'services to begin from; default: all')
    .addOption(
      new Option('--format <format>', 'how to write it')
        .choices(['json', 'mermaid', 'dot'])
        .default('mermaid' as const),
    )
    .addOption(new Option('--stage <stage>', 'the dependencies of one stage only').choices(['build', 'run']))
    .addHelpText(
      'after',
      examples('skein graph', 'skein graph api --format dot | dot -Tsvg', 'skein graph --format json'),
    )
    .action(async (services, options) =>
      end(await (await import('./commands/graph.ts')).graph(services, options)),
    );
}

function recover(end: End): unknown {
  return command('recover', 'Ends a process group that `skein stop` cannot prove to be its own.')
    .addArgument(new Argument('<kind>', 'what to recover').choices(['process-group'] as const))
    .argument('<pgid>', 'number of the group', positive)
    .addOption(new Option('--preview', 'show who would be signalled: a receipt').conflicts('expect'))
    .option('--expect <file>', 'end the group if the receipt in this file still holds')
    .addHelpText(
      'after',
      examples(
        'skein recover process-group 4242 --preview',
        'skein recover process-group 4242 --preview --json > 4242.json',
        'skein recover process-group 4242 --expect 4242.json',
      ),
    )
    .action(async (_, group, options) =>
      end(await (await import('./commands/recover.ts')).recover(group, options)),
    );
}

function clear(end: End): unknown {
  return command(
    'clear',
    'Removes what dead runs have left: records and sockets of every workspace, old output of this one.',
  )
    .argument('[service...]', 'with --data: services whose data goes; default: all')
    .option('--dry-run', 'show what would be removed')
    .option('--data', 'delete what services of this workspace keep between runs, too')
    .option('-y, --yes', 'delete it without asking')
    .option('--agent-path <dir>', 'folder to look for agents in (repeatable)', gather)
    .addHelpText(
      'after',
      examples(
        'skein clear',
        'skein clear --dry-run',
        'skein clear --data',
        'skein clear --data db --yes',
        'skein clear --json',
      ),
    )
    .action(async (services, options) =>
      end(await (await import('./commands/clear.ts')).clear(services, options)),
    );
}

async function failed(thrown: unknown, argv: readonly string[]): Promise<number> {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
  if (thrown instanceof CommanderError && thrown.code.startsWith('commander.help')) return 2;
  const { reportError } = await import('./report-error.ts');
  const error: unknown =
    thrown instanceof CommanderError ? (await import('./usage-error.ts')).usageError(thrown) : thrown;
  const flags: Pick<CommonOptions, 'json' | 'verbose'> = {
    ...(argv.includes('--json') && { json: true }),
    ...((argv.includes('--verbose') || argv.includes('-v')) && { verbose: true }),
  };
  const report = reportError(error satisfies SkeinError | unknown, {
    json: flags.json ?? false,
    verbose: flags.verbose ?? false,
  });
  process.stderr.write(report.text);
  return report.status;
}

async function unwritten(cause: Error): Promise<SkeinError> {
  const { SkeinError } = await import('../errors/index.ts');
  return new SkeinError('SK1560', 'the output cannot be written', { cause });
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
    stream.write('', () => resolve());
  });
}
