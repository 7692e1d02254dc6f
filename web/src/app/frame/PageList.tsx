import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { text } from "@/texts";
import { addressOf, tabsAt, type Entry, type Navigation, type Section } from "./navigation";

interface Props {
  menu: Navigation;
  tenantId: string;
  /** The path of the page that is open. */
  at: string;
  /** The section that is open, if one is. */
  open: Section | undefined;
}

/** A page as a line of the menu. It is marked while it, or a page below it, is open. */
export function PageLine({ entry, tenantId }: { entry: Entry; tenantId: string }) {
  const { to, label, icon: Sign } = entry;
  return (
    <Link to={to} params={{ tenantId }} className="nav-link" activeOptions={{ exact: to === "/t/$tenantId" }}>
      <Sign size={18} aria-hidden />
      {label}
    </Link>
  );
}

/** The menu: pages, and the sections with a list of their own. */
export function PageList({ menu, tenantId, at, open }: Props) {
  return (
    <nav aria-label={text.frame.navigation}>
      {menu.pages.map((entry) => (
        <Shared key={entry.to} entry={entry} tenantId={tenantId} isOpen={tabsAt({ ...menu, pages: [entry] }, tenantId, at).some((e) => e !== entry && addressOf(e, tenantId) === at)} />
      ))}
      <hr className="nav-rule" />
      {menu.sections.map((section) => (
        <SectionLine key={section.label} section={section} tenantId={tenantId} isOpen={section === open} />
      ))}
    </nav>
  );
}

/** A page that may share its line with others: one of them is open (isOpen), or none. */
function Shared({ entry, tenantId, isOpen }: { entry: Entry; tenantId: string; isOpen: boolean }) {
  return (
    <div className={isOpen ? "nav-open" : undefined}>
      <PageLine entry={entry} tenantId={tenantId} />
    </div>
  );
}

/** A section: it leads to its first page. */
function SectionLine({ section, tenantId, isOpen }: { section: Section; tenantId: string; isOpen: boolean }) {
  const first = section.groups[0]?.entries[0];
  if (!first) return null;
  const Sign = section.icon;
  return (
    <div className={isOpen ? "nav-open" : undefined}>
      <Link to={first.to} params={{ tenantId }} className="nav-link nav-section" activeOptions={{ exact: true }}>
        <Sign size={18} aria-hidden />
        {section.label}
      </Link>
    </div>
  );
}

/** The pages that share a line of the menu, above the page. Empty for a page with a line of its own. */
export function PageTabs({ menu, tenantId, at }: Omit<Props, "open">) {
  const tabs = tabsAt(menu, tenantId, at);
  if (tabs.length === 0) return null;
  return (
    <nav aria-label={text.frame.tabs} className="page-tabs">
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} params={{ tenantId }} activeOptions={{ exact: true, includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** The heading of a group of pages. */
export function GroupHeading({ children }: { children: string }) {
  return (
    <Title order={3} className="nav-group">
      {children}
    </Title>
  );
}
