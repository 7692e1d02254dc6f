// Package audit is the record of who did what: one append-only log per tenant and one for the instance. An
// act and its entry share one transaction, so an act without an entry cannot commit. Each log is a Merkle
// tree with a signed head, so that verification finds and names later changes
// (docs/decisions/0009-audit-log.md).
//
// It contains no permission checks and no texts of pages.
package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// The kinds of actors.
const (
	KindUser      = "user"
	KindToken     = "token"
	KindOperator  = "operator" // a person at the command line of the server
	KindHost      = "host"     // an event of a code host
	KindAnonymous = "anonymous"
	KindService   = "service" // the service itself
)

// The results of acts.
const (
	OK      = "ok"
	Refused = "refused"
	Failed  = "failed"
)

// Actor is who acts. The zero value means the service itself.
type Actor struct {
	Kind      string // user, token, operator (the command line), host (an event of a code host), anonymous, or service
	UserID    string
	Name      string // at the time of the act
	Method    string // how the person signed in
	SessionID string
	Address   string // of the client; "" if there is no client
	RequestID string
}

type actorKey struct{}

// As returns a context in which the actor acts.
func As(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// By returns the actor of a context, by default the service.
func By(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok && a.Kind != "" {
		return a
	}
	return Actor{Kind: KindService}
}

// Target is the object of an act.
type Target struct {
	Kind string `json:"kind"` // the noun: rule, member, llm-credential
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // for people; text that a person entered
}

// Act is an event to record.
type Act struct {
	Tenant domain.Tenant // zero: the instance's log
	Action string        // noun.verb: rule.create
	Target Target
	// Before and After are the resource as the API shows it, or nil if it did not exist then. A field is
	// recorded as its audit tag says; see [changesBetween].
	Before, After any
	Result        string // "" means "ok"; otherwise refused or failed
	Note          string // one sentence without values, if the other fields do not say enough
}

// SessionsEnded returns the note of an act that ended n sessions.
func SessionsEnded(n int64) string { return fmt.Sprintf("Sessions that ended: %d.", n) }

// Log writes and reads the logs. It is safe for concurrent use.
type Log struct {
	store  *store.Store
	keys   *secret.Keyring
	logger *slog.Logger
	mu     sync.Mutex
	signer *signer // nil until it is first needed
}

// New returns a log over a database. The keyring seals the signing key. Every new head also goes to the
// logger, because a person who can change the database cannot change it there.
func New(s *store.Store, keys *secret.Keyring, logger *slog.Logger) *Log {
	return &Log{store: s, keys: keys, logger: logger}
}

// Do runs f and records the act that it returns, in the transaction of ctx or a new one. If f or the log
// fails, nothing is committed. f must not wait for anything but the database.
func (l *Log) Do(ctx context.Context, f func(ctx context.Context) (Act, error)) error {
	if _, err := l.key(ctx); err != nil {
		return err
	}
	return l.store.Atomically(ctx, func(ctx context.Context) error {
		act, err := f(ctx)
		if err != nil {
			return err
		}
		return l.record(ctx, act)
	})
}

// Record writes an entry in the transaction of ctx, or in a new one.
func (l *Log) Record(ctx context.Context, act Act) error {
	return l.Do(ctx, func(context.Context) (Act, error) { return act, nil })
}

// record queues an entry for the end of the transaction, when the log's row is locked. Because no act takes
// a lock after that, and several logs are locked in one order, transactions cannot deadlock.
func (l *Log) record(ctx context.Context, act Act) error {
	changes, err := changesBetween(act.Before, act.After)
	if err != nil {
		return err
	}
	by := By(ctx)
	b := entryBody{Action: act.Action, Target: act.Target, Result: act.Result, Note: act.Note, Changes: changes, Log: store.LogID(act.Tenant),
		Actor: EntryActor{by.Kind, by.UserID, by.Name, by.Method, by.SessionID, by.Address, by.RequestID}}
	if b.Result == "" {
		b.Result = OK
	}
	return l.store.BeforeCommit(ctx, "audit "+b.Log, b, func(ctx context.Context, all []any) error {
		bodies := make([]entryBody, len(all))
		for i, v := range all {
			bodies[i] = v.(entryBody)
		}
		return l.append(ctx, act.Tenant, bodies)
	})
}
