// Package audit is the record of who did what: one append-only log per tenant
// and one for the instance. An act and its entry are one transaction: no log,
// no act. Each log is a Merkle tree whose head is signed, so that whatever is
// changed afterwards is found and named (docs/decisions/0009-audit-log.md).
//
// What must not live here: who may do something, and the words of a page.
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
	KindOperator  = "operator" // somebody at the command line of the server
	KindHost      = "host"     // an event of a code host
	KindAnonymous = "anonymous"
	KindService   = "service" // the service by itself
)

// The results of acts.
const (
	OK      = "ok"
	Refused = "refused"
	Failed  = "failed"
)

// Actor is who acts. The zero value is the service itself.
type Actor struct {
	Kind      string // user, token, operator (the command line), host (an event of a code host), anonymous, or service
	UserID    string
	Name      string // as it was then
	Method    string // how the person signed in
	SessionID string
	Address   string // of the client; "" where there is none
	RequestID string
}

type actorKey struct{}

// As returns a context in which the actor acts.
func As(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// By returns who acts in a context.
func By(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok && a.Kind != "" {
		return a
	}
	return Actor{Kind: KindService}
}

// Target is what an act is about.
type Target struct {
	Kind string `json:"kind"` // the noun: rule, member, llm-credential
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // for people; text that somebody entered
}

// Act is what happened.
type Act struct {
	Tenant domain.Tenant // zero: the instance's log
	Action string        // noun.verb: rule.create
	Target Target
	// Before and After are the resource as the interface shows it; nil where it
	// was or is not there. Each of their fields says by its tag audit what the
	// log gets of it: see [Changes].
	Before, After any
	Result        string // "ok" where empty; otherwise refused or failed
	Note          string // one sentence without values, where the rest does not say it
}

// SessionsEnded is the note of an act that has ended sessions.
func SessionsEnded(n int64) string { return fmt.Sprintf("Sessions that ended: %d.", n) }

// Log writes and reads the logs. It is safe for concurrent use.
type Log struct {
	store  *store.Store
	keys   *secret.Keyring
	logger *slog.Logger
	mu     sync.Mutex
	signer *signer // nil until it is first needed
}

// New makes a log in a database. The key that signs is sealed by the keyring;
// every new head is printed to the logger, where it is out of reach of whoever
// can change the database.
func New(s *store.Store, keys *secret.Keyring, logger *slog.Logger) *Log {
	return &Log{store: s, keys: keys, logger: logger}
}

// Do runs f and records the act that it returns, in one transaction: the one of
// ctx, or a new one. Where f or the log fails, nothing has happened. f must not
// wait for anything but the database.
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

// Record writes an entry in the transaction of ctx, or in one of its own.
func (l *Log) Record(ctx context.Context, act Act) error {
	return l.Do(ctx, func(context.Context) (Act, error) { return act, nil })
}

// record keeps an entry for the end of the transaction. There the log's row is
// locked: no lock of an act is taken after it, and those of several logs are
// taken in one order.
func (l *Log) record(ctx context.Context, act Act) error {
	changes, err := Changes(act.Before, act.After)
	if err != nil {
		return err
	}
	by := By(ctx)
	b := Body{Action: act.Action, Target: act.Target, Result: act.Result, Note: act.Note, Changes: changes, Log: store.LogID(act.Tenant),
		Actor: Who{by.Kind, by.UserID, by.Name, by.Method, by.SessionID, by.Address, by.RequestID}}
	if b.Result == "" {
		b.Result = OK
	}
	return l.store.BeforeCommit(ctx, "audit "+b.Log, b, func(ctx context.Context, all []any) error {
		bodies := make([]Body, len(all))
		for i, v := range all {
			bodies[i] = v.(Body)
		}
		return l.append(ctx, act.Tenant, bodies)
	})
}
