import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { text } from "@/texts";
import { shownTo, type Viewer } from "./navigation";

/** The pages of the tenant and of the instance, in groups. */
export function PageList({ viewer }: { viewer: Viewer }) {
  return (
    <nav aria-label={text.frame.navigation}>
      {shownTo(viewer).map((group) => (
        <section key={group.label} aria-label={group.label || text.frame.pages}>
          {group.label && (
            <Title order={2} className="nav-group">
              {group.label}
            </Title>
          )}
          {group.entries.map(({ to, label, icon: Sign }) => (
            <Link key={to} to={to} params={{ tenantId: viewer.tenantId }} className="nav-link" activeOptions={{ exact: to === "/t/$tenantId" }}>
              <Sign size={18} aria-hidden />
              {label}
            </Link>
          ))}
        </section>
      ))}
    </nav>
  );
}
