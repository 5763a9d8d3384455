/** The one wait of this folder that is for time alone; it ends early with its signal and leaves no timer behind. */

/** Resolves after `ms` or, without an error, as soon as `signal` is aborted; the caller looks at the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      resolve();
    };
    const timer = setTimeout(settle, ms);
    signal.addEventListener('abort', settle, { once: true });
  });
}

/** Whether `promise` settles within `ms`; its rejection counts as settled. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const patience = new AbortController();
  const done = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, pause(ms, patience.signal).then(() => false)]);
  } finally {
    patience.abort();
  }
}
