import { lazy, Suspense, useDeferredValue, useEffect, useState } from "react";
import { Anchor, AppShell, Burger, Button, Group, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useTenantChanges } from "@/api/useTenantChanges";
import { accessQuery, closedTenantsQuery, meQuery, myTenantsQuery } from "@/api/queries";
import { text } from "@/texts";
import { isFramed, setFramed } from "@/app/lazyPage";
import { whenIdle } from "@/app/whenIdle";
import { Aside } from "@/ui/Aside";
import { Waiting } from "@/ui/Loaded";
import { PageLink } from "@/ui/links";
import { TabName } from "@/ui/tabName";
import { AccountButton } from "./AccountButton";
import { Breadcrumbs } from "./Breadcrumbs";
import { DemoNote } from "./DemoNote";
import { Mark } from "./Mark";
import { addressOf, navigationFor, sectionAt, tabsAt, type Viewer } from "./navigation";
import { PageList, PageTabs } from "./PageList";
import { rememberedTenant, rememberTenant } from "./preferences";
import { RepositoryTabs, useRepositoryTab } from "./RepositoryTabs";
import { SectionPages } from "./SectionPages";
import { Whose } from "./Whose";

// Overlays of the page are loaded after the page itself.
const AccountMenu = lazy(() => whenIdle(() => import("./AccountMenu").then((m) => ({ default: m.AccountMenu }))));
const Palette = lazy(() => whenIdle(() => import("./Palette").then((m) => ({ default: m.Palette }))));
const Shortcuts = lazy(() => whenIdle(() => import("./Shortcuts").then((m) => ({ default: m.Shortcuts }))));

const menuWidth = 220; // in px
const sectionWidth = 220; // in px

/** Opens the palette: at once where it is loaded, else as soon as it is. */
function openPalette(): void {
  void import("@mantine/spotlight").then((m) => m.spotlight.open());
}

/** The frame around the pages of a tenant. */
export function TenantFrame() {
  const { tenantId } = useParams({ from: "/t/$tenantId" });
  useEffect(() => rememberTenant(tenantId), [tenantId]);
  useTenantChanges(tenantId);
  return <Frame tenantId={tenantId} />;
}

/** The frame around the pages of the instance: beside them are those of the tenant that was looked at last. */
export function InstanceFrame() {
  const { data: tenants } = useQuery(myTenantsQuery);
  const mine = tenants?.items ?? [];
  const last = mine.find((t) => t.id === rememberedTenant()) ?? mine[0];
  return <Frame tenantId={last?.id ?? ""} />;
}

/** Where one is, where one can go, and who one is. */
function Frame({ tenantId }: { tenantId: string }) {
  const [open, { toggle, close }] = useDisclosure(false);
  const [asked, ask] = useState(false); // for the menu of the account, which may come later
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: tenants } = useQuery(myTenantsQuery);
  const { data: closed } = useQuery(closedTenantsQuery);
  const { data: access } = useQuery({ ...accessQuery(tenantId), enabled: tenantId !== "" });
  const framed = useDeferredValue(true, isFramed()); // the first frame is painted before its page, because a list takes long to render
  const at = useLocation({ select: (l) => l.pathname });

  useEffect(close, [at, close]);
  useEffect(setFramed, []);
  useHotkeys([["mod+K", openPalette]], []);

  const all = tenants?.items ?? [];
  const viewer: Viewer = { tenantId, access, instanceAdmin: me?.instanceAdmin ?? false };
  const menu = navigationFor(viewer);
  const section = sectionAt(menu, tenantId, at);
  const tab = useRepositoryTab(tenantId) ?? tabsAt(menu, tenantId, at).find((e) => addressOf(e, tenantId) === at)?.label ?? "";
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: { base: menuWidth, lg: section ? menuWidth + sectionWidth : menuWidth }, breakpoint: "sm", collapsed: { mobile: !open } }} padding="md" transitionDuration={0}>
      <a className="skip" href="#main">
        {text.frame.skip}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group wrap="nowrap" gap="xs">
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={text.frame.menu} aria-expanded={open} />
            <PageLink to="/" search={{ choose: true }} c="var(--mantine-color-text)" underline="never" className="brand">
              <Mark />
              {text.app}
            </PageLink>
          </Group>
          <Group wrap="nowrap" gap="xs">
            <Button variant="default" size="xs" leftSection={<IconSearch size={16} aria-hidden />} onClick={openPalette} aria-label={text.frame.search} data-hint={text.frame.searchKey}>
              <Text component="span" size="sm" visibleFrom="sm">
                {text.frame.search}
              </Text>
            </Button>
            <Aside instead={<AccountButton name={me?.name ?? ""} />}>
              <Suspense fallback={<AccountButton name={me?.name ?? ""} onClick={() => ask(true)} />}>
                <AccountMenu name={me?.name ?? ""} csrf={me?.csrfToken ?? ""} tenantId={tenantId} opened={asked} />
              </Suspense>
            </Aside>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <div className={section ? "menus with-section" : "menus"}>
          <div className="menu">
            <Whose tenantId={tenantId} tenants={all} access={access} closed={(closed?.openings.length ?? 0) > 0} />
            <PageList menu={menu} tenantId={tenantId} at={at} open={section} />
            <Group gap="md" className="menu-foot">
              <Anchor href="/docs/api" size="sm">
                {text.frame.interface}
              </Anchor>
              <Anchor href="/assets/console/licences.txt" size="sm">
                {text.frame.licences}
              </Anchor>
            </Group>
          </div>
          {section && (
            <div className="section-menu">
              <SectionPages key={section.label} section={section} tenantId={tenantId} />
            </div>
          )}
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <DemoNote tenantId={tenantId} />
        <Breadcrumbs tenant={all.find((t) => t.id === tenantId)?.name ?? tenantId} />
        <RepositoryTabs tenantId={tenantId} otherwise={<PageTabs menu={menu} tenantId={tenantId} at={at} />} />
        <TabName value={tab}>
          {framed ? <Outlet /> : <Waiting />}
        </TabName>
      </AppShell.Main>
      <Aside>
        <Suspense>
          <Palette viewer={viewer} tenants={all} />
          <Shortcuts viewer={viewer} />
        </Suspense>
      </Aside>
    </AppShell>
  );
}
