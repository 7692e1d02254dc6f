import type { Schemas } from "@/api/queries";
import { eventNames } from "./events";

type Topic = NonNullable<Schemas["PushSubscriptionUpdate"]["topics"]>[number];

/** Words of notifications that reach a browser. */
export const push = {
  title: "Notifications of browsers",
  says: "A browser shows notifications of the events that you choose, also while no page of assay is open. A notification names the event and links to its page; it contains no code.",
  here: "This browser",
  off: "off",
  on: "on",
  offSays: "It gets no notifications of this tenant.",
  onSays: "It gets notifications of this tenant. Its events are below.",
  turnOn: "Turn on",
  turnOff: "Turn off",
  turnedOn: "This browser gets notifications now.",
  turnedOff: "This browser gets no notifications of this tenant any more.",
  unable: {
    unsupported: "This browser cannot show notifications of web pages.",
    insecure: "Browsers allow notifications only at an https address, or on the machine itself.",
    denied: "You have blocked notifications of this address. Allow them in the browser's settings of this site, then load the page again.",
  },
  not: {
    denied: "You have blocked notifications of this address. Allow them in the browser's settings of this site.",
    dismissed: "The browser's question was not answered. Turn it on again to see it once more.",
    refused: "The push service of the browser did not accept the subscription. It may be switched off in the browser, or not reachable from this network.",
  },
  list: "All your browsers here",
  none: "No browser of yours gets notifications of this tenant.",
  thisOne: "this browser",
  gone: "gone: turn it on again in that browser",
  sent: "Last sent",
  never: "never",
  change: "Change",
  changeOf: (name: string) => `Change the events of ${name}`,
  test: "Send one now",
  tested: "Sent. It arrives in a moment.",
  remove: "Remove",
  removeTitle: "Remove this browser?",
  removeSays: "It gets no more notifications until you turn them on again in it.",
  removed: "Removed.",
  label: "Name",
  enabled: "Notifications",
  topics: "Events",
  topic: eventNames satisfies Record<Topic, string>,
  topicsSays: "You get those that you may see. Budgets, connections and emergency links are for administrators.",
  quiet: "Quiet hours",
  quietSays: "Messages wait until they end.",
  from: "From",
  to: "Until",
  zone: "Time zone",
  zoneSays: "A name such as Europe/Berlin.",
};
