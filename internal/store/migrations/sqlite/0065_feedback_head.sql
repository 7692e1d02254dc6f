-- +goose Up
-- How far the feedback on a pull request was read. Jobs are deleted after some time, so they cannot say it.
-- feedback_head: the reviewed head when the feedback on the merged pull request was read, "none" without one; "" if it was not read.
-- feedback_after: the person after whom the next reading asks for roles; "" if the last one asked for the roles of all people.
ALTER TABLE pull_requests ADD COLUMN feedback_head TEXT NOT NULL DEFAULT '';
ALTER TABLE pull_requests ADD COLUMN feedback_after TEXT NOT NULL DEFAULT '';
UPDATE pull_requests SET feedback_head = COALESCE(NULLIF(reviewed_head, ''), 'none') WHERE state = 'merged'
    AND NOT EXISTS (SELECT 1 FROM jobs WHERE subject = pull_requests.id AND kind = 'feedback.merge' AND state IN ('queued', 'running'));

-- +goose Down
ALTER TABLE pull_requests DROP COLUMN feedback_after;
ALTER TABLE pull_requests DROP COLUMN feedback_head;
