/** What the service says about its demo. */
export interface Demo {
  note: string;
  links: { title: string; url: string }[];
  /** The pages of the sample's pull requests at the simulated host, by their numbers. */
  pulls: string[];
}

/** Reads what the service wrote into the page; undefined if the service is not the demo. */
function readDemo(): Demo | undefined {
  const said = document.querySelector<HTMLMetaElement>("meta[name=assay-demo]")?.content ?? "";
  return said === "" ? undefined : (JSON.parse(said) as Demo); // the service itself wrote it
}

export const demo = readDemo();
