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

/** What is simulated here, where this is the demo: one line, which opens. */
export function DemoNote() {
  if (!demo) return null;
  return (
    <div className="demo" role="note">
      <details>
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
