package connect

import (
	"context"
	"log/slog"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Adapter returns the client of a kind of issue tracker.
type Adapter func(tracker.Config) (tracker.Tracker, error)

// Trackers opens issue trackers. A client is reused until the connection's row changes. Tokens stay sealed
// until a request needs them. It is safe for concurrent use.
type Trackers struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Factory  *outbound.Factory
	Adapters map[domain.ConnectionKind]Adapter   // for the implemented kinds
	Consents map[domain.ConnectionKind]ConsentOf // for kinds with OAuth sign-in
	Logger   *slog.Logger

	mu     sync.Mutex
	opened *simplelru.LRU[string, openedTracker] // by connection id; nil: empty
}

// openedTracker is the client of a version of a connection.
type openedTracker struct {
	version int64
	tracker tracker.Tracker
}

// trackerScope returns the scope of a tracker connection's sealed token.
func trackerScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "tracker_connections", Row: id, Column: "token"}
}

// Built reports whether connections of a kind can be used.
func (h *Trackers) Built(kind domain.ConnectionKind) bool { return h.Adapters[kind] != nil }

// With opens the tracker of a connection with a token, which need not be the stored one. It sends no
// request.
func (h *Trackers) With(c store.TrackerConnection, token secret.Secret) (tracker.Tracker, error) {
	return h.dial(c, func(context.Context) (secret.Secret, error) { return token, nil })
}

// Open opens the tracker of a stored connection. It sends no request. If the tracker later refuses a
// request, a job checks whether the connection still works. It returns [tracker.ClassForbidden] if the
// connection is switched off.
func (h *Trackers) Open(_ context.Context, t domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error) {
	if !c.Enabled {
		return nil, &tracker.Error{Class: tracker.ClassForbidden, Op: "open connection", Message: "the connection is switched off"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opened == nil {
		h.opened, _ = simplelru.NewLRU[string, openedTracker](maxOpened, nil) // fails only for size 0
	}
	if got, ok := h.opened.Get(c.ID); ok && got.version == c.Version {
		return got.tracker, nil
	}
	made, err := h.dial(c, h.token(t, c))
	if err != nil {
		return nil, err
	}
	watched := &watchedTracker{Tracker: made, trackers: h, tenant: t, connection: c.ID}
	h.opened.Add(c.ID, openedTracker{c.Version, watched})
	return watched, nil
}

// token returns a function that opens a connection's sealed token when a request needs it. An OAuth token
// is replaced before it ends.
func (h *Trackers) token(t domain.Tenant, c store.TrackerConnection) func(context.Context) (secret.Secret, error) {
	if c.AuthKind == "oauth" {
		return (&grant{Trackers: h, tenant: t, connection: c}).token
	}
	return func(ctx context.Context) (secret.Secret, error) {
		return h.Keyring.OpenSecret(ctx, trackerScope(t, c.ID), c.Token)
	}
}

func (h *Trackers) dial(c store.TrackerConnection, token func(context.Context) (secret.Secret, error)) (tracker.Tracker, error) {
	kind := domain.ConnectionKind(c.Kind)
	adapter := h.Adapters[kind]
	if adapter == nil {
		return nil, errs.New(errs.Unbuilt, "", "This kind of issue tracker is not built yet.")
	}
	return adapter(tracker.Config{Kind: kind, BaseURL: c.BaseURL, Email: c.Email, Token: token, Bearer: c.AuthKind == "oauth",
		Client: h.Factory.Client(outbound.Purpose{Name: string(kind), Tenant: c.Tenant, KeepRedirects: true,
			MaxResponseBytes: tracker.MaxAnswer})})
}

// watchedTracker sees from a tracker's answers whether the tracker still accepts the token of a connection.
// After a refusal, a job asks the tracker whether the cause is the token or the request.
type watchedTracker struct {
	tracker.Tracker
	trackers   *Trackers
	tenant     domain.Tenant
	connection string
	pace       pace
}

// checkRefusal schedules the check if the tracker refused a request.
func (w *watchedTracker) checkRefusal(ctx context.Context, err error) {
	if tracker.ClassOf(err) != tracker.ClassForbidden || !w.pace.due() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchTime)
	defer cancel()
	if err := w.trackers.Store.RequestTrackerCheck(ctx, w.tenant, w.connection); err != nil {
		w.trackers.Logger.WarnContext(ctx, "the tracker of a connection could not be asked what is wrong; a later request has it asked",
			"connection", w.connection, "error", err)
	}
}

// OwnAccount implements [tracker.Reader].
func (w *watchedTracker) OwnAccount(ctx context.Context) (tracker.Account, error) {
	out, err := w.Tracker.OwnAccount(ctx)
	w.checkRefusal(ctx, err)
	return out, err
}

// Projects implements [tracker.Reader].
func (w *watchedTracker) Projects(ctx context.Context) ([]tracker.Project, error) {
	out, err := w.Tracker.Projects(ctx)
	w.checkRefusal(ctx, err)
	return out, err
}

// Issue implements [tracker.Reader].
func (w *watchedTracker) Issue(ctx context.Context, key string, want tracker.Want) (tracker.Issue, error) {
	out, err := w.Tracker.Issue(ctx, key, want)
	w.checkRefusal(ctx, err)
	return out, err
}

// Newest implements [tracker.Reader].
func (w *watchedTracker) Newest(ctx context.Context, project string, n int, want tracker.Want) ([]tracker.Issue, error) {
	out, err := w.Tracker.Newest(ctx, project, n, want)
	w.checkRefusal(ctx, err)
	return out, err
}

// LinkedTo implements [tracker.Reader].
func (w *watchedTracker) LinkedTo(ctx context.Context, pullRequest string) ([]string, error) {
	out, err := w.Tracker.LinkedTo(ctx, pullRequest)
	w.checkRefusal(ctx, err)
	return out, err
}

// FindComment implements [tracker.Writer].
func (w *watchedTracker) FindComment(ctx context.Context, key, marker string) (id string, sure bool, err error) {
	id, sure, err = w.Tracker.FindComment(ctx, key, marker)
	w.checkRefusal(ctx, err)
	return id, sure, err
}

// PutComment implements [tracker.Writer].
func (w *watchedTracker) PutComment(ctx context.Context, key, id, text, marker string) (string, error) {
	out, err := w.Tracker.PutComment(ctx, key, id, text, marker)
	w.checkRefusal(ctx, err)
	return out, err
}

// PutLink implements [tracker.Writer].
func (w *watchedTracker) PutLink(ctx context.Context, key string, link tracker.Link) error {
	err := w.Tracker.PutLink(ctx, key, link)
	w.checkRefusal(ctx, err)
	return err
}
