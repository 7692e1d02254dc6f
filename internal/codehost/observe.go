package codehost

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Answered is one request that was sent to a host, and its end.
type Answered struct {
	Host string // the kind of host: "github"
	Op   string // our name of the call, one of a fixed set
	// Installation is the host's id of the installation that the request was
	// made for, "" where it was for none. AsApp: it was made as the app itself.
	Installation domain.HostID
	AsApp        bool
	Status       int   // HTTP status, 0 if there was no answer
	Class        Class // of the error, "" for a success
	Took         time.Duration
	// Path is what was asked for, with numbers and commits below a repository left out.
	// Message is what the host said to a refusal. Both are text from outside.
	Path, Message string
}

// Observer is told of every request that was sent to a host. It must not block
// for long: the caller of the request waits.
type Observer interface {
	HostAnswered(ctx context.Context, a Answered)
}
