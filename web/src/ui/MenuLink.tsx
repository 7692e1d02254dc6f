import { Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ToAnchor } from "./links";

/** A link to a page of the console in a menu; apart from the other links, because menus are loaded late. */
export const MenuLink = createLink((props: MenuItemProps & ToAnchor) => <Menu.Item component="a" {...props} />);
