const moment = 300; // ms at least after the first of several calls
const spread = 2_200; // ms more at most, so that the browsers of a tenant do not read at the same moment
const least = 3_000; // ms between two acts
const most = 30_000; // ms between two acts while calls keep coming

/**
 * Runs act 0.3 to 2.5 s after the first of several calls, and then more and more rarely while calls keep coming. Chance spreads
 * the acts of several browsers.
 */
export function paced(act: () => void, chance: () => number = Math.random): { call: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  let rest = least / 2;
  const run = () => {
    timer = undefined;
    last = Date.now();
    act();
  };
  return {
    call: () => {
      if (timer !== undefined) return;
      const quiet = Date.now() - last;
      rest = quiet > 4 * rest ? least / 2 : Math.min(most, rest * 2);
      timer = setTimeout(run, Math.max(moment + spread * chance(), (rest - quiet) * (1 + chance() / 2)));
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
