package tickets

import (
	"context"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// criteriaDigest returns a digest of the ids of criteria, in their order.
func criteriaDigest(criteria []domain.Criterion) string {
	ids := make([]string, len(criteria))
	for i, c := range criteria {
		ids[i] = c.ID
	}
	return digestOf(ids...)
}

// scheduleRecheck schedules a new verdict on the criteria of an issue if the last edit changed them. The job waits
// until the criteria have stayed unchanged for [Config.RecheckAfter].
func (s *Service) scheduleRecheck(ctx context.Context, t domain.Tenant, l store.TrackerLink, criteria []domain.Criterion) error {
	digest := criteriaDigest(criteria)
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		seq, changed, err := s.Store.WantRecheck(ctx, t, l.ID, digest)
		if err != nil || !changed || l.Judged == digest {
			return err
		}
		return s.enqueueRecheck(ctx, t, l.ID, seq)
	})
}

// RecheckAgain schedules the re-checks of a pull request whose last edits were not judged. The reason
// against them, such as a review under way, may be over.
func (s *Service) RecheckAgain(ctx context.Context, t domain.Tenant, pull string) error {
	links, err := s.Store.TrackerLinksOf(ctx, t, pull)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.KeyOnly || l.Wanted == "" || l.Wanted == l.Judged {
			continue
		}
		if err := s.Store.Atomically(ctx, func(ctx context.Context) error {
			seq, due, err := s.Store.RecheckAgain(ctx, t, l.ID)
			if err != nil || !due {
				return err
			}
			return s.enqueueRecheck(ctx, t, l.ID, seq)
		}); err != nil {
			return err
		}
	}
	return nil
}

// enqueueRecheck creates the job of an edit. Its subject names the link and the edit, so that the job of an
// earlier edit ends by itself.
func (s *Service) enqueueRecheck(ctx context.Context, t domain.Tenant, link string, seq int64) error {
	subject := link + "@" + strconv.FormatInt(seq, 10)
	_, err := s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindRecheck, FairKey: t.ID, Subject: subject, Tenant: t.ID,
		Dedup: string(domain.KindRecheck) + ":" + subject, Delay: s.RecheckAfter})
	return err
}

// Edit is an edit of the criteria of an issue of a pull request.
type Edit struct {
	Link store.TrackerLink
	Seq  int64
}

// EditForWork reads the edit that a job of [domain.KindRecheck] is about. ok is false if a later edit has
// its own job, or if the pull request no longer names the issue.
func (s *Service) EditForWork(ctx context.Context, subject string) (e Edit, ok bool, err error) {
	id, number, _ := strings.Cut(subject, "@")
	if e.Seq, err = strconv.ParseInt(number, 10, 64); err != nil {
		return e, false, errs.New(errs.Invalid, "subject", "The subject of a re-check names no edit.")
	}
	e.Link, err = s.Store.TrackerLinkForWork(ctx, id)
	if errs.Is(err, errs.NotFound) {
		return e, false, nil
	}
	return e, err == nil && e.Link.RemovedUS == 0 && e.Link.WantedSeq == e.Seq, err
}

// Reread reads an issue whose criteria were edited, or returns why they are not judged again. Errors are
// those of the database, of the code host when it is asked about the author, and of the tracker in the
// classes of code hosts.
func (s *Service) Reread(ctx context.Context, c Change, e Edit) (k domain.Ticket, why string, err error) {
	l, ok, err := s.newLookup(ctx, c)
	if err != nil {
		return k, "", err
	}
	var con connection
	if ok {
		con, ok = byID(l.connections, e.Link.Connection)
	}
	switch {
	case !ok:
		return k, "The tracker of the issue is not connected any more.", nil
	case e.Link.KeyOnly || l.keyOnly(con):
		return k, "Nothing but the key of the issue may be known here now.", nil
	}
	within, cancel := context.WithTimeout(ctx, s.ReadTime)
	defer cancel()
	issue, err := s.issue(within, con, e.Link.IssueKey)
	if tracker.ClassOf(err) == tracker.ClassNotFound || err == nil && !con.reads(issue.Project) {
		return k, "The issue is not there any more, or must not be read.", nil
	}
	if err != nil {
		return k, "", asHostError(err)
	}
	return s.ticket(con, e.Link, issue), "", nil
}

// Judged reports whether the criteria of a ticket are the ones that were judged last.
func (e Edit) Judged(k domain.Ticket) bool { return e.Link.Judged == criteriaDigest(k.Criteria) }

// End records how a re-check ended. why is the reason against a new verdict, "" if the criteria are judged.
// End returns false and writes nothing if a later edit came meanwhile.
func (s *Service) End(ctx context.Context, e Edit, k domain.Ticket, why string) (bool, error) {
	digest := e.Link.Wanted
	if why == "" {
		digest = criteriaDigest(k.Criteria)
	}
	return s.Store.EndRecheck(ctx, domain.Tenant{ID: e.Link.Tenant}, e.Link.ID, e.Seq, digest, why)
}
