// How people make a launcher that knows no readiness wait for dependencies: a wait script before each command.

/** wait-on, what is really used. A Node process for each waiting service. */
export const waitOn = {
  name: 'wait-on',
  rounds: 1,
  memoryMiBPerWait: 45,
  before: (ports) => `wait-on ${ports.map((port) => `tcp:127.0.0.1:${port}`).join(' ')} && `,
};

/** A C program that tries every 10 ms: nobody uses it, and it flatters the launcher. */
export const poller = {
  name: 'C poller',
  rounds: 2,
  memoryMiBPerWait: 0,
  before: (ports, { tools }) => `${tools.awaitPorts} ${ports.join(' ')} -- `,
};

/** @returns {string[]} one shell command for each service of the chain, in start order. */
export function shellCommands(chain, wait) {
  return chain.plan.map(({ dependencies }, index) => {
    const serve = `${chain.listener} ${chain.firstPort + index} ${chain.delayMs}`;
    if (dependencies.length === 0) return `exec ${serve}`;
    const before = wait.before(
      dependencies.map((dependency) => chain.firstPort + dependency),
      chain,
    );
    // The shell leaves the stage either way: before the wait script that executes the service, or before the service.
    return before.endsWith('&& ') ? `${before}exec ${serve}` : `exec ${before}${serve}`;
  });
}

/** Memory that all wait scripts at once need; a launcher that has not that much is not measured. */
export function waitingMiB(chain, wait) {
  return chain.plan.filter(({ dependencies }) => dependencies.length > 0).length * wait.memoryMiBPerWait;
}
