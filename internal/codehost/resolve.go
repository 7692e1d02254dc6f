package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// Resolver closes threads on lines, and opens them again. A host offers it where it has
// [Capabilities.ResolveThreads] and its adapter does; see [ResolverOf].
type Resolver interface {
	// SetResolved closes the thread that a comment stands in, or opens it again. It may be
	// repeated. [ClassNotFound]: the comment or its thread is gone. [ClassInvalid]: the comment is
	// in no thread that can be closed. [ClassForbidden]: the account may not.
	SetResolved(ctx context.Context, repo Repo, number int, comment domain.HostID, resolved bool) error
}

// ResolverOf returns what closes threads on a host; ok is false where nothing does.
func ResolverOf(h Host) (r Resolver, ok bool) {
	return verbs[Resolver](h, h.Capabilities().ResolveThreads)
}
