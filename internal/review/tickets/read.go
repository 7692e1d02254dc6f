package tickets

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// readers is how many issues of one connection are read at once for a pull request
// (design choice).
const readers = 4

// Meant is what is known of what a change was meant to do.
type Meant struct {
	// Tickets are the issues of which more than the key may be known.
	Tickets []domain.Ticket
	// Silent is how many trackers did not say which issues there are, or which of them
	// they link to the pull request: there may be more issues than Tickets has. Those of
	// which only the keys may be known are not among them.
	Silent int

	failed map[string]error // by connection: why it was silent, or why an issue of it was not read
}

// Read brings the links of a pull request up to date and reads their issues, for at
// most [Config.ReadTime]. An issue that could not be read says why in its Unread, and of
// one that only the key may be known of there is no ticket: the review says the same of
// a key that there is as of one that there is not. Errors are those of the database, and
// of the code host where it has to say who the author is.
func (s *Service) Read(ctx context.Context, c Change) (Meant, error) {
	if s.Trackers == nil {
		return Meant{}, nil // this process can neither say that an issue is there nor that it is not
	}
	l, ok, err := s.look(ctx, c)
	if err != nil {
		return Meant{}, err
	}
	if !ok {
		_, err := s.Store.SeeTrackerLinks(ctx, c.Tenant, c.PullRequest, nil)
		return Meant{}, err
	}
	within, cancel := context.WithTimeout(ctx, s.ReadTime)
	defer cancel()
	links, err := l.find(ctx, within)
	if err != nil {
		return Meant{}, err
	}
	links = surest(links)
	got := l.readAll(within, links)
	if err := ctx.Err(); err != nil { // the run is over, not the trackers' time
		return Meant{}, err
	}
	out := l.hindered(links, got)
	out.Tickets, err = l.keep(ctx, links, got)
	return out, err
}

// hindered says what trackers did not tell.
func (l *look) hindered(links []store.TrackerLink, got []reading) Meant {
	out := Meant{failed: map[string]error{}}
	for _, c := range l.connections {
		if c.failed != nil {
			out.failed[c.ID] = c.failed
			if !l.keyOnly(c) {
				out.Silent++
			}
		}
	}
	for i, link := range links {
		if r := got[i]; r.failed != nil && out.failed[link.Connection] == nil {
			out.failed[link.Connection] = r.failed
		}
	}
	return out
}

// reading is what came of reading the issue of a link.
type reading struct {
	ticket  domain.Ticket
	done    bool
	keyOnly bool
	absent  bool  // there is no such issue
	linked  bool  // it links the pull request, and not because we have told it to
	failed  error // of the tracker, where it may answer another time
}

// readAll reads the issues of links: those of all connections at once, and of each
// some at a time, so that a tracker that hangs takes no time from another one.
func (l *look) readAll(ctx context.Context, links []store.TrackerLink) []reading {
	out := make([]reading, len(links))
	of := map[string][]int{}
	for i, link := range links {
		of[link.Connection] = append(of[link.Connection], i)
	}
	var all sync.WaitGroup
	for _, at := range of {
		all.Go(func() {
			var group errgroup.Group
			group.SetLimit(readers)
			for _, i := range at {
				group.Go(func() error { out[i] = l.read(ctx, links[i]); return nil })
			}
			_ = group.Wait() // no reader returns an error: each says in its ticket what is wrong
		})
	}
	all.Wait()
	return out
}

// read reads the issue of a link, unless only its key may be known.
func (l *look) read(ctx context.Context, link store.TrackerLink) reading {
	r := reading{ticket: domain.Ticket{Link: link.ID, Tracker: domain.ConnectionKind(link.Tracker), Key: link.IssueKey}}
	c, ok := byID(l.connections, link.Connection)
	if r.keyOnly = !ok && KeyOnly(l.audience, false) || ok && l.keyOnly(c); r.keyOnly {
		return r
	}
	if !ok {
		r.ticket.Unread = "Its tracker is not connected any more."
		return r
	}
	issue, err := l.wanted(ctx, c, link.IssueKey, tracker.Want{Links: l.Now.URL != ""})
	switch {
	case tracker.ClassOf(err) == tracker.ClassNotFound:
		r.absent, r.ticket.Unread = true, unread(err)
	case err != nil:
		l.Logger.WarnContext(ctx, "an issue could not be read", "connection", c.ID, "issue", link.IssueKey, "error", err)
		r.ticket.Unread = unread(err)
		if !ofIssue(err) {
			r.failed = err
		}
	case !c.reads(issue.Project): // a number names any project, and an issue may have moved
		r.absent, r.ticket.Unread = true, "It belongs to a project that is not read."
	default:
		r.ticket, r.done = l.ticket(c, link, issue), issue.DoneBy(c.mapping.DoneStates)
		ours := c.mapping.LinkBack == linkBackLink && link.Written != ""
		r.linked = !ours && slices.ContainsFunc(issue.PullRequests, func(a string) bool { return sameAddress(a, l.Now.URL) })
	}
	return r
}

// sameAddress reports whether two addresses show the same pull request.
func sameAddress(a, b string) bool {
	x, err := url.Parse(a)
	y, wrong := url.Parse(b)
	return err == nil && wrong == nil && x.Host != "" && strings.EqualFold(x.Host, y.Host) && strings.Trim(x.Path, "/") == strings.Trim(y.Path, "/")
}

// issue reads an issue with what its connection wants of it.
func (s *Service) issue(ctx context.Context, c connection, key string) (tracker.Issue, error) {
	return s.wanted(ctx, c, key, tracker.Want{})
}

// wanted is [Service.issue] with more.
func (s *Service) wanted(ctx context.Context, c connection, key string, want tracker.Want) (tracker.Issue, error) {
	tr, err := s.open(ctx, domain.Tenant{ID: c.Tenant}, c.TrackerConnection)
	if err != nil {
		return tracker.Issue{}, err
	}
	want.CriteriaField = c.mapping.field()
	return tr.Issue(ctx, key, want)
}

func (m mapping) field() string {
	if m.AcceptanceCriteria == nil {
		return ""
	}
	return m.AcceptanceCriteria.Field
}

// criteria are those of an issue, without secrets; none where they are not read.
func (s *Service) criteria(c connection, issue tracker.Issue) []domain.Criterion {
	if c.mapping.AcceptanceCriteria == nil {
		return nil
	}
	list := tracker.Criteria(issue, c.mapping.AcceptanceCriteria.Heading)
	for i := range list {
		list[i].Text = s.Scan(list[i].Text)
	}
	return list[:min(len(list), domain.MaxCriteria)]
}

// ticket is what an issue tells, without secrets.
func (s *Service) ticket(c connection, link store.TrackerLink, issue tracker.Issue) domain.Ticket {
	return domain.Ticket{Link: link.ID, Tracker: c.place.Kind, Key: link.IssueKey, URL: issue.URL, Type: s.Scan(issue.Type), State: s.Scan(issue.State), Title: s.Scan(issue.Title),
		Description: s.Scan(issue.Description), Criteria: s.criteria(c, issue)}
}

// ofIssue reports whether an error is of one issue, which another attempt does not mend.
func ofIssue(err error) bool {
	class := tracker.ClassOf(err)
	return class == tracker.ClassTooLarge || class == tracker.ClassInvalid
}

// unread says in a sentence of ours why an issue could not be read.
func unread(err error) string {
	switch tracker.ClassOf(err) {
	case tracker.ClassLimited:
		return "The tracker asks to wait."
	case tracker.ClassNotFound:
		return "It is not there, or the account of the connection must not see it."
	case tracker.ClassForbidden:
		return "The tracker refuses the account of the connection."
	case tracker.ClassTooLarge:
		return "It is larger than what is read."
	}
	return "The tracker did not answer."
}

// keep stores what was read, and returns the tickets of which more than the key may be
// known. What only looked like an issue is none.
func (l *look) keep(ctx context.Context, links []store.TrackerLink, got []reading) (out []domain.Ticket, err error) {
	err = l.Store.InTx(ctx, func(ctx context.Context) error {
		var there []store.FoundLink
		out = nil
		for i, link := range links {
			r := got[i]
			if link.AddedBy == "" && r.absent {
				continue
			}
			if r.linked && link.FoundIn != inPerson {
				link.FoundIn = inTracker
			}
			there = append(there, store.FoundLink{Connection: link.Connection, Tracker: link.Tracker, IssueKey: link.IssueKey, FoundIn: link.FoundIn})
			if err := l.keepOne(ctx, link, r); err != nil {
				return err
			}
			if !r.keyOnly {
				out = append(out, r.ticket)
			}
		}
		_, err := l.Store.SeeTrackerLinks(ctx, l.Tenant, l.PullRequest, there)
		return err
	})
	return out, err
}

func (l *look) keepOne(ctx context.Context, link store.TrackerLink, r reading) error {
	if r.keyOnly {
		if err := l.Store.DropACChecks(ctx, l.Tenant, link); err != nil {
			return err
		}
	}
	link.KeyOnly, link.Unread, link.Title, link.URL, link.State, link.Type, link.Done = r.keyOnly, r.ticket.Unread, r.ticket.Title, r.ticket.URL, r.ticket.State, r.ticket.Type, r.done
	link.Stranger = l.audience.Fork && !l.audience.Member
	err := l.Store.ReadTrackerLink(ctx, l.Tenant, link)
	if errs.Is(err, errs.NotFound) { // somebody else brought the links up to date meanwhile
		return nil
	}
	return err
}
