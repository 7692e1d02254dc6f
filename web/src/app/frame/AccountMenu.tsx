import { Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { text } from "@/texts";
import { MenuLink } from "@/ui/MenuLink";
import { AccountButton } from "./AccountButton";

const schemes: readonly { scheme: MantineColorScheme; label: string }[] = [
  { scheme: "light", label: text.frame.light },
  { scheme: "dark", label: text.frame.dark },
  { scheme: "auto", label: text.frame.auto },
];

interface Props {
  name: string;
  csrf: string;
  tenantId: string;
  /** Whether the menu starts open, because its button was pressed before the menu was loaded. */
  opened: boolean;
}

/** The signed-in person, with the colours of the console, and the sign-out: a form, as on the service's own pages. */
export function AccountMenu({ name, csrf, tenantId, opened }: Props) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={230} defaultOpened={opened}>
      <Menu.Target>
        <AccountButton name={name} />
      </Menu.Target>
      <Menu.Dropdown>
        {tenantId !== "" && (
          <>
            <MenuLink to="/t/$tenantId/me" params={{ tenantId }}>
              {text.frame.me}
            </MenuLink>
            <Menu.Divider />
          </>
        )}
        <Menu.Label>{text.frame.colours}</Menu.Label>
        {schemes.map(({ scheme, label }) => (
          <Menu.Item key={scheme} role="menuitemradio" aria-checked={colorScheme === scheme} closeMenuOnClick={false} onClick={() => setColorScheme(scheme)} rightSection={colorScheme === scheme ? <IconCheck size={14} aria-hidden /> : null}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <form method="post" action="/sign-out">
          <input type="hidden" name="csrf" value={csrf} />
          <Menu.Item type="submit" closeMenuOnClick={false}>
            {text.frame.signOut}
          </Menu.Item>
        </form>
      </Menu.Dropdown>
    </Menu>
  );
}
