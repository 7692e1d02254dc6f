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
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// maxReaders is how many issues of one connection are read in parallel for a pull request (design choice).
const maxReaders = 4

// Meant is the known purpose of a change.
type Meant struct {
	// Tickets are the issues whose content may be known.
	Tickets []domain.Ticket
	// Silent counts the trackers that failed to list their projects or the issues that they link to the
	// pull request. If it is above 0, Tickets may be incomplete. Trackers whose issues may be known by key
	// alone do not count.
	Silent int

	failed map[string]error // by connection: why it was silent, or why one of its issues was not read
}

// Read updates the links of a pull request and reads their issues, for at most [Config.ReadTime]. The
// Unread of a ticket says why its issue could not be read. An issue whose key alone may be known yields no
// ticket, so that the review does not reveal whether the issue exists. Errors are those of the database,
// and of the code host when it is asked about the author.
func (s *Service) Read(ctx context.Context, c Change) (Meant, error) {
	if s.Trackers == nil {
		return Meant{}, nil // without trackers this process cannot say whether an issue exists
	}
	l, ok, err := s.newLookup(ctx, c)
	if err != nil {
		return Meant{}, err
	}
	if !ok {
		_, err := s.Store.ReplaceFoundLinks(ctx, c.Tenant, c.PullRequest, nil)
		return Meant{}, err
	}
	within, cancel := context.WithTimeout(ctx, s.ReadTime)
	defer cancel()
	links, err := l.find(ctx, within)
	if err != nil {
		return Meant{}, err
	}
	links = sortBySureness(links)
	got := l.readAll(within, links)
	if err := ctx.Err(); err != nil { // the run is over, not only the trackers' time
		return Meant{}, err
	}
	out := l.collectFailures(links, got)
	out.Tickets, err = l.saveReadings(ctx, links, got)
	return out, err
}

// collectFailures records which trackers failed, and why.
func (l *lookup) collectFailures(links []store.TrackerLink, got []reading) Meant {
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

// reading is the result of reading the issue of a link.
type reading struct {
	ticket  domain.Ticket
	done    bool
	keyOnly bool
	absent  bool  // the issue does not exist
	linked  bool  // the issue links the pull request, and not because we wrote that link
	failed  error // the tracker's error, if a later attempt may succeed
}

// readAll reads the issues of links: all connections in parallel, and at most maxReaders issues of each. A
// tracker that hangs takes no time from another.
func (l *lookup) readAll(ctx context.Context, links []store.TrackerLink) []reading {
	out := make([]reading, len(links))
	of := map[string][]int{}
	for i, link := range links {
		of[link.Connection] = append(of[link.Connection], i)
	}
	var all sync.WaitGroup
	for _, at := range of {
		all.Go(func() {
			var group errgroup.Group
			group.SetLimit(maxReaders)
			for _, i := range at {
				group.Go(func() error {
					err := ask.Contained(func() error { out[i] = l.read(ctx, links[i]); return nil })
					if err != nil {
						out[i] = l.unread(ctx, links[i], err)
					}
					return nil
				})
			}
			_ = group.Wait() // readers return no errors, because each ticket holds its own
		})
	}
	all.Wait()
	return out
}

func newReading(link store.TrackerLink) reading {
	return reading{ticket: domain.Ticket{Link: link.ID, Tracker: domain.ConnectionKind(link.Tracker), Key: link.IssueKey}}
}

// unread returns the reading of an issue that could not be read.
func (l *lookup) unread(ctx context.Context, link store.TrackerLink, err error) reading {
	l.Logger.WarnContext(ctx, "an issue could not be read", "connection", link.Connection, "issue", link.IssueKey, "error", err)
	r := newReading(link)
	r.ticket.Unread = unreadReason(err)
	if !isPermanent(err) {
		r.failed = err
	}
	return r
}

// read reads the issue of a link, unless only its key may be known.
func (l *lookup) read(ctx context.Context, link store.TrackerLink) reading {
	r := newReading(link)
	c, ok := byID(l.connections, link.Connection)
	if r.keyOnly = !ok && KeyOnly(l.audience, false) || ok && l.keyOnly(c) || isElsewhere(link.Connection, link.IssueKey); r.keyOnly {
		return r
	}
	if !ok {
		r.ticket.Unread = "Its tracker is not connected any more."
		return r
	}
	issue, err := l.issueWith(ctx, c, link.IssueKey, tracker.Want{Links: l.Now.URL != ""})
	switch {
	case tracker.ClassOf(err) == tracker.ClassNotFound:
		r.absent, r.ticket.Unread = true, unreadReason(err)
	case err != nil:
		return l.unread(ctx, link, err)
	case !c.reads(issue.Project): // a number can name any project, and an issue may have moved
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
	return err == nil && wrong == nil && x.Host != "" && strings.EqualFold(x.Host, y.Host) &&
		strings.Trim(x.Path, "/") == strings.Trim(y.Path, "/")
}

// issue reads an issue with the criteria field of its connection.
func (s *Service) issue(ctx context.Context, c connection, key string) (tracker.Issue, error) {
	return s.issueWith(ctx, c, key, tracker.Want{})
}

// issueWith is [Service.issue] with further wants.
func (s *Service) issueWith(ctx context.Context, c connection, key string, want tracker.Want) (tracker.Issue, error) {
	if c.reader != nil {
		return c.hostIssue(ctx, key)
	}
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

// criteria returns the criteria of an issue, without secrets. It returns nil if the connection does not
// read criteria.
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

// ticket converts an issue, without secrets.
func (s *Service) ticket(c connection, link store.TrackerLink, issue tracker.Issue) domain.Ticket {
	return domain.Ticket{Link: link.ID, Tracker: c.place.Kind, Key: link.IssueKey, URL: issue.URL, Type: s.Scan(issue.Type),
		State: s.Scan(issue.State), Title: s.Scan(issue.Title),
		Description: s.Scan(issue.Description), Criteria: s.criteria(c, issue)}
}

// isPermanent reports whether an error concerns one issue and stays the same at the next attempt.
func isPermanent(err error) bool {
	class := tracker.ClassOf(err)
	return class == tracker.ClassTooLarge || class == tracker.ClassInvalid
}

// unreadReason explains in a fixed sentence why an issue could not be read.
func unreadReason(err error) string {
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

// saveReadings stores the readings and returns the tickets whose content may be known. Keys without an issue are
// dropped.
func (l *lookup) saveReadings(ctx context.Context, links []store.TrackerLink, got []reading) (out []domain.Ticket, err error) {
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
			there = append(there, store.FoundLink{Connection: link.Connection, Tracker: link.Tracker, IssueKey: link.IssueKey,
				FoundIn: link.FoundIn})
			if err := l.saveReading(ctx, link, r); err != nil {
				return err
			}
			if !r.keyOnly {
				out = append(out, r.ticket)
			}
		}
		_, err := l.Store.ReplaceFoundLinks(ctx, l.Tenant, l.PullRequest, there)
		return err
	})
	return out, err
}

func (l *lookup) saveReading(ctx context.Context, link store.TrackerLink, r reading) error {
	if r.keyOnly {
		if err := l.Store.DropACChecks(ctx, l.Tenant, link); err != nil {
			return err
		}
	}
	link.KeyOnly, link.Unread, link.Title, link.URL, link.State, link.Type, link.Done = r.keyOnly, r.ticket.Unread, r.ticket.Title,
		r.ticket.URL, r.ticket.State, r.ticket.Type, r.done
	link.Stranger = l.audience.Fork && !l.audience.Member
	err := l.Store.SetTicketFacts(ctx, l.Tenant, link)
	if errs.Is(err, errs.NotFound) { // another process updated the links meanwhile
		return nil
	}
	return err
}
