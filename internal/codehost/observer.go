package codehost

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Exchange is one request to a host and its end.
type Exchange struct {
	Host string // the kind of host: "github"
	Op   string // our name of the call, from a fixed set
	// Installation is the host's id of the request's installation, "" without one. AsApp reports that
	// the app itself made the request.
	Installation domain.HostID
	AsApp        bool
	Status       int   // HTTP status, 0 without an answer
	Class        Class // class of the error, "" for a success
	Took         time.Duration
	// Path is the requested path, without numbers and commits below a repository. Message is the host's
	// text for a refusal. Both are text from outside.
	Path, Message string
}

// Observer receives every request that was sent to a host. It must not block for long, because the caller
// waits.
type Observer interface {
	ObserveExchange(ctx context.Context, a Exchange)
}
