import { text } from "@/texts";

interface Demo {
  note: string;
  links: { title: string; url: string }[];
}

function readDemo(): Demo | undefined {
  const said = document.querySelector<HTMLMetaElement>("meta[name=assay-demo]")?.content ?? "";
  return said === "" ? undefined : (JSON.parse(said) as Demo); // the service itself wrote it
}

const demo = readDemo();

/** Where the window is narrow, the note opens only on demand: it would take a quarter of the page. */
const wide = matchMedia("(min-width: 48em)").matches;

/** What is simulated here, where this is the demo. */
export function DemoNote() {
  if (!demo) return null;
  return (
    <div className="demo" role="note">
      <details open={wide}>
        <summary>
          <strong>{text.frame.demo}</strong>
        </summary>
        {demo.note}
        <ul>
          {demo.links.map((l) => (
            <li key={l.url}>
              <a href={l.url} rel="noreferrer">
                {l.title}
              </a>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
