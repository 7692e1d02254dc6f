import { Box, Text } from "@mantine/core";
import { Outside } from "@/ui/Outside";

interface Props {
  caption: string;
  text: string;
  /** The description for people who cannot see it. */
  label: string;
  kind?: "old" | "new" | "plain";
}

/** Text from outside as it is: never read as HTML or Markdown. It scrolls by itself where it is wide. */
export function Quotation({ caption, text, label, kind = "plain" }: Props) {
  return (
    <Box component="figure" m={0}>
      {caption !== "" && (
        <Text component="figcaption" size="sm" c="dimmed" className="wrap-anywhere">
          <Outside says={caption} />
        </Text>
      )}
      {text !== "" && (
        <pre className={`quotation ${kind}`} tabIndex={0} aria-label={label}>
          <code>
            <Outside says={text} />
          </code>
        </pre>
      )}
    </Box>
  );
}
