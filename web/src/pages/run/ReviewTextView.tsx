import { Stack, Text } from "@mantine/core";
import { reviewText as texts } from "@/texts/approval";
import { Quotation } from "./Quotation";
import type { ReviewText } from "./types";

/** The exact text of a review as it is sent to the host: Markdown that is not rendered here. */
export function ReviewTextView({ review }: { review: ReviewText }) {
  return (
    <Stack gap="sm">
      <Quotation caption={texts.body[review.kind]} text={review.body} label={texts.body[review.kind]} />
      {review.comments.map((c, i) => {
        const where = `${c.path}:${c.startLine > 0 && c.startLine !== c.line ? `${c.startLine}–${c.line}` : c.line}`;
        return <Quotation key={i} caption={texts.comment(where)} text={c.body} label={texts.comment(where)} />;
      })}
      {review.summary !== "" && <Quotation caption={texts.summary} text={review.summary} label={texts.summary} />}
      {review.checkTitle !== "" && <Text className="wrap-anywhere">{texts.check(review.checkTitle, review.conclusion)}</Text>}
      {review.checkSummary !== "" && <Quotation caption="" text={review.checkSummary} label={texts.check(review.checkTitle, review.conclusion)} />}
    </Stack>
  );
}
