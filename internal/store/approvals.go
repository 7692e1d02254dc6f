package store

import (
	"context"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Approval is an output that waits, or waited, for a person's decision. A run has at most one.
type Approval struct {
	Output, Tenant, Repository, Run string
	State                           domain.ApprovalState
	Digest                          string // of the displayed output
	// Draft is JSON to render the output again; "" after the decision, in lists, and for runs of versions that
	// did not store it.
	Draft                  string
	Changeable             bool // there is a draft
	ExpiresUS, CreatedUS   int64
	DecidedUS              int64  // 0 while it waits
	DecidedBy, DecidedName string // our id of the person and the name at that time; "" if no person decided
	How                    string // [domain.ByPage] and the other ways
	Comment                domain.HostID
	Note                   string // text from outside
	Changes                string // JSON of [domain.ApprovalChanges]
	Child                  string // the output with the changes; "" if there are no changes

	Number                 int    // of the pull request
	Title, Author, HeadSHA string // title and author are text from outside
	Owner, Name            string // of the repository
}

const (
	approvalColumns = `a.output_id, a.tenant_id, a.repository_id, a.run_id, a.state, a.digest, a.draft, a.draft <> '', a.expires_us,
		a.created_us, a.decided_us, a.decided_by, a.decided_name, a.how, a.comment, a.note, a.changes, a.child_id,
	r.number, p.title, p.author, r.head_sha, h.owner, h.name`
	approvalRows = ` FROM approvals a JOIN review_runs r ON r.tenant_id = a.tenant_id AND r.id = a.run_id
		JOIN pull_requests p ON p.tenant_id = r.tenant_id AND p.id = r.pull_request_id
		JOIN repositories h ON h.tenant_id = a.tenant_id AND h.id = a.repository_id`
)

func scanApproval(r scanner, v *Approval) error {
	return r.Scan(&v.Output, &v.Tenant, &v.Repository, &v.Run, &v.State, &v.Digest, &v.Draft, &v.Changeable, &v.ExpiresUS,
		&v.CreatedUS, number(&v.DecidedUS), &v.DecidedBy, &v.DecidedName, &v.How, hostID(&v.Comment),
		&v.Note, &v.Changes, text(&v.Child), &v.Number, &v.Title, &v.Author, &v.HeadSHA, &v.Owner, &v.Name)
}

// Place returns the approval's position in the list.
func (v Approval) Place() Cursor { return Cursor{US: v.CreatedUS, ID: v.Output} }

// NewApproval is an output that starts to wait for a decision.
type NewApproval struct {
	Output, Run, Repository, Digest, Draft string
	For                                    time.Duration // how long it waits
}

// CreateApproval makes an output wait for a decision and writes its first transition. Call it in the
// transaction that moves its run.
func (s *Store) CreateApproval(ctx context.Context, t domain.Tenant, v NewApproval) (Approval, error) {
	var out Approval
	err := s.Atomically(ctx, func(ctx context.Context) error {
		made, err := s.exec1(ctx, `INSERT INTO approvals (output_id, tenant_id, repository_id, run_id, state, digest, draft, expires_us,
			created_us)
			SELECT o.id, o.tenant_id, r.repository_id, r.id, 'pending', $5, $6, {now} + $7, {now}
			FROM outputs o JOIN review_runs r ON r.tenant_id = o.tenant_id AND r.id = o.run_id WHERE o.tenant_id = $1 AND o.id = $2
				AND r.id = $3 AND r.repository_id = $4`,
			t.ID, v.Output, v.Run, v.Repository, v.Digest, v.Draft, v.For.Microseconds())
		if err := must1(made, err); err != nil {
			return err
		}
		if err := s.addApprovalStep(ctx, t, v.Run, "", domain.ApprovalPending, "the review is ready"); err != nil {
			return err
		}
		out, err = s.ApprovalOfRun(ctx, t, v.Run)
		return err
	})
	return out, err
}

// ApprovalMove is a transition of a run's output that waits or was approved.
type ApprovalMove struct {
	From, To   domain.ApprovalState
	By, Name   string // the person who decided; both "" if no person did
	How        string // "" if the transition is not a decision
	Comment    domain.HostID
	Note       string // at most 2,000 bytes are kept
	Changes    string // JSON; "" for none
	Child      string
	CauseWords string // shown in the history
}

// MoveApproval makes a transition of a run's output and writes its history row, in the caller's transaction
// or its own. It returns false if the run has no output in state From, and an error for an illegal
// transition. A decision is written once and deletes the draft.
func (s *Store) MoveApproval(ctx context.Context, t domain.Tenant, run string, m ApprovalMove) (moved bool, err error) {
	if !domain.ApprovalMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "An output that waits cannot go from %s to %s.", m.From, m.To)
	}
	if m.Changes == "" {
		m.Changes = "{}"
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if m.From == domain.ApprovalPending {
			moved, err = s.exec1(ctx, `UPDATE approvals SET state = $4, draft = '', decided_us = {now}, decided_by = $5, decided_name = $6,
				how = $7, comment = $8, note = $9, changes = $10, child_id = $11
				WHERE tenant_id = $1 AND run_id = $2 AND state = $3`, t.ID, run, string(m.From), string(m.To), m.By, clip.Bytes(m.Name, 200),
				m.How, string(m.Comment), clip.Bytes(m.Note, 2000), m.Changes, null(m.Child))
		} else {
			moved, err = s.exec1(ctx, `UPDATE approvals SET state = $4 WHERE tenant_id = $1 AND run_id = $2 AND state = $3`, t.ID, run,
				string(m.From), string(m.To))
		}
		if err != nil || !moved {
			return err
		}
		return s.addApprovalStep(ctx, t, run, m.From, m.To, m.CauseWords)
	})
	return moved && err == nil, err
}

func (s *Store) addApprovalStep(ctx context.Context, t domain.Tenant, run string, from, to domain.ApprovalState, cause string) error {
	_, err := s.exec(ctx, `INSERT INTO approval_transitions (output_id, seq, tenant_id, from_state, to_state, cause, at_us)
		SELECT a.output_id, (SELECT COUNT(*) + 1 FROM approval_transitions x WHERE x.output_id = a.output_id), $1, $3, $4, $5, {now}
			FROM approvals a WHERE a.tenant_id = $1 AND a.run_id = $2`,
		t.ID, run, string(from), string(to), clip.Bytes(cause, 500))
	return err
}

// Approval reads an approval by the id of the displayed output.
func (s *Store) Approval(ctx context.Context, t domain.Tenant, output string) (Approval, error) {
	return first(ctx, s, s.db.Write, scanApproval, `SELECT `+approvalColumns+approvalRows+
		` WHERE a.tenant_id = $1 AND a.output_id = $2`, []any{t.ID, output})
}

// ApprovalOfRun reads the approval of a run.
func (s *Store) ApprovalOfRun(ctx context.Context, t domain.Tenant, run string) (Approval, error) {
	return first(ctx, s, s.db.Write, scanApproval, `SELECT `+approvalColumns+approvalRows+` WHERE a.tenant_id = $1 AND a.run_id = $2`,
		[]any{t.ID, run})
}

// ApprovalOfPull reads the newest pending approval of a pull request. It returns [errs.NotFound] if no
// approval is pending.
func (s *Store) ApprovalOfPull(ctx context.Context, t domain.Tenant, pull string) (Approval, error) {
	return first(ctx, s, s.db.Write, scanApproval, `SELECT `+approvalColumns+approvalRows+
		` WHERE a.tenant_id = $1 AND r.pull_request_id = $2 AND a.state = 'pending' ORDER BY a.created_us DESC, a.output_id DESC LIMIT 1`,
		[]any{t.ID, pull})
}

// ApprovalOfComment reads the approval that a comment decided.
func (s *Store) ApprovalOfComment(ctx context.Context, t domain.Tenant, pull string, comment domain.HostID) (Approval, error) {
	return first(ctx, s, s.db.Write, scanApproval, `SELECT `+approvalColumns+approvalRows+
		` WHERE a.tenant_id = $1 AND r.pull_request_id = $2 AND a.comment = $3 AND a.comment <> ''`, []any{t.ID, pull, string(comment)})
}

// Approvals lists approvals without their drafts, newest first. An empty repository or state matches all.
func (s *Store) Approvals(ctx context.Context, t domain.Tenant, repository string, state domain.ApprovalState, before Cursor,
	limit int) ([]Approval, error) {
	return many(ctx, s, scanApproval, `SELECT `+strings.Replace(approvalColumns, "a.draft,", "'',", 1)+approvalRows+
		` WHERE a.tenant_id = $1 AND ($2 = '' OR a.repository_id = $2) AND ($3 = '' OR a.state = $3)
		AND (a.created_us, a.output_id) < ($4, $5) ORDER BY a.created_us DESC, a.output_id DESC LIMIT $6`, t.ID, repository,
		string(state), before.from(), before.ID, limit)
}

// LapsedApprovals lists the runs of all tenants whose approval has expired, at most limit of them, the
// longest expired first.
func (s *Store) LapsedApprovals(ctx context.Context, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE state = 'awaiting_approval'
		AND id IN (SELECT run_id FROM approvals WHERE state = 'pending' AND expires_us <= {now} ORDER BY expires_us LIMIT $1)
			ORDER BY created_us, id`, limit)
}

// OutputToPublish reads the output of a run that assay can publish. For a run with an approval it is the
// approved output, or the output with the reviewer's changes. For any other run it is the newest output. It
// returns [errs.NotFound] if there is no such output.
func (s *Store) OutputToPublish(ctx context.Context, t domain.Tenant, run string) (Output, error) {
	return first(ctx, s, s.db.Write, scanOutput, `SELECT o.id, o.run_id, o.parent_id, o.body, o.digest, o.created_us FROM outputs o
		WHERE o.tenant_id = $1 AND o.run_id = $2
		AND (EXISTS (SELECT 1 FROM approvals a WHERE a.tenant_id = $1 AND a.run_id = $2 AND a.state IN ('approved', 'published')
			AND o.id = COALESCE(a.child_id, a.output_id))
			OR NOT EXISTS (SELECT 1 FROM approvals a WHERE a.tenant_id = $1 AND a.run_id = $2))
		ORDER BY o.created_us DESC, o.id DESC LIMIT 1`, []any{t.ID, run})
}

// Output reads an output.
func (s *Store) Output(ctx context.Context, t domain.Tenant, id string) (Output, error) {
	return first(ctx, s, s.db.Write, scanOutput, `SELECT id, run_id, parent_id, body, digest, created_us FROM outputs
		WHERE tenant_id = $1 AND id = $2`, []any{t.ID, id})
}

// IsHostUser reports whether a person is a user of the access's host, by a sign-in there, by an identity
// provider whose subjects are the host's user ids, or by a link that the person has not refused. If user is "", the
// login name decides. An unconfirmed link counts, because the answer only bars people from deciding on their own
// pull requests.
func (s *Store) IsHostUser(ctx context.Context, t domain.Tenant, access, person string, user domain.HostID, login string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM accesses a JOIN identities i ON i.user_id = $3 WHERE a.tenant_id = $1
		AND a.id = $2 AND (
		i.kind = 'codehost' AND i.issuer = a.host AND (i.subject = $4 OR $4 = '' AND $5 <> '' AND lower(i.login) = lower($5))
		OR i.subject = $4 AND EXISTS (SELECT 1 FROM identity_providers p WHERE `+linkedTo(`i`, `a.host`, `a.tenant_id`)+`))`, t.ID, access,
		person, string(user), login)
	if err != nil || n > 0 {
		return n > 0, err
	}
	n, err = one(ctx, s, value[int64], `SELECT COUNT(*) FROM accesses a JOIN host_account_links i ON `+linkOfAccess+`
		AND i.state <> 'refused' AND i.user_id = $3 WHERE a.tenant_id = $1 AND a.id = $2
		AND (i.subject = $4 OR $4 = '' AND $5 <> '' AND lower(i.login) = lower($5))`, t.ID, access, person, string(user), login)
	return n > 0, err
}

// PersonOfHost finds the person who signed in as a user of the access's host, or who confirmed that they are that
// user. It returns [errs.NotFound] if there is no such person.
func (s *Store) PersonOfHost(ctx context.Context, t domain.Tenant, access string, user domain.HostID) (User, error) {
	return one(ctx, s, scanUser, `SELECT u.id, u.display_name, u.instance_admin FROM users u JOIN identities i ON i.user_id = u.id
		AND i.kind = 'codehost' AND i.subject = $3
		JOIN accesses a ON a.host = i.issuer WHERE a.tenant_id = $1 AND a.id = $2
		UNION SELECT u.id, u.display_name, u.instance_admin FROM accesses a JOIN host_account_links i ON `+linkedByHand+`
		JOIN users u ON u.id = i.user_id WHERE a.tenant_id = $1 AND a.id = $2 AND i.subject = $3`, t.ID, access, string(user))
}

// UserOfPerson returns the id of the user that a person of a code host has signed in as since; else person itself.
func UserOfPerson(ctx context.Context, s *Store, t domain.Tenant, person string) (string, error) {
	access, id, is := domain.ParseHostPerson(person)
	if !is {
		return person, nil
	}
	user, err := s.PersonOfHost(ctx, t, access, id)
	if isAbsent(err) {
		return person, nil
	}
	return user.ID, err
}
