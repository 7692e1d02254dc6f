package featuretest

import (
	"context"
	"net/url"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Trackers is a fake of the issue trackers of connections, of every kind, in memory. A nil function means
// success with default data. Several goroutines call the functions.
type Trackers struct {
	Who      func(ctx context.Context, c store.TrackerConnection, token secret.Secret) (tracker.Account, error)
	Projects func() ([]tracker.Project, error)
	Newest   func(project string, n int, want tracker.Want) ([]tracker.Issue, error)

	Trade func(code, verifier string) (store.TrackerGrant, error) // returns the grant of a consent

	// End revokes a grant; nil means success.
	End func(c store.TrackerConnection, v store.TrackerGrant) error

	mu    sync.Mutex
	asked int
}

// Asked returns the number of calls to Who.
func (f *Trackers) Asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// Built implements tracking.Trackers.
func (*Trackers) Built(domain.ConnectionKind) bool { return true }

// With implements tracking.Trackers.
func (f *Trackers) With(c store.TrackerConnection, token secret.Secret) (tracker.Tracker, error) {
	return &issues{fake: f, row: c, token: token}, nil
}

// Open implements tracking.Trackers.
func (f *Trackers) Open(_ context.Context, _ domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error) {
	return &issues{fake: f, row: c}, nil
}

// Authorize implements tracking.Trackers.
func (f *Trackers) Authorize(_ context.Context, _ domain.Tenant, c store.TrackerConnection, state, challenge,
	redirect string) (string, error) {
	return c.BaseURL + "/oauth/authorize?" + url.Values{"state": {state}, "code_challenge": {challenge},
		"redirect_uri": {redirect}}.Encode(), nil
}

// Exchange implements tracking.Trackers.
func (f *Trackers) Exchange(_ context.Context, _ domain.Tenant, _ store.TrackerConnection, code, verifier,
	_ string) (store.TrackerGrant, error) {
	if f.Trade != nil {
		return f.Trade(code, verifier)
	}
	return store.TrackerGrant{Generation: 1, Access: []byte("sealed"), Endless: true}, nil
}

// Revoke implements tracking.Trackers.
func (f *Trackers) Revoke(_ context.Context, _ domain.Tenant, c store.TrackerConnection, v store.TrackerGrant) error {
	if f.End != nil {
		return f.End(c, v)
	}
	return nil
}

// issues is the tracker of one connection. Tests must call only the methods that it implements.
type issues struct {
	tracker.Tracker
	fake  *Trackers
	row   store.TrackerConnection
	token secret.Secret
}

// OwnAccount implements [tracker.Reader].
func (i *issues) OwnAccount(ctx context.Context) (tracker.Account, error) {
	i.fake.mu.Lock()
	i.fake.asked++
	i.fake.mu.Unlock()
	if i.fake.Who != nil {
		return i.fake.Who(ctx, i.row, i.token)
	}
	return tracker.Account{ID: "u1", Name: "Assay"}, nil
}

// Projects implements [tracker.Reader].
func (i *issues) Projects(context.Context) ([]tracker.Project, error) {
	if i.fake.Projects != nil {
		return i.fake.Projects()
	}
	return []tracker.Project{{Key: "PAY", Name: "Payments"}}, nil
}

// Newest implements [tracker.Reader].
func (i *issues) Newest(_ context.Context, project string, n int, want tracker.Want) ([]tracker.Issue, error) {
	if i.fake.Newest != nil {
		return i.fake.Newest(project, n, want)
	}
	return nil, nil
}
