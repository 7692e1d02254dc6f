package store

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// TrackerLink links a pull request to an issue. Title, Type and State are text from outside.
type TrackerLink struct {
	Record
	PullRequest string
	Number      int
	Tracker     string // jira, linear, azure-boards, or the kind of the code host
	IssueKey    string
	Title       string
	URL         string
	State       string // in the tracker's words
	FoundIn     string // person, tracker, host, branch, title, body or commit
	Connection  string // for reading the issue, possibly deleted; host for the code host; "" for rows of earlier versions
	KeyOnly     bool   // only the key may be stored; title, address, type and state are empty. See [TrackerLink.Looked]
	Type        string // in the tracker's words
	Done        bool
	Unread      string // why the last read failed, one sentence; "" if it succeeded
	ReadUS      int64  // when the issue was last read; 0 for never
	AddedBy     string // the person who added it; "" if it was found
	RemovedBy   string // the person who removed it
	RemovedUS   int64  // 0 if it is valid
	Judged      string // digest of the last judged criteria
	CommentID   string // of assay's comment on the issue
	Written     string // digest of the last text written to the issue
	Wanted      string // digest of the criteria after the last edit; "" before the first
	WantedSeq   int64  // grows with each edit
	Recheck     string // why the last edit was not judged, one sentence; "" if it was, or before the first edit
	Stranger    bool   // the issue is named by a fork whose author is not a member
}

// Looked reports whether the issue's visibility has been checked. Before that nothing about the issue may
// be shown.
func (v TrackerLink) Looked() bool { return v.KeyOnly || v.ReadUS != 0 || v.Unread != "" }

func (v *TrackerLink) table() (string, string, []string, []any) {
	return "tracker_links", "tlk", []string{"pull_request_id", "number", "tracker", "issue_key", "title", "url", "state", "found_in",
			"connection_id", "key_only", "issue_type", "done", "unread", "read_us",
			"added_by", "removed_by", "removed_us", "judged", "comment_id", "written", "wanted", "wanted_seq", "recheck", "stranger"},
		[]any{&v.PullRequest, &v.Number, &v.Tracker, &v.IssueKey, &v.Title, &v.URL, &v.State, &v.FoundIn, &v.Connection, &v.KeyOnly,
			&v.Type, &v.Done, &v.Unread, &v.ReadUS,
			&v.AddedBy, &v.RemovedBy, &v.RemovedUS, &v.Judged, &v.CommentID, &v.Written, &v.Wanted, &v.WantedSeq, &v.Recheck, &v.Stranger}
}

func selectTrackerLink() string {
	name, _, columns, _ := new(TrackerLink).table()
	return `SELECT ` + recordColumns + `, ` + strings.Join(columns, ", ") + ` FROM ` + name
}

// AddTrackerLink stores a link. It returns [errs.NotFound] if the repository or pull request does not
// belong to the tenant, and [errs.Conflict] if the pull request has the link.
func (s *Store) AddTrackerLink(ctx context.Context, t domain.Tenant, v TrackerLink) (TrackerLink, error) {
	return AddRecord(ctx, s, t, v)
}

// TrackerLinks lists the valid links of a repository, newest first.
func (s *Store) TrackerLinks(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND repository_id = $2 AND removed_us = 0
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, repository, before.from(), before.ID, limit)
}

// TrackerLink reads a valid link of a repository.
func (s *Store) TrackerLink(ctx context.Context, t domain.Tenant, repository, id string) (TrackerLink, error) {
	return one(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+
		` WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND removed_us = 0`, t.ID, repository, id)
}

// TrackerLinkForWork reads a link of any tenant by its id, for its job.
func (s *Store) TrackerLinkForWork(ctx context.Context, id string) (TrackerLink, error) {
	return first(ctx, s, s.db.Write, scanRecord[TrackerLink], selectTrackerLink()+` WHERE id = $1`, []any{id})
}

// maxPullLinks is the maximum number of links that are read for a pull request, valid and removed ones
// together (design choice).
const maxPullLinks = 200

// TrackerLinksOf lists the valid links of a pull request, oldest first.
func (s *Store) TrackerLinksOf(ctx context.Context, t domain.Tenant, pull string) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+
		` WHERE tenant_id = $1 AND pull_request_id = $2 AND removed_us = 0 ORDER BY created_us, id LIMIT $3`, t.ID, pull, maxPullLinks)
}

// maxIssuePulls is the maximum number of links in [Store.TrackerLinksTo].
const maxIssuePulls = 50

// TrackerLinksTo lists the valid links of open pull requests to an issue, newest first, at most
// [maxIssuePulls].
func (s *Store) TrackerLinksTo(ctx context.Context, t domain.Tenant, connection, key string) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+
		` WHERE tenant_id = $1 AND connection_id = $2 AND issue_key = $3 AND removed_us = 0
		AND EXISTS (SELECT 1 FROM pull_requests p WHERE p.tenant_id = $1 AND p.id = tracker_links.pull_request_id AND p.state = 'open')
			ORDER BY created_us DESC, id DESC LIMIT $4`,
		t.ID, connection, key, maxIssuePulls)
}

// FoundLink is an issue that was found on a pull request.
type FoundLink struct{ Connection, Tracker, IssueKey, FoundIn string }

// ReplaceFoundLinks replaces the found links of a pull request and returns the valid links, oldest first.
// Links that people added stay, and links that people removed are not added again.
func (s *Store) ReplaceFoundLinks(ctx context.Context, t domain.Tenant, pull string, found []FoundLink) (out []TrackerLink, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		p, err := s.PullRequestForUpdate(ctx, t, pull)
		if err != nil {
			return err
		}
		there, err := many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+
			` WHERE tenant_id = $1 AND pull_request_id = $2 ORDER BY created_us, id LIMIT $3`, t.ID, pull, maxPullLinks)
		if err != nil {
			return err
		}
		for _, l := range there {
			at := slices.IndexFunc(found, func(f FoundLink) bool { return f.Tracker == l.Tracker && f.IssueKey == l.IssueKey })
			switch {
			case l.RemovedUS != 0 || l.AddedBy != "":
			case at < 0:
				if err = s.DropACChecks(ctx, t, l); err == nil {
					_, err = s.exec(ctx, `DELETE FROM tracker_links WHERE tenant_id = $1 AND id = $2 AND removed_us = 0 AND added_by = ''`, t.ID, l.ID)
				}
			case found[at].FoundIn != l.FoundIn || found[at].Connection != l.Connection:
				_, err = s.exec(ctx, `UPDATE tracker_links SET found_in = $3, connection_id = $4 WHERE tenant_id = $1 AND id = $2`, t.ID, l.ID,
					found[at].FoundIn, found[at].Connection)
				if err == nil && l.Connection != found[at].Connection {
					if err = s.DropACChecks(ctx, t, l); err == nil {
						err = s.forgetIssue(ctx, t, l.ID)
					}
				}
			}
			if err != nil {
				return err
			}
		}
		for i, f := range found {
			if slices.ContainsFunc(there, func(l TrackerLink) bool { return f.Tracker == l.Tracker && f.IssueKey == l.IssueKey }) ||
				slices.ContainsFunc(found[:i], func(e FoundLink) bool { return f.Tracker == e.Tracker && f.IssueKey == e.IssueKey }) {
				continue
			}
			if _, err := s.AddTrackerLink(ctx, t, TrackerLink{Record: Record{Repository: p.Repository}, PullRequest: pull, Number: p.Number,
				Tracker: f.Tracker, IssueKey: f.IssueKey, FoundIn: f.FoundIn,
				Connection: f.Connection}); err != nil {
				return err
			}
		}
		out, err = s.TrackerLinksOf(ctx, t, pull)
		return err
	})
	return out, err
}

// forgetIssue clears the issue's data in a link that moves to another connection.
func (s *Store) forgetIssue(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, title = '', url = '', state = '', issue_type = '', done = $3,
		unread = '', read_us = 0, judged = '',
		wanted = '', wanted_seq = wanted_seq + 1, recheck = '', stranger = $3, comment_id = '', written = ''
		WHERE tenant_id = $1 AND id = $2`, t.ID, id, false))
}

// AddTrackerLinkByPerson stores a person's statement that a pull request belongs to an issue. It takes over a found
// link and restores a removed one. The link stays until a person removes it. The issue of a new link has
// not been read yet. It returns [errs.NotFound] if the pull request does not belong to the tenant.
func (s *Store) AddTrackerLinkByPerson(ctx context.Context, t domain.Tenant, pull, person string,
	f FoundLink) (out TrackerLink, err error) {
	name, prefix, columns, _ := new(TrackerLink).table()
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, pull); err != nil {
			return err
		}
		there, err := many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+
			` WHERE tenant_id = $1 AND pull_request_id = $2 AND tracker = $3 AND issue_key = $4`, t.ID, pull, f.Tracker, f.IssueKey)
		if err == nil && len(there) == 1 && there[0].Connection != f.Connection {
			err = s.forgetIssue(ctx, t, there[0].ID)
		}
		if err != nil {
			return err
		}
		out, err = returning(ctx, s, scanRecord[TrackerLink], `INSERT INTO `+name+
			` (id, tenant_id, repository_id, pull_request_id, number, tracker, issue_key, title, url, state, found_in, connection_id,
				key_only, added_by, created_us)
			SELECT $3, p.tenant_id, p.repository_id, p.id, p.number, $4, $5, '', '', '', $6, $7, $8, $9, {now} FROM pull_requests p
				WHERE p.tenant_id = $1 AND p.id = $2
			ON CONFLICT (tenant_id, pull_request_id, tracker, issue_key) DO UPDATE
				SET found_in = excluded.found_in, connection_id = excluded.connection_id, added_by = excluded.added_by, removed_by = '', removed_us = 0
			RETURNING `+recordColumns+`, `+strings.Join(columns, ", "), t.ID, pull, domain.NewID(prefix), f.Tracker, f.IssueKey, f.FoundIn,
			f.Connection, false, person)
		return err
	})
	return out, err
}

// RemoveTrackerLink records that a person removed a link. It deletes the issue's data and the checks of its
// criteria.
func (s *Store) RemoveTrackerLink(ctx context.Context, t domain.Tenant, repository, id, person string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		l, err := s.TrackerLink(ctx, t, repository, id)
		if err != nil {
			return err
		}
		err = must1(s.exec1(ctx, `UPDATE tracker_links SET removed_us = {now}, removed_by = $4, added_by = '', key_only = $5, title = '',
			url = '', state = '', issue_type = '', done = $5, unread = '', read_us = 0, judged = '',
			wanted = '', wanted_seq = wanted_seq + 1, recheck = '', stranger = $5
			WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND removed_us = 0`, t.ID, repository, id, person, false))
		if err != nil {
			return err
		}
		return s.DropACChecks(ctx, t, l)
	})
}

// SetTicketFacts stores the result of reading a link's issue. If only the key may be stored, it clears the
// rest. If the issue could not be read, it stores the reason and keeps the former data.
func (s *Store) SetTicketFacts(ctx context.Context, t domain.Tenant, v TrackerLink) error {
	if v.KeyOnly {
		return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, title = '', url = '', state = '', issue_type = '', done = $4,
			unread = '', read_us = 0, judged = '', wanted = '', wanted_seq = wanted_seq + 1, recheck = '', stranger = $5
			WHERE tenant_id = $1 AND id = $2`, t.ID, v.ID, true, false, v.Stranger))
	}
	if v.Unread != "" {
		return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, unread = $4, stranger = $5 WHERE tenant_id = $1 AND id = $2`,
			t.ID, v.ID, false, clip.Bytes(v.Unread, 500), v.Stranger))
	}
	return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, title = $4, url = $5, state = $6, issue_type = $7, done = $8,
		unread = '', read_us = {now}, stranger = $9 WHERE tenant_id = $1 AND id = $2`,
		t.ID, v.ID, false, clip.Bytes(v.Title, 2000), clip.Bytes(v.URL, 2000), clip.Bytes(v.State, 200), clip.Bytes(v.Type, 200), v.Done,
		v.Stranger))
}

// SetJudgedCriteria stores the digest of the judged criteria.
func (s *Store) SetJudgedCriteria(ctx context.Context, t domain.Tenant, id, digest string) error {
	return must1(s.exec1(ctx, `UPDATE tracker_links SET judged = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, id, digest))
}

// SetTicketComment stores the id of assay's comment on a link's issue, "" for none, and the digest of the
// text.
func (s *Store) SetTicketComment(ctx context.Context, t domain.Tenant, id, comment, digest string) error {
	if len(comment) > maxCommentID {
		return errs.New(errs.Invalid, "comment_id", "The id of a comment has more than %d bytes.", maxCommentID)
	}
	return must1(s.exec1(ctx, `UPDATE tracker_links SET comment_id = $3, written = $4 WHERE tenant_id = $1 AND id = $2`, t.ID, id,
		comment, digest))
}

// maxCommentID is the maximum length of a stored comment id in bytes. The trackers' ids have at most 36
// bytes.
const maxCommentID = 200

// BeginTicketWrite stores the intent of a write to the issue of a valid link before it is sent. It returns
// held false if more than prior writes of its verb can have been applied, so that of two workers that both
// saw prior only one continues, even if they use different rows of the same link. It returns
// [errs.NotFound] if the link is gone.
func (s *Store) BeginTicketWrite(ctx context.Context, t domain.Tenant, link string, w WriteAttempt,
	prior int) (id string, held bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		pull, err := first(ctx, s, s.db.Write, value[string], `SELECT pull_request_id FROM tracker_links WHERE tenant_id = $1 AND id = $2
			AND removed_us = 0`, []any{t.ID, link})
		if err != nil {
			return err
		}
		if _, err := s.PullRequestForUpdate(ctx, t, pull); err != nil {
			return err
		}
		n, _, err := s.PriorWrites(ctx, t, w.SubjectKind, w.SubjectID, w.Verb)
		if err != nil || n > prior {
			return err
		}
		id, held, err = s.BeginWrite(ctx, t, w)
		return err
	})
	return id, held && err == nil, err
}
