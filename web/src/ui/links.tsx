import type { Ref } from "react";
import { Anchor, Button, Menu, type AnchorProps, type ButtonProps, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

type ToAnchor = { ref?: Ref<HTMLAnchorElement> };

/** A link to a page of the console: its address, parameters and filters are checked by the compiler. */
export const PageLink = createLink((props: AnchorProps & ToAnchor) => <Anchor {...props} />);

/** {@link PageLink} that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & ToAnchor) => <Button component="a" {...props} />);

/** {@link PageLink} in a menu. */
export const MenuLink = createLink((props: MenuItemProps & ToAnchor) => <Menu.Item component="a" {...props} />);
