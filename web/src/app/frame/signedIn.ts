/** By which windows of this browser tell each other that somebody has signed in. */
export const channelName = "assay-session";

/** Tells the other windows that somebody is signed in. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("in");
  channel.close();
}
