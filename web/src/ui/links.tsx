import type { Ref } from "react";
import { Anchor, Button, type AnchorProps, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

/** The properties that {@link createLink} passes to its component in addition to the component's own. */
export type ToAnchor = { ref?: Ref<HTMLAnchorElement> };

/** A link to a page of the console: its address, parameters and filters are checked by the compiler. */
export const PageLink = createLink((props: AnchorProps & ToAnchor) => <Anchor {...props} />);

/** {@link PageLink} that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & ToAnchor) => <Button component="a" {...props} />);
