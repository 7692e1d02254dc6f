-- +goose Up
-- Repositories that waited to be tried out are reviewed: dry runs do not exist yet, so that nobody could end their waiting by one.
-- The value stays in the check of the column; nothing writes it any more.
UPDATE repositories SET intake = 'on' WHERE intake = 'onboarding';

-- +goose Down
-- What was said before is not known any more.
SELECT 1;
