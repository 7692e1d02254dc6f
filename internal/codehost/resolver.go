package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// Resolver closes and reopens threads on lines. A host offers it if it has [Capabilities.ResolveThreads]
// and its adapter implements it; see [ResolverOf].
type Resolver interface {
	// SetResolved closes or reopens the thread of a comment. Callers may repeat it. It fails with
	// [ClassNotFound] if the comment or its thread is gone, with [ClassInvalid] if the comment is in no
	// thread that can be closed, and with [ClassForbidden] if the account lacks the right.
	SetResolved(ctx context.Context, repo Repo, number int, comment domain.HostID, resolved bool) error
}

// ResolverOf returns the Resolver of a host. ok is false if the host does not offer it.
func ResolverOf(h Host) (r Resolver, ok bool) {
	return optionalInterface[Resolver](h, h.Capabilities().ResolveThreads)
}
