/** The session of a process, which macOS's ps does not tell: libc is asked. */

/** `undefined` without such a process, and where koffi cannot be loaded. */
export async function sessionOf(pid: number): Promise<number | undefined> {
  getsid ??= import('koffi').then(
    ({ default: koffi }) => koffi.load(null).func('int getsid(int pid)') as (pid: number) => number,
    () => () => -1,
  );
  const session = (await getsid)(pid);
  return session === -1 ? undefined : session;
}

let getsid: Promise<(pid: number) => number> | undefined;
