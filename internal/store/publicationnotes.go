package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// The methods below serve hosts on which each comment of a review is made visible separately.

// PublicationNote is the state of one comment of a publication.
type PublicationNote struct {
	Publication string
	Seq         int    // the order of publication, from 1
	Finding     string // "" for the summary, which is last
	Phase       domain.NotePhase
	Draft       domain.HostID // the only draft that can become visible, or the comment on hosts without drafts; "" before the choice
	Reason      string        // why it was dropped
}

const noteColumns = `publication_id, seq, finding_id, phase, draft_id, reason`

func scanNote(r scanner, n *PublicationNote) error {
	return r.Scan(&n.Publication, &n.Seq, &n.Finding, &n.Phase, &n.Draft, &n.Reason)
}

// publicationHeld is the condition that the publication $2 of the tenant $1 has the generation $3 and the phase $4. It
// locks the row.
const publicationHeld = `EXISTS (SELECT 1 FROM publications WHERE tenant_id = $1 AND id = $2 AND gen = $3 AND phase = $4{forupdate})`

// PlanNotes moves a publication from PREPARED to CREATING and stores its comments in the order of
// publication. findings holds their finding ids, "" for the summary. It returns false if another worker has
// moved the publication.
func (s *Store) PlanNotes(ctx context.Context, t domain.Tenant, publication string, gen int64, findings []string) (moved bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.MovePublication(ctx, t, publication, gen, domain.PhasePrepared, domain.PhaseCreating, "", "")
		if err != nil || !moved {
			return err
		}
		for i, finding := range findings {
			if _, err := s.exec(ctx, `INSERT INTO publication_notes (publication_id, seq, tenant_id, finding_id, phase, updated_us)
				VALUES ($1, $2, $3, $4, 'PLANNED', {now})`, publication, i+1, t.ID, finding); err != nil {
				return err
			}
		}
		return nil
	})
	return moved && err == nil, err
}

// NotesOf lists the comments of a publication in the order of publication. It needs no limit, because a
// payload has few comments.
func (s *Store) NotesOf(ctx context.Context, t domain.Tenant, publication string) ([]PublicationNote, error) {
	out := []PublicationNote{}
	err := s.rows(ctx, s.db.Write, `SELECT `+noteColumns+` FROM publication_notes WHERE tenant_id = $1 AND publication_id = $2
		ORDER BY seq`, []any{t.ID, publication}, func(r scanner) error {
		var n PublicationNote
		err := scanNote(r, &n)
		out = append(out, n)
		return err
	})
	return out, err
}

// MoveNote changes the phase of a comment whose publication has generation gen and phase at. It returns
// false if another worker has moved either. It returns an error for an illegal move; use [Store.ChooseNote]
// for the move to CHOSEN.
func (s *Store) MoveNote(ctx context.Context, t domain.Tenant, n PublicationNote, gen int64, at domain.Phase, to domain.NotePhase,
	reason string) (bool, error) {
	if !domain.NoteMayMove(n.Phase, to) || to == domain.NoteChosen {
		return false, errs.New(errs.Internal, "illegal_transition", "A comment of a publication cannot go from %s to %s.", n.Phase, to)
	}
	return s.exec1(ctx, `UPDATE publication_notes SET phase = $7, reason = $8, updated_us = {now}
		WHERE tenant_id = $1 AND publication_id = $2 AND seq = $5 AND phase = $6 AND `+publicationHeld,
		t.ID, n.Publication, gen, string(at), n.Seq, string(n.Phase), string(to), clip.Bytes(reason, 300))
}

// ChooseNote records the draft that becomes the comment, or the comment itself on hosts without drafts, for a
// publication with generation gen and phase at. The protocol relies on this compare-and-swap, which is never
// undone while the publication is open. It returns false if another worker has chosen or taken over.
func (s *Store) ChooseNote(ctx context.Context, t domain.Tenant, n PublicationNote, gen int64, at domain.Phase,
	draft domain.HostID) (bool, error) {
	return s.exec1(ctx, `UPDATE publication_notes SET phase = 'CHOSEN', draft_id = $6, updated_us = {now}
		WHERE tenant_id = $1 AND publication_id = $2 AND seq = $5 AND phase = 'DRAFTING' AND draft_id = '' AND `+publicationHeld,
		t.ID, n.Publication, gen, string(at), n.Seq, string(draft))
}

// ReplaceNote replaces the visible comment of a row by another one with the same mark, in an ended
// publication. It returns false if the row has another comment by now.
func (s *Store) ReplaceNote(ctx context.Context, t domain.Tenant, n PublicationNote, to domain.HostID) (bool, error) {
	return s.exec1(ctx, `UPDATE publication_notes SET draft_id = $5, updated_us = {now}
		WHERE tenant_id = $1 AND publication_id = $2 AND seq = $3 AND phase = 'VISIBLE' AND draft_id = $4 AND EXISTS (
			SELECT 1 FROM publications WHERE tenant_id = $1 AND id = $2 AND phase IN ('PUBLISHED', 'ABANDONED'))`,
		t.ID, n.Publication, n.Seq, string(n.Draft), string(to))
}

// NameReview records the visible comment that represents the review of a publication whose comments are all
// visible. Callers can repeat it. It returns false if another worker has taken over.
func (s *Store) NameReview(ctx context.Context, t domain.Tenant, id string, gen int64, review domain.HostID) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET ext_review_id = $4, ext_review_text = $5, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND gen = $3 AND phase = 'SUBMITTING'`, t.ID, id, gen, numericKey(review), idText(review))
}

// MarkNotesPosted marks the findings whose comments are visible although their publication was abandoned,
// so that later reviews do not repeat them. It locks the pull request's row.
func (s *Store) MarkNotesPosted(ctx context.Context, t domain.Tenant, run Run) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		const visible = `SELECT n.finding_id FROM publication_notes n JOIN publications p ON p.tenant_id = n.tenant_id AND p.id = n.publication_id
			WHERE n.tenant_id = $1 AND p.run_id = $2 AND p.phase = 'ABANDONED' AND n.phase = 'VISIBLE' AND n.finding_id <> ''`
		some, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM (`+visible+`) v`, t.ID, run.ID)
		if err != nil || some == 0 {
			return err
		}
		if _, err := s.PullRequestForUpdate(ctx, t, run.PullRequest); err != nil { // writers of findings lock the pull request first
			return err
		}
		_, err = s.exec(ctx, `UPDATE findings SET posted_run = $2, resolved_run = NULL, updated_us = {now} WHERE tenant_id = $1
			AND id IN (`+visible+`)`, t.ID, run.ID)
		return err
	})
}

// LatestWrite returns the age and outcome of the newest write with w's subject, verb and target. The
// outcome is "" if unknown. It returns [errs.NotFound] if there is no such write.
func (s *Store) LatestWrite(ctx context.Context, t domain.Tenant, w WriteAttempt) (age time.Duration, outcome string, err error) {
	type latest struct {
		us      int64
		outcome string
	}
	l, err := first(ctx, s, s.db.Write, func(r scanner, l *latest) error { return r.Scan(&l.us, &l.outcome) },
		`SELECT {now} - started_us, outcome FROM write_attempts
		WHERE tenant_id = $1 AND subject_kind = $2 AND subject_id = $3 AND verb = $4 AND target = $5 ORDER BY started_us DESC, id DESC LIMIT 1`,
		[]any{t.ID, w.SubjectKind, w.SubjectID, w.Verb, w.Target})
	return time.Duration(l.us) * time.Microsecond, l.outcome, err
}
