package store

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// TrackerLink ties a pull request to an issue. Title, type and state are text from
// outside.
type TrackerLink struct {
	Record
	PullRequest string
	Number      int
	Tracker     string // jira, linear or azure-boards
	IssueKey    string
	Title       string
	URL         string
	State       string // as the tracker names it
	FoundIn     string // person, tracker, host, branch, title, body or commit
	Connection  string // through which the issue is read; "" for rows of earlier versions. It may be gone
	KeyOnly     bool   // nothing but the key may be known; title, address, type and state are empty. See [TrackerLink.Looked]
	Type        string // as the tracker names it
	Done        bool
	Unread      string // why the last reading failed, one sentence; "" where it did not
	ReadUS      int64  // when the issue was read last; 0: never
	AddedBy     string // the person who said so; "" where it was found
	RemovedBy   string // the person who said that it is none
	RemovedUS   int64  // 0: it holds
	Judged      string // digest of the criteria that were judged last
	CommentID   string // of our comment at the issue
	Written     string // digest of what was written at the issue last
	Wanted      string // digest of the criteria as an edit left them last; "" where none was seen
	WantedSeq   int64  // rises with each edit
	Recheck     string // why the last edit was not judged, one sentence; "" where it was, or there was none
	Stranger    bool   // a fork by somebody who is no member names the issue
}

// Looked reports whether it was looked at what may be known of the issue. Before that,
// nothing is.
func (v TrackerLink) Looked() bool { return v.KeyOnly || v.ReadUS != 0 || v.Unread != "" }

func (v *TrackerLink) table() (string, string, []string, []any) {
	return "tracker_links", "tlk", []string{"pull_request_id", "number", "tracker", "issue_key", "title", "url", "state", "found_in", "connection_id", "key_only", "issue_type", "done", "unread", "read_us",
			"added_by", "removed_by", "removed_us", "judged", "comment_id", "written", "wanted", "wanted_seq", "recheck", "stranger"},
		[]any{&v.PullRequest, &v.Number, &v.Tracker, &v.IssueKey, &v.Title, &v.URL, &v.State, &v.FoundIn, &v.Connection, &v.KeyOnly, &v.Type, &v.Done, &v.Unread, &v.ReadUS,
			&v.AddedBy, &v.RemovedBy, &v.RemovedUS, &v.Judged, &v.CommentID, &v.Written, &v.Wanted, &v.WantedSeq, &v.Recheck, &v.Stranger}
}

func selectTrackerLink() string {
	name, _, columns, _ := new(TrackerLink).table()
	return `SELECT ` + recordColumns + `, ` + strings.Join(columns, ", ") + ` FROM ` + name
}

// AddTrackerLink stores one. [errs.NotFound]: the repository, or what it names, is not
// the tenant's; [errs.Conflict]: the pull request has it already.
func (s *Store) AddTrackerLink(ctx context.Context, t domain.Tenant, v TrackerLink) (TrackerLink, error) {
	return addRecord(ctx, s, t, v)
}

// TrackerLinks lists those of a repository that hold, newest first.
func (s *Store) TrackerLinks(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND repository_id = $2 AND removed_us = 0
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, repository, before.from(), before.ID, limit)
}

// TrackerLink reads a link of a repository that holds.
func (s *Store) TrackerLink(ctx context.Context, t domain.Tenant, repository, id string) (TrackerLink, error) {
	return one(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND removed_us = 0`, t.ID, repository, id)
}

// TrackerLinkForWork reads a link by its id alone: for jobs, whose subject it is.
func (s *Store) TrackerLinkForWork(ctx context.Context, id string) (TrackerLink, error) {
	return first(ctx, s, s.db.Write, scanRecord[TrackerLink], selectTrackerLink()+` WHERE id = $1`, []any{id})
}

// maxPullLinks bounds the links of a pull request that are read: those that hold, and
// those that people removed (design choice).
const maxPullLinks = 200

// TrackerLinksOf lists the links of a pull request that hold, the oldest first.
func (s *Store) TrackerLinksOf(ctx context.Context, t domain.Tenant, pull string) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND pull_request_id = $2 AND removed_us = 0 ORDER BY created_us, id LIMIT $3`, t.ID, pull, maxPullLinks)
}

// maxIssuePulls is how many pull requests of an issue [Store.TrackerLinksTo] lists.
const maxIssuePulls = 50

// TrackerLinksTo lists the links that hold of open pull requests to an issue, the
// newest first, at most [maxIssuePulls].
func (s *Store) TrackerLinksTo(ctx context.Context, t domain.Tenant, connection, key string) ([]TrackerLink, error) {
	return many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND connection_id = $2 AND issue_key = $3 AND removed_us = 0
		AND EXISTS (SELECT 1 FROM pull_requests p WHERE p.tenant_id = $1 AND p.id = tracker_links.pull_request_id AND p.state = 'open') ORDER BY created_us DESC, id DESC LIMIT $4`,
		t.ID, connection, key, maxIssuePulls)
}

// FoundLink is an issue that was found on a pull request.
type FoundLink struct{ Connection, Tracker, IssueKey, FoundIn string }

// SeeTrackerLinks makes the links of a pull request those that were found, beside what
// people said: what they removed is not found again, what they added stays, and what is
// found no more goes. It returns those that hold, the oldest first.
func (s *Store) SeeTrackerLinks(ctx context.Context, t domain.Tenant, pull string, found []FoundLink) (out []TrackerLink, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		p, err := s.PullRequestForUpdate(ctx, t, pull)
		if err != nil {
			return err
		}
		there, err := many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND pull_request_id = $2 ORDER BY created_us, id LIMIT $3`, t.ID, pull, maxPullLinks)
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
				_, err = s.exec(ctx, `UPDATE tracker_links SET found_in = $3, connection_id = $4 WHERE tenant_id = $1 AND id = $2`, t.ID, l.ID, found[at].FoundIn, found[at].Connection)
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
			if _, err := s.AddTrackerLink(ctx, t, TrackerLink{Record: Record{Repository: p.Repository}, PullRequest: pull, Number: p.Number, Tracker: f.Tracker, IssueKey: f.IssueKey, FoundIn: f.FoundIn,
				Connection: f.Connection}); err != nil {
				return err
			}
		}
		out, err = s.TrackerLinksOf(ctx, t, pull)
		return err
	})
	return out, err
}

// forgetIssue empties what is known of the issue of a link that is another site's now.
func (s *Store) forgetIssue(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, title = '', url = '', state = '', issue_type = '', done = $3, unread = '', read_us = 0, judged = '',
		wanted = '', wanted_seq = wanted_seq + 1, recheck = '', stranger = $3, comment_id = '', written = ''
		WHERE tenant_id = $1 AND id = $2`, t.ID, id, false))
}

// SayTrackerLink stores what a person says: that a pull request belongs to an issue. It
// stays until somebody removes it. A link that was found becomes the person's, one that
// was removed is there again. Nobody has looked at a new one. [errs.NotFound]: the pull
// request is not the tenant's.
func (s *Store) SayTrackerLink(ctx context.Context, t domain.Tenant, pull, person string, f FoundLink) (out TrackerLink, err error) {
	name, prefix, columns, _ := new(TrackerLink).table()
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, pull); err != nil {
			return err
		}
		there, err := many(ctx, s, scanRecord[TrackerLink], selectTrackerLink()+` WHERE tenant_id = $1 AND pull_request_id = $2 AND tracker = $3 AND issue_key = $4`, t.ID, pull, f.Tracker, f.IssueKey)
		if err == nil && len(there) == 1 && there[0].Connection != f.Connection {
			err = s.forgetIssue(ctx, t, there[0].ID)
		}
		if err != nil {
			return err
		}
		out, err = returning(ctx, s, scanRecord[TrackerLink], `INSERT INTO `+name+` (id, tenant_id, repository_id, pull_request_id, number, tracker, issue_key, title, url, state, found_in, connection_id, key_only, added_by, created_us)
			SELECT $3, p.tenant_id, p.repository_id, p.id, p.number, $4, $5, '', '', '', $6, $7, $8, $9, {now} FROM pull_requests p WHERE p.tenant_id = $1 AND p.id = $2
			ON CONFLICT (tenant_id, pull_request_id, tracker, issue_key) DO UPDATE SET found_in = excluded.found_in, connection_id = excluded.connection_id, added_by = excluded.added_by, removed_by = '', removed_us = 0
			RETURNING `+recordColumns+`, `+strings.Join(columns, ", "), t.ID, pull, domain.NewID(prefix), f.Tracker, f.IssueKey, f.FoundIn, f.Connection, false, person)
		return err
	})
	return out, err
}

// RemoveTrackerLink notes that a person says of a link that it is none. What was read
// of the issue goes, and what was said of its criteria.
func (s *Store) RemoveTrackerLink(ctx context.Context, t domain.Tenant, repository, id, person string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		l, err := s.TrackerLink(ctx, t, repository, id)
		if err != nil {
			return err
		}
		err = must1(s.exec1(ctx, `UPDATE tracker_links SET removed_us = {now}, removed_by = $4, added_by = '', key_only = $5, title = '', url = '', state = '', issue_type = '', done = $5, unread = '', read_us = 0, judged = '',
			wanted = '', wanted_seq = wanted_seq + 1, recheck = '', stranger = $5
			WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND removed_us = 0`, t.ID, repository, id, person, false))
		if err != nil {
			return err
		}
		return s.DropACChecks(ctx, t, l)
	})
}

// ReadTrackerLink keeps what was read of the issue of a link, or that nothing may be:
// of a link that has only its key the rest is emptied. An issue that could not be read
// keeps what was read of it before.
func (s *Store) ReadTrackerLink(ctx context.Context, t domain.Tenant, v TrackerLink) error {
	if v.KeyOnly {
		return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, title = '', url = '', state = '', issue_type = '', done = $4, unread = '', read_us = 0, judged = '', wanted = '', wanted_seq = wanted_seq + 1, recheck = '', stranger = $5
			WHERE tenant_id = $1 AND id = $2`, t.ID, v.ID, true, false, v.Stranger))
	}
	if v.Unread != "" {
		return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, unread = $4, stranger = $5 WHERE tenant_id = $1 AND id = $2`, t.ID, v.ID, false, clip.Bytes(v.Unread, 500), v.Stranger))
	}
	return must1(s.exec1(ctx, `UPDATE tracker_links SET key_only = $3, title = $4, url = $5, state = $6, issue_type = $7, done = $8, unread = '', read_us = {now}, stranger = $9 WHERE tenant_id = $1 AND id = $2`,
		t.ID, v.ID, false, clip.Bytes(v.Title, 2000), clip.Bytes(v.URL, 2000), clip.Bytes(v.State, 200), clip.Bytes(v.Type, 200), v.Done, v.Stranger))
}

// JudgedTrackerLink keeps the digest of the criteria that were judged.
func (s *Store) JudgedTrackerLink(ctx context.Context, t domain.Tenant, id, digest string) error {
	return must1(s.exec1(ctx, `UPDATE tracker_links SET judged = $3 WHERE tenant_id = $1 AND id = $2`, t.ID, id, digest))
}

// WrittenTrackerLink keeps what was written at the issue of a link: the id of our
// comment ("" for none) and the digest of the text.
func (s *Store) WrittenTrackerLink(ctx context.Context, t domain.Tenant, id, comment, digest string) error {
	if len(comment) > maxCommentID {
		return errs.New(errs.Invalid, "comment_id", "The id of a comment has more than %d bytes.", maxCommentID)
	}
	return must1(s.exec1(ctx, `UPDATE tracker_links SET comment_id = $3, written = $4 WHERE tenant_id = $1 AND id = $2`, t.ID, id, comment, digest))
}

// maxCommentID bounds ids of comments that are kept; those of the trackers have at
// most 36 bytes.
const maxCommentID = 200

// BeginTicketWrite commits the intent of a write at the issue of a link that holds
// before it is sent, unless more than prior writes of its verb may have been applied: of
// two workers that both saw prior, one may go on, be it for another row of the same link.
// [errs.NotFound]: the link went.
func (s *Store) BeginTicketWrite(ctx context.Context, t domain.Tenant, link string, w WriteAttempt, prior int) (id string, held bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		pull, err := first(ctx, s, s.db.Write, value[string], `SELECT pull_request_id FROM tracker_links WHERE tenant_id = $1 AND id = $2 AND removed_us = 0`, []any{t.ID, link})
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
