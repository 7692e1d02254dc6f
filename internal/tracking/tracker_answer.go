package tracking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

const trackerTable = "tracker_connections"

// Trackers opens the issue trackers of connections. Opening sends no request.
type Trackers interface {
	// Built reports whether connections of a kind can be used.
	Built(kind domain.ConnectionKind) bool
	// With opens the tracker of a connection with a token, which need not be the stored one.
	With(c store.TrackerConnection, token secret.Secret) (tracker.Tracker, error)
	// Open opens the tracker of a stored connection with the stored secrets.
	Open(ctx context.Context, t domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error)
	// Authorize returns the address at which a person lets the app of a connection in.
	Authorize(ctx context.Context, t domain.Tenant, c store.TrackerConnection, state, challenge, redirect string) (string, error)
	// Exchange trades the code of a consent for a sealed grant to store.
	Exchange(ctx context.Context, t domain.Tenant, c store.TrackerConnection, code, verifier, redirect string) (store.TrackerGrant, error)
	// Revoke ends a grant at the tracker.
	Revoke(ctx context.Context, t domain.Tenant, c store.TrackerConnection, v store.TrackerGrant) error
}

// trackerBuilt reports whether connections of a kind can be used.
func (s *Service) trackerBuilt(kind string) bool {
	return s.Issues != nil && s.Issues.Built(domain.ConnectionKind(kind))
}

// trackerToken opens the stored token of a connection; the zero value for a connection with OAuth.
func (s *Service) trackerToken(ctx context.Context, t domain.Tenant, row store.TrackerConnection) (secret.Secret, error) {
	if row.Token == nil {
		return secret.Secret{}, nil
	}
	return s.Keyring.OpenSecret(ctx, secret.Scope{Tenant: t.ID, Table: trackerTable, Row: row.ID, Column: "token"}, row.Token)
}

// openTracker opens the tracker of a connection with the stored secrets, and returns the token, which must
// be removed from the tracker's texts.
func (s *Service) openTracker(ctx context.Context, t domain.Tenant, row store.TrackerConnection) (tracker.Tracker, secret.Secret, error) {
	if row.AuthKind == authOAuth {
		port, err := s.Issues.Open(ctx, t, row)
		return port, secret.Secret{}, err
	}
	token, err := s.trackerToken(ctx, t, row)
	if err != nil {
		return nil, token, err
	}
	port, err := s.Issues.With(row, token)
	return port, token, err
}

// trackerAnswer is a tracker's answer to the question what a sign-in may do.
type trackerAnswer struct {
	account  tracker.Account
	projects []tracker.Project
	unseen   []int // indexes of named projects that the account does not see
	named    []string
	oauth    bool
	ours     string // our reason why a sign-in is missing; "" if there is one
	failed   error  // an error of the tracker or of the way to it; nil: the tracker has answered
	words    string // the tracker's text, cleaned for display; "" if there is no text
}

// askTracker asks a tracker for the account of the sign-in and its visible projects. Failures of the
// tracker are in the answer. The error is for other failures, such as a cancelled request.
func (s *Service) askTracker(ctx context.Context, row store.TrackerConnection, port tracker.Reader,
	token secret.Secret) (trackerAnswer, error) {
	a := trackerAnswer{named: store.FromJSON[[]string](row.Projects), oauth: row.AuthKind == authOAuth}
	bounded, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	if a.account, a.failed = port.OwnAccount(bounded); a.failed == nil {
		a.projects, a.failed = port.Projects(bounded)
	}
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	a.words = trackerWords(a.failed, token)
	if e, _ := errors.AsType[*tracker.Error](a.failed); e != nil && e.Op == tracker.OpSignIn {
		a.ours, a.words = e.Message, ""
	}
	if a.failed != nil || len(a.projects) >= tracker.MaxProjects { // a long list may be incomplete
		return a, nil
	}
	for i, name := range a.named {
		if !slices.ContainsFunc(a.projects, func(p tracker.Project) bool { return strings.EqualFold(p.Key, name) }) {
			a.unseen = append(a.unseen, i)
		}
	}
	return a, nil
}

// trackerWords returns a tracker's text about a failure: on one line, short, and without secrets.
func trackerWords(err error, token secret.Secret) string {
	e, is := errors.AsType[*tracker.Error](err)
	if !is {
		return ""
	}
	return cleanWords(e.Message, token)
}

// refusal returns the errors that a person must fix before the connection can be saved; nil if the tracker
// may be asked again later.
func (a trackerAnswer) refusal() error {
	var c field.Check
	switch tracker.ClassOf(a.failed) {
	case tracker.ClassForbidden:
		c.That(false, "/auth/token", strings.TrimSuffix("is refused by the tracker. "+a.quote(), " "))
	case tracker.ClassNotFound:
		c.That(false, "/baseUrl", "is not a tracker of this kind, or the account of the token has no access to it")
	default:
		for _, i := range a.unseen {
			c.That(false, field.At("/projects", i), "is not there, or the account does not see it")
		}
	}
	return c.Err()
}

// quote quotes the tracker's text; "" if there is no text.
func (a trackerAnswer) quote() string {
	if a.words == "" {
		return ""
	}
	if tracker.ClassOf(a.failed) == tracker.ClassTooLarge { // the text is mostly ours
		return fmt.Sprintf("The reason: %s.", a.words)
	}
	return fmt.Sprintf("The tracker says: %q.", a.words)
}

// missing returns the sentences about invisible projects, bounded.
func (a trackerAnswer) missing() (out []string) {
	for _, i := range a.unseen[:min(len(a.unseen), domain.MaxJobNotes)] {
		out = append(out, fmt.Sprintf("The project %s is not there, or the account does not see it.",
			cleanWords(a.named[i], secret.Secret{})))
	}
	return out
}

// state returns the connection's state after an answer, and the reason.
func (a trackerAnswer) state() (state, message string) {
	switch {
	case a.failed != nil:
		return domain.ConnectionBroken, strings.TrimSuffix(a.sentence()+" "+a.quote(), " ")
	case len(a.unseen) > 0 && len(a.unseen) == len(a.named):
		state = domain.ConnectionBroken
	default:
		state = domain.ConnectionActive
	}
	said := a.missing()
	if a.unbounded() {
		said = append(said, a.projectsCheck().Message)
	}
	return state, clip.Bytes(strings.Join(said, " "), maxMessage)
}

// unbounded reports whether the connection covers all projects of an account that sees more than are
// listed.
func (a trackerAnswer) unbounded() bool {
	return a.failed == nil && len(a.named) == 0 && len(a.projects) >= tracker.MaxProjects
}

// sentence describes the failure in our own words.
func (a trackerAnswer) sentence() string {
	if refused, is := errors.AsType[*outbound.RefusedError](a.failed); is {
		return "The tracker cannot be asked from here: " + refused.Reason + "."
	}
	e, _ := errors.AsType[*tracker.Error](a.failed)
	switch class := tracker.ClassOf(a.failed); {
	case a.ours != "":
		return a.ours + " Sign in to it again."
	case class == tracker.ClassForbidden && a.oauth:
		return "The tracker does not take the sign-in. Sign in to it again."
	case class == tracker.ClassForbidden:
		return "The tracker refuses the token. Make a new one there and enter it."
	case class == tracker.ClassNotFound:
		return "Nothing that answers like this kind of tracker is at the address, or the account of the token does not see it."
	case class == tracker.ClassLimited:
		return "The tracker asks to wait before the next request. It is asked again by itself."
	case class == tracker.ClassTooLarge:
		return "The tracker answers with more than is read. See that the address is that of the tracker."
	case e != nil && e.Status != 0:
		return fmt.Sprintf("The tracker answers with status %d. It is asked again by itself.", e.Status)
	}
	return "The tracker does not answer. It is asked again by itself; see that its address is right and that it can be reached from here."
}

// reason returns the fault of a connection; "" if it works.
func (a trackerAnswer) reason() string {
	state, _ := a.state()
	switch class := tracker.ClassOf(a.failed); {
	case state == domain.ConnectionActive:
		return ""
	case class == tracker.ClassForbidden:
		return fault.KeyRefused
	case class == tracker.ClassNotFound, a.failed == nil:
		return fault.Gone
	}
	return fault.Unreachable
}

// tryTracker asks the tracker of a connection with the stored secrets.
func (s *Service) tryTracker(ctx context.Context, t domain.Tenant, id string) (row store.TrackerConnection, a trackerAnswer, err error) {
	if row, err = s.Store.TrackerConnection(ctx, t, id); err != nil {
		return row, a, err
	}
	if !s.trackerBuilt(row.Kind) {
		return row, a, unbuiltKind()
	}
	row.Enabled = true // a person may test a connection that is switched off
	port, token, err := s.openTracker(ctx, t, row)
	if err != nil {
		return row, a, err
	}
	a, err = s.askTracker(ctx, row, port, token)
	return row, a, err
}

// storeTrackerAnswer stores a tracker's answer, unless the connection has changed since the request. It informs
// no administrators.
func (s *Service) storeTrackerAnswer(ctx context.Context, t domain.Tenant, row store.TrackerConnection, a trackerAnswer) error {
	state, message := a.state()
	current, err := s.Store.SetTrackerState(ctx, t, row.ID, row.Version, state, message)
	if err != nil || !current || a.reason() != "" {
		return err
	}
	return fault.Works(ctx, s.Store, t, domain.ConnectionTracker, row.ID)
}

// usableTracker returns a connection that is switched on and of an implemented kind. Errors: NotFound,
// Conflict.
func (s *Service) usableTracker(ctx context.Context, t domain.Tenant, id string) (store.TrackerConnection, error) {
	row, err := s.Store.TrackerConnection(ctx, t, id)
	switch {
	case err != nil:
		return row, err
	case !s.trackerBuilt(row.Kind):
		return row, unbuiltKind()
	case !row.Enabled:
		return row, errs.New(errs.Conflict, "disabled", "The connection is switched off. Switch it on first.")
	}
	return row, nil
}
