package tickets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Kinds returns the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindTicketWrite: {Run: s.Write}, domain.KindTicketRead: {Run: s.ReadNow}}
}

// Published schedules writes at the issues of a pull request after its review was published, for
// connections that want them. It may be repeated for the same run.
func (s *Service) Published(ctx context.Context, t domain.Tenant, run store.Run) error {
	links, err := s.Store.TrackerLinksOf(ctx, t, run.PullRequest)
	if err != nil || len(links) == 0 {
		return err
	}
	all, err := s.connections(ctx, t)
	if err != nil {
		return err
	}
	for _, l := range links {
		c, ok := byID(all, l.Connection)
		if !ok || l.KeyOnly || l.ReadUS == 0 || !c.mapping.writes() {
			continue
		}
		if _, err := s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindTicketWrite, FairKey: t.ID, Subject: l.ID, Tenant: t.ID,
			Dedup: string(domain.KindTicketWrite) + ":" + l.ID + ":" + run.ID}); err != nil {
			return err
		}
	}
	return nil
}

func (m mapping) writes() bool { return m.LinkBack == linkBackComment || m.LinkBack == linkBackLink }

// Names in the intent log, and bounds of writes.
const (
	subjectTicket = "ticket" // its id is [writing.subject]
	verbComment   = "put_comment"
	verbLink      = "put_link"

	writeTime       = 2 * time.Minute
	maxLostComments = 2   // comments that were sent and did not appear
	maxTitleAt      = 200 // characters of a pull request's title at an issue
)

// Write tells an issue which pull request belongs to it, by one comment that is edited in place or by one
// link, as its connection is set.
func (s *Service) Write(ctx context.Context, c *jobs.Claim) error {
	link, err := s.Store.TrackerLinkForWork(ctx, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil // the pull request does not name the issue any more
	}
	if err != nil || link.RemovedUS != 0 || link.KeyOnly {
		return err
	}
	c.Stage("write", writeTime)
	w, ok, err := s.writing(ctx, c, link)
	if err != nil || !ok {
		return jobs.Waiting(err)
	}
	if w.connection.mapping.LinkBack == linkBackLink {
		err = w.link(ctx)
	} else {
		err = w.comment(ctx)
	}
	return jobs.Waiting(asHostError(err))
}

// writing is one attempt at a write at an issue.
type writing struct {
	*Service
	claim      *jobs.Claim
	row        store.TrackerLink
	tenant     domain.Tenant
	connection connection
	tracker    tracker.Tracker
	name, url  string // of the pull request
	title      string
}

// writing opens what an attempt needs. ok is false if nothing is to be written any more.
func (s *Service) writing(ctx context.Context, c *jobs.Claim, link store.TrackerLink) (w *writing, ok bool, err error) {
	t := domain.Tenant{ID: link.Tenant}
	repository, err := s.Store.Repository(ctx, t, link.Repository)
	if err != nil || repository.State != "active" {
		return nil, false, err
	}
	all, err := s.connections(ctx, t)
	if err != nil {
		return nil, false, err
	}
	con, known := byID(all, link.Connection)
	if !known || !con.mapping.writes() {
		return nil, false, nil
	}
	host, repo, err := s.Hosts.Repository(ctx, repository)
	if err == nil {
		repository, err = policy.Visible(ctx, s.Store, host, repo, repository)
	}
	if codehost.IsAccessLost(err) || err == nil && KeyOnly(Audience{Public: repository.Open()}, con.mapping.AllowOnPublic) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	pr, err := host.PullRequest(ctx, repo, link.Number)
	if codehost.IsAccessLost(err) || err == nil && !markdown.Linkable(pr.URL) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	tr, err := s.open(ctx, t, con.TrackerConnection)
	return &writing{Service: s, claim: c, row: link, tenant: t, connection: con, tracker: tr, url: pr.URL, title: s.Scan(pr.Title),
		name: fmt.Sprintf("%s/%s#%d", repository.Owner, repository.Name, link.Number)}, err == nil, asHostError(err)
}

// marker identifies our comments and links for a pull request. It stays the same if the link is removed and
// found again.
func (w *writing) marker() string { return "assay-" + w.row.PullRequest }

// subject names the issue in the log of intents. Like the marker, it stays the same if the link is removed
// and found again, so that earlier writes are remembered.
func (w *writing) subject() string {
	return strings.Join([]string{w.row.PullRequest, w.row.Connection, w.row.IssueKey}, "/")
}

// text returns the text at the issue: the pull request with its title.
func (w *writing) text() string {
	t := markdown.Link(markdown.Line(w.name, 300), w.url)
	if title := markdown.Line(w.title, maxTitleAt); !title.Empty() {
		t = markdown.Format("%s: %s", t, title)
	}
	return t.String()
}

func digestOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// link links the issue to the pull request. The tracker treats a repeated link as the same link.
func (w *writing) link(ctx context.Context) error {
	l := tracker.Link{ID: w.marker(), URL: w.url, Title: w.name + ": " + w.title}
	digest := digestOf(linkBackLink, l.URL, l.Title)
	if w.row.Written == digest {
		return nil
	}
	err := w.write(ctx, verbLink, 1<<30, func(ctx context.Context) error { return w.tracker.PutLink(ctx, w.row.IssueKey, l) })
	return w.recordWrite(ctx, w.row.CommentID, digest, err)
}

// comment writes the comment, or edits the existing one.
func (w *writing) comment(ctx context.Context) error {
	text := w.text()
	digest := digestOf(linkBackComment, text)
	if w.row.Written == digest {
		return nil
	}
	id, most := w.row.CommentID, 1<<30
	if id == "" {
		seen, err := w.findComment(ctx)
		if err != nil {
			return err
		}
		if seen.deleted {
			return w.recordWrite(ctx, "", digest, nil)
		}
		id, most = seen.id, seen.prior
	}
	edits := id != ""
	err := w.write(ctx, verbComment, most, func(ctx context.Context) (err error) {
		id, err = w.tracker.PutComment(ctx, w.row.IssueKey, id, text, w.marker())
		return err
	})
	if edits && tracker.ClassOf(err) == tracker.ClassNotFound {
		err = nil // a person deleted the comment; it is not written again
	}
	return w.recordWrite(ctx, id, digest, err)
}

// foundComment is the result of a search for our comment.
type foundComment struct {
	id      string // "" if it was not found
	prior   int    // how many may have been written
	deleted bool   // one was written, and a person deleted it
}

// findComment searches for our comment before one is written, because the answer to an earlier write or the row
// that recorded it may have been lost.
func (w *writing) findComment(ctx context.Context) (out foundComment, err error) {
	prior, age, err := w.Store.PriorWrites(ctx, w.tenant, subjectTicket, w.subject(), verbComment)
	if err != nil {
		return foundComment{}, err
	}
	id, sure, err := w.tracker.FindComment(ctx, w.row.IssueKey, w.marker())
	if out = (foundComment{id: id, prior: prior}); err != nil || id != "" || prior == 0 {
		return out, err
	}
	switch {
	case !sure:
		return out, &jobs.Fatal{Err: errors.New("a comment may have been written before, and the issue has more comments than can be " +
			"searched for it: it is not written again")}
	case age < codehost.ListLag:
		return out, &jobs.Snooze{For: codehost.ListLag - age, Why: "a comment may have been written a moment ago, and the tracker's " +
			"list may not show it yet"}
	}
	if out.deleted, err = w.wasAccepted(ctx); err == nil && !out.deleted && prior >= maxLostComments {
		err = &jobs.Fatal{Err: fmt.Errorf("the tracker took %d comments and shows none", prior)}
	}
	return out, err
}

// wasAccepted reports whether the tracker confirmed that it accepted our comment.
func (w *writing) wasAccepted(ctx context.Context) (bool, error) {
	all, err := w.Store.Writes(ctx, w.tenant, subjectTicket, w.subject())
	return slices.ContainsFunc(all, func(a store.WriteAttempt) bool { return a.Verb == verbComment && a.Outcome == "ok" }), err
}

// write records the intent and then sends the write. If another worker has sent a write since the search,
// this one searches again later.
func (w *writing) write(ctx context.Context, verb string, prior int, send func(context.Context) error) error {
	intent := store.WriteAttempt{SubjectKind: subjectTicket, SubjectID: w.subject(), Verb: verb, Target: w.row.IssueKey}
	return w.claim.WriteAs(ctx, intent, func(ctx context.Context, a store.WriteAttempt) (string, error) {
		id, held, err := w.Store.BeginTicketWrite(ctx, w.tenant, w.row.ID, a, prior)
		if err == nil && !held {
			err = &jobs.Snooze{For: writeTime, Why: "another worker writes at the issue"}
		}
		return id, err
	}, func(ctx context.Context) error { return asHostError(send(ctx)) })
}

// recordWrite records what was written.
func (w *writing) recordWrite(ctx context.Context, comment, digest string, err error) error {
	if err != nil {
		return err
	}
	err = w.Store.SetTicketComment(ctx, w.tenant, w.row.ID, comment, digest)
	if errs.Is(err, errs.NotFound) { // the link was removed meanwhile; its marker will find the write again
		return nil
	}
	return err
}

// asHostError converts an error of a tracker into the class of the same name of code hosts, because jobs
// decide by these classes whether to wait. A final refusal becomes [jobs.Fatal].
func asHostError(err error) error {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok {
		return err
	}
	out := &codehost.Error{Class: codehost.Class(e.Class), Op: e.Op, Status: e.Status, RetryAfter: e.RetryAfter,
		RequestID: e.RequestID, Cause: err}
	switch e.Class {
	case tracker.ClassForbidden, tracker.ClassInvalid, tracker.ClassTooLarge, tracker.ClassNotFound:
		return &jobs.Fatal{Err: out}
	}
	return out
}
