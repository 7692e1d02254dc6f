import { useState } from "react";
import { Code, Stack, Switch, Text } from "@mantine/core";
import { reviewText as texts } from "@/texts/approval";
import { Outside } from "@/ui/Outside";
import { Markdown } from "./markdown/Markdown";
import { Quotation } from "./Quotation";
import type { ReviewText } from "./types";

/** Whether texts are shown raw, and the switch for it. */
export function useRaw(): [raw: boolean, choice: React.ReactNode] {
  const [raw, setRaw] = useState(false);
  return [raw, <Switch key="raw" label={texts.raw} checked={raw} onChange={(e) => setRaw(e.currentTarget.checked)} />];
}

/** A part of a review: rendered, or exactly as it is sent. */
export function ReviewPart({ says, label, raw }: { says: string; label: string; raw: boolean }) {
  if (says === "") return null;
  return raw ? <Quotation caption="" text={says} label={label} /> : <Markdown says={says} label={label} />;
}

/** The place of a comment, as people write places. */
export const commentPlace = (c: ReviewText["comments"][number]) => `${c.path}:${c.startLine > 0 && c.startLine !== c.line ? `${c.startLine}–${c.line}` : c.line}`;

/** The text of a review as the host renders it, with the raw text behind a switch. */
export function ReviewTextView({ review }: { review: ReviewText }) {
  const [raw, choice] = useRaw();
  return (
    <Stack gap="sm">
      {choice}
      <Text size="sm" c="dimmed">
        {texts.body[review.kind]}
      </Text>
      <ReviewPart says={review.body} label={texts.body[review.kind]} raw={raw} />
      {review.comments.map((c, i) => (
        <div key={i} className="sheet">
          <Code className="wrap-anywhere">
            <Outside says={commentPlace(c)} />
          </Code>
          <ReviewPart says={c.body} label={texts.comment(commentPlace(c))} raw={raw} />
        </div>
      ))}
      <RestOfReview review={review} raw={raw} />
    </Stack>
  );
}

/** The summary that replaces the first review's text, and the check. The check's text is folded, because it repeats the review. */
export function RestOfReview({ review, raw }: { review: ReviewText; raw: boolean }) {
  const check = texts.check(review.checkTitle, review.conclusion);
  return (
    <>
      {review.summary !== "" && (
        <div className="sheet">
          <Text size="sm" c="dimmed">
            {texts.summary}
          </Text>
          <ReviewPart says={review.summary} label={texts.summary} raw={raw} />
        </div>
      )}
      {review.checkTitle !== "" && review.checkSummary === "" && <Text className="wrap-anywhere">{check}</Text>}
      {review.checkSummary !== "" && (
        <details>
          <summary className="wrap-anywhere">{check}</summary>
          <ReviewPart says={review.checkSummary} label={check} raw={raw} />
        </details>
      )}
    </>
  );
}
