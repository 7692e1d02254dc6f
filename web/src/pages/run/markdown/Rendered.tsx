import { Anchor } from "@mantine/core";
import { type ComponentPropsWithoutRef, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import { reviewText as texts } from "@/texts/approval";
import { visible, visibleLines } from "@/ui/visible";
import { webLink } from "../webLink";
import "./rendered.css";

/** Elements that are shown. Others lose their tags and keep their text; scripts and styles lose both. */
const elements = [
  ..."p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li table thead tbody tr th td a img input".split(" "),
  ..."sub sup details summary kbd".split(" "),
];

const schema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: elements,
  strip: ["script", "style", "template", "iframe", "svg", "math", "title", "textarea", "select", "noscript"],
  attributes: {
    a: ["href"],
    img: ["src", "alt"],
    code: [["className", /^language-[\w-]{1,40}$/]],
    input: [["type", "checkbox"], ["disabled", true], "checked"],
    th: ["align"],
    td: ["align"],
    ol: ["start"],
  },
  protocols: { href: ["http", "https"], src: ["http", "https"] },
  required: { input: { type: "checkbox", disabled: true } },
};

interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

/** Writes the names of hidden characters in their place, in every text of the tree. */
function showHidden() {
  const walk = (node: Node) => {
    if (node.type === "text" && node.value !== undefined) node.value = visibleLines(node.value);
    node.children?.forEach(walk);
  };
  return walk;
}

/** A link to the web. Other addresses, such as those within the host's page, lead nowhere here and are shown as text. */
function Link({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const to = webLink(href);
  if (to === "") return <>{children}</>;
  return (
    <Anchor href={to} rel="noreferrer nofollow" inherit underline="always">
      {children}
    </Anchor>
  );
}

/** An image is named and not loaded, because its server would learn who reads the review. */
function Image({ src, alt }: { src?: unknown; alt?: string | undefined }) {
  const says = texts.image(visible(alt ?? ""));
  return (
    <span className="image-of">
      <Link href={typeof src === "string" ? src : undefined}>{says}</Link>
    </span>
  );
}

function Code({ className, children }: ComponentPropsWithoutRef<"code">) {
  if (className !== "language-suggestion") return <code className={className}>{children}</code>;
  return (
    <>
      <span className="suggested">{texts.suggestion}</span>
      <code>{children}</code>
    </>
  );
}

/** Heading levels begin below those of the page. */
const level = (n: number) =>
  function Heading({ children }: { children?: ReactNode }) {
    return (
      <p className={`heading h${n}`}>
        <strong>{children}</strong>
      </p>
    );
  };

// The components stay the same between renderings, because React mounts new ones again, and they lose scroll and focus.
const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Image src={src} alt={alt} />,
  code: ({ className, children }) => <Code {...(className === undefined ? {} : { className })}>{children}</Code>,
  pre: ({ children }) => (
    <pre className="quotation" tabIndex={0} aria-label={texts.code}>
      {children}
    </pre>
  ),
  input: ({ checked }) => (
    <span aria-label={checked === true ? texts.ticked : texts.unticked} role="img">
      {checked === true ? "☑" : "☐"}{" "}
    </span>
  ),
  table: ({ children }) => (
    <div className="table-of" tabIndex={0} role="group" aria-label={texts.table}>
      <table>{children}</table>
    </div>
  ),
  h1: level(1),
  h2: level(2),
  h3: level(3),
  h4: level(4),
  h5: level(5),
  h6: level(6),
};

const remark = [remarkGfm, remarkBreaks];
const rehype: ComponentPropsWithoutRef<typeof ReactMarkdown>["rehypePlugins"] = [rehypeRaw, [rehypeSanitize, schema], showHidden];

/**
 * Markdown with the extensions of code hosts, and as in comments on most of them the end of a line breaks it. HTML is read as hosts read it and then reduced to the elements and attributes above,
 * so that nothing of a stranger runs, is styled or is loaded. A text that stays is read once.
 */
function Rendered({ says }: { says: string }) {
  return (
    <ReactMarkdown remarkPlugins={remark} rehypePlugins={rehype} components={components}>
      {says}
    </ReactMarkdown>
  );
}

export default memo(Rendered);
