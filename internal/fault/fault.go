// Package fault notifies a tenant's administrators that one of its connections has stopped working: once
// when it stops, and again only after it has worked or fails for another reason.
//
// The callers decide whether a call failed because of its connection, and write the texts for people.
package fault

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Reasons, as they are stored.
const (
	KeyRefused = "key_refused"
	Gone       = "gone"
	Suspended  = "suspended"
	Quota      = "quota"

	Unreachable = "unreachable"
	Crashed     = "crashed" // workers stopped while they called it
)

// Broke records that a connection does not work. It adds an event if the connection worked before or failed
// for another reason. reason must be one of our constant names.
func Broke(ctx context.Context, s *store.Store, t domain.Tenant, reason string, e domain.ConnectionError) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		changed, err := s.FailConnection(ctx, t, e.ConnectionKind, e.ConnectionID, reason)
		if err != nil || !changed {
			return err
		}
		body, err := json.Marshal(e)
		if err != nil {
			return err
		}
		return s.AddEvent(ctx, t, domain.EventConnectionError, e.ConnectionID, string(body))
	})
}

// Installation returns the error of an app installation that does not work, because it is [Suspended] or
// [Gone].
func Installation(i store.Installation, reason string) domain.ConnectionError {
	out := domain.ConnectionError{ConnectionKind: domain.ConnectionInstallation, ConnectionID: i.ID, Name: i.AccountLogin,
		Message: "The installation was removed on the code host, and nothing there is reviewed. The owner of the account can install " +
			"the app again."}
	if reason == Suspended {
		out.Message = "The installation is suspended on the code host, and nothing there is reviewed. The owner of the account can end " +
			"the suspension in the account's list of installed apps."
	}
	return out
}

// Works records that a connection works. It sends no notification.
func Works(ctx context.Context, s *store.Store, t domain.Tenant, kind, id string) error {
	return s.RestoreConnection(ctx, t, kind, id)
}
