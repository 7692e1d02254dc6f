/** The channel by which windows of this browser report a sign-in to each other. */
export const channelName = "assay-session";

/** Reports a sign-in to the other windows. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("in");
  channel.close();
}
