package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Output is the exact text of a run's result. It is immutable.
type Output struct {
	ID, Run, Parent, Body, Digest string
	CreatedUS                     int64
}

func scanOutput(r scanner, o *Output) error {
	return r.Scan(&o.ID, &o.Run, text(&o.Parent), &o.Body, &o.Digest, &o.CreatedUS)
}

// CreateOutput stores an output.
func (s *Store) CreateOutput(ctx context.Context, t domain.Tenant, run, parent, body, digest string) (Output, error) {
	return returning(ctx, s, scanOutput, `INSERT INTO outputs (id, tenant_id, run_id, parent_id, body, digest, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, {now})
		RETURNING id, run_id, parent_id, body, digest, created_us`, domain.NewID("out"), t.ID, run, null(parent), body, digest)
}

// maxOutputs is the maximum number of outputs that [Store.Outputs] lists. A run has one output, and another
// for each decision that changed it.
const maxOutputs = 20

// Outputs lists the outputs of a run, oldest first, at most 20.
func (s *Store) Outputs(ctx context.Context, t domain.Tenant, run string) ([]Output, error) {
	return many(ctx, s, scanOutput, `SELECT id, run_id, parent_id, body, digest, created_us FROM outputs WHERE tenant_id = $1
		AND run_id = $2 ORDER BY created_us, id LIMIT $3`, t.ID, run, maxOutputs)
}

// LatestOutput reads the newest output of a run.
func (s *Store) LatestOutput(ctx context.Context, t domain.Tenant, run string) (Output, error) {
	return one(ctx, s, scanOutput, `SELECT id, run_id, parent_id, body, digest, created_us FROM outputs WHERE tenant_id = $1
		AND run_id = $2 ORDER BY created_us DESC, id DESC LIMIT 1`, t.ID, run)
}

// Publication is the state of one review's publication.
type Publication struct {
	ID, Tenant, Run, Output string
	Kind                    string // review, edit, none
	Payload, PayloadSHA256  string
	MarkKey                 string // name of the instance key that makes its marks; "" is the oldest configured key
	Phase                   domain.Phase
	Gen                     int64
	ReviewID                domain.HostID // the chosen object on the host; "" before the choice
	URL, Reason             string
	SettleCause             domain.EndCause // why its last job died after the choice of a draft; "" otherwise
	Unsettled               bool            // no job works on it, and the host must be asked about its draft
	CreatedUS, UpdatedUS    int64
}

const publicationColumns = `id, tenant_id, run_id, output_id, kind, payload, payload_sha256, mark_key, phase, gen, ` +
	`COALESCE(NULLIF(ext_review_text, ''), CAST(ext_review_id AS TEXT)), ext_url, reason, settle_cause, settle_us IS NOT NULL, ` +
	`created_us, updated_us`

func scanPublication(r scanner, p *Publication) error {
	return r.Scan(&p.ID, &p.Tenant, &p.Run, &p.Output, &p.Kind, &p.Payload, &p.PayloadSHA256, &p.MarkKey, &p.Phase, &p.Gen,
		hostID(&p.ReviewID), &p.URL, &p.Reason, &p.SettleCause, &p.Unsettled, &p.CreatedUS, &p.UpdatedUS)
}

// Prepare creates the publication of a run with its frozen payload, or returns the existing one. It gives
// the publication a new generation, and only the caller may continue under it. The same transaction checks
// the caller's claim on the job, so that a worker with an expired lease cannot take the publication back;
// it then returns [errs.Stale].
func (s *Store) Prepare(ctx context.Context, t domain.Tenant, p Publication, job string, claim int64) (Publication, error) {
	var got Publication
	err := s.Atomically(ctx, func(ctx context.Context) error {
		if _, held, err := s.Holds(ctx, job, claim); err != nil {
			return err
		} else if !held {
			return errs.New(errs.Stale, "claim_lost", "Another worker has taken this job over.")
		}
		if err := s.lockInstanceKey(ctx, p.MarkKey); err != nil {
			return err
		}
		if _, err := s.exec(ctx, `INSERT INTO publications (id, tenant_id, run_id, output_id, kind, payload, payload_sha256, mark_key,
			phase, gen, created_us, updated_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'PREPARED', 0, {now}, {now}) ON CONFLICT (run_id) DO NOTHING`,
			domain.NewID("pub"), t.ID, p.Run, p.Output, p.Kind, p.Payload, p.PayloadSHA256, p.MarkKey); err != nil {
			return err
		}
		var err error
		got, err = returning(ctx, s, scanPublication, `UPDATE publications SET gen = gen + 1, updated_us = {now}, settle_us = NULL
			WHERE tenant_id = $1 AND run_id = $2 RETURNING `+publicationColumns, t.ID, p.Run)
		return err
	})
	return got, err
}

// PublicationOf reads the publication of a run.
func (s *Store) PublicationOf(ctx context.Context, t domain.Tenant, run string) (Publication, error) {
	return first(ctx, s, s.db.Write, scanPublication, `SELECT `+publicationColumns+
		` FROM publications WHERE tenant_id = $1 AND run_id = $2`, []any{t.ID, run})
}

// PublicationByID reads a publication by the id in a marker that was found on the host.
func (s *Store) PublicationByID(ctx context.Context, t domain.Tenant, id string) (Publication, error) {
	return one(ctx, s, scanPublication, `SELECT `+publicationColumns+` FROM publications WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// MovePublication changes the phase of a publication with the caller's generation. It returns false if
// another worker has moved it, and an error for an illegal move.
func (s *Store) MovePublication(ctx context.Context, t domain.Tenant, id string, gen int64, from, to domain.Phase, url,
	reason string) (bool, error) {
	if !domain.PhaseMayMove(from, to) {
		return false, errs.New(errs.Internal, "illegal_transition", "A publication cannot go from %s to %s.", from, to)
	}
	return s.exec1(ctx, `UPDATE publications SET phase = $5, updated_us = {now}, ext_url = CASE WHEN $6 = '' THEN ext_url
		ELSE $6 END, reason = CASE WHEN $5 = 'PUBLISHED' THEN '' WHEN $7 = '' THEN reason ELSE $7 END,
			settle_us = CASE WHEN $8 THEN NULL ELSE settle_us END, clean_us = CASE WHEN $8 AND `+mayHaveLeftDraft+` THEN {now} + $9 ELSE clean_us END
		WHERE tenant_id = $1 AND id = $2 AND gen = $3 AND phase = $4`, t.ID, id, gen, string(from), string(to), url,
		clip.Bytes(reason, 500), to.Terminal(), cleanAfter[0].Microseconds())
}

// mayHaveLeftDraft is the condition that a draft of a publication can appear late: the outcome of a create
// is unknown, or a second worker also created one.
const mayHaveLeftDraft = `(gen > 1 OR EXISTS (SELECT 1 FROM write_attempts w WHERE w.subject_kind = 'publication'
	AND w.subject_id = publications.id
	AND w.verb = 'create' AND w.outcome <> 'ok'))`

// ChooseReview records the host's object that becomes the publication. The protocol relies on this
// compare-and-swap. It returns false if another worker has chosen or taken over.
func (s *Store) ChooseReview(ctx context.Context, t domain.Tenant, id string, gen int64, review domain.HostID) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET phase = 'CHOSEN', ext_review_id = $4, ext_review_text = $5, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND gen = $3 AND ext_review_id IS NULL AND phase = 'CREATING'`, t.ID, id, gen,
		numericKey(review), idText(review))
}

// ReplacePayload replaces the frozen payload of a publication without a review, after the host refused a line or
// created no comment. The text moves from there to the body.
func (s *Store) ReplacePayload(ctx context.Context, t domain.Tenant, id string, gen int64, payload, sha string) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET payload = $4, payload_sha256 = $5, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND gen = $3 AND ext_review_id IS NULL AND phase IN ('CREATING', 'SUBMITTING')`, t.ID, id, gen,
		payload, sha)
}

// AbandonPublication ends the publication of a run whose job died before a draft was chosen, in any
// generation. Nothing can be visible at that time. It returns false if the run has no such publication.
// [Store.LeaveUnsettled] handles publications with a chosen draft.
func (s *Store) AbandonPublication(ctx context.Context, t domain.Tenant, run, reason string) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET phase = 'ABANDONED', reason = $3, gen = gen + 1, updated_us = {now}, settle_us = NULL,
			clean_us = CASE WHEN phase = 'PREPARED' THEN NULL ELSE {now} + $4 END
		WHERE tenant_id = $1 AND run_id = $2 AND phase IN ('PREPARED', 'CREATING')`, t.ID, run, clip.Bytes(reason, 500),
		cleanAfter[0].Microseconds())
}

// PublishedBefore returns the pull request's last finished review, except the given run's.
func (s *Store) PublishedBefore(ctx context.Context, t domain.Tenant, pull, run string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND id <> $3
		AND state = 'completed'
		ORDER BY finished_us DESC, id DESC LIMIT 1`, t.ID, pull, run)
}

// reviewRounds selects the rounds of a pull request, except the given run: completed reviews in which a model took part and that people
// could see.
const reviewRounds = ` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND id <> $3
	AND state = 'completed' AND model_state IN ('complete', 'partial')
	AND EXISTS (SELECT 1 FROM publications p WHERE p.tenant_id = $1 AND p.run_id = review_runs.id AND p.kind <> 'none')`

// ReviewRounds counts the rounds of a pull request, except the given run. Silent reviews and those without a model are not rounds.
func (s *Store) ReviewRounds(ctx context.Context, t domain.Tenant, pull, run string) (int, error) {
	return one(ctx, s, value[int], `SELECT COUNT(*)`+reviewRounds, t.ID, pull, run)
}

// LastRound returns the last of the rounds that [Store.ReviewRounds] counts.
func (s *Store) LastRound(ctx context.Context, t domain.Tenant, pull, run string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+reviewRounds+` ORDER BY finished_us DESC, id DESC LIMIT 1`, t.ID, pull, run)
}

// BeginWrite stores the intent of a write before it is sent, if the publication still has the generation
// w.Gen. In a transaction it locks the publication's row. It returns held false if the generation has
// changed; the caller must then not send.
func (s *Store) BeginWrite(ctx context.Context, t domain.Tenant, w WriteAttempt) (id string, held bool, err error) {
	id = domain.NewID("wat")
	held, err = s.exec1(ctx, `INSERT INTO write_attempts (id, tenant_id, subject_kind, subject_id, verb, target, gen, started_us)
		SELECT $1, $2, $3, $4, $5, $6, $7, {now} WHERE $3 <> 'publication'
			OR EXISTS (SELECT 1 FROM publications WHERE tenant_id = $2 AND id = $4 AND gen = $7{forupdate})`,
		id, t.ID, w.SubjectKind, w.SubjectID, w.Verb, w.Target, w.Gen)
	if err != nil || !held {
		return "", false, err
	}
	return id, true, nil
}

// WriteAttempt is the intent of an external write.
type WriteAttempt struct {
	ID                     string // assigned by the store
	SubjectKind, SubjectID string // publication, reflect, …
	Verb, Target           string // the action and its object, in assay's terms
	Gen                    int64
	StartedUS, FinishedUS  int64
	Outcome                string // "" until the end is known
	Status                 int    // see [WriteEnd]
	RequestID              string
}

// WriteEnd is the result of a write.
type WriteEnd struct {
	Outcome   string // ok, or the class of the host's error
	Status    int    // HTTP status of the host's last answer; 0 if there was no answer
	RequestID string // the host's id of that request; "" if it gave none
}

// EndWrite records the result of a write.
func (s *Store) EndWrite(ctx context.Context, id string, end WriteEnd) error {
	_, err := s.exec(ctx, `UPDATE write_attempts SET finished_us = {now}, outcome = $2, status = $3, request_id = $4 WHERE id = $1
		AND finished_us IS NULL`,
		id, clip.Bytes(end.Outcome, 300), end.Status, clip.Bytes(end.RequestID, 100))
	return err
}

const writeColumns = `id, subject_kind, subject_id, verb, target, gen, started_us, finished_us, outcome, status, request_id`

func scanWrite(r scanner, w *WriteAttempt) error {
	return r.Scan(&w.ID, &w.SubjectKind, &w.SubjectID, &w.Verb, &w.Target, &w.Gen, &w.StartedUS, number(&w.FinishedUS), &w.Outcome,
		&w.Status, &w.RequestID)
}

// Writes lists the write attempts for a subject, oldest first.
func (s *Store) Writes(ctx context.Context, t domain.Tenant, kind, subject string) ([]WriteAttempt, error) {
	return many(ctx, s, scanWrite, `SELECT `+writeColumns+` FROM write_attempts WHERE tenant_id = $1 AND subject_kind = $2
		AND subject_id = $3 ORDER BY started_us, id`, t.ID, kind, subject)
}

// maxRunWrites is the maximum number of writes that [Store.RunWrites] lists.
const maxRunWrites = 1000

// RunWrites lists the write attempts for a run, oldest first, at most [maxRunWrites]: its publication, the
// updates of review.reflect, its clean-up, and the triage labels of its head.
func (s *Store) RunWrites(ctx context.Context, t domain.Tenant, run string) ([]WriteAttempt, error) {
	return many(ctx, s, scanWrite, `SELECT `+writeColumns+` FROM write_attempts WHERE tenant_id = $1 AND (
			subject_kind IN ('reflect', 'janitor') AND subject_id = $2
			OR subject_kind = 'publication' AND subject_id IN (SELECT id FROM publications WHERE tenant_id = $1 AND run_id = $2)
			OR subject_kind = 'triage' AND subject_id IN (SELECT x.id FROM triage_runs x JOIN review_runs r ON r.tenant_id = x.tenant_id
				AND r.repository_id = x.repository_id
				AND r.number = x.number AND r.head_sha = x.head_sha WHERE r.tenant_id = $1 AND r.id = $2))
		ORDER BY started_us, id LIMIT $3`, t.ID, run, maxRunWrites)
}

// FinishPullRequest records on the pull request that a run's review is published.
func (s *Store) FinishPullRequest(ctx context.Context, t domain.Tenant, run Run, review domain.HostID) error {
	return must1(s.exec1(ctx, `UPDATE pull_requests SET reviewed_head = $3, summary_review = CASE WHEN summary_review = 0 THEN $4
		ELSE summary_review END,
			summary_text = CASE WHEN summary_review = 0 THEN $5 ELSE summary_text END, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2`, t.ID, run.PullRequest, run.HeadSHA, numericKey(review), idText(review)))
}
